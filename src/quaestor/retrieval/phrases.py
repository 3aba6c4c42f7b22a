"""How much of a query stands in a text word by word: what a quoted message shares with the source that prints it.

Texts are compared as words between single blanks, so punctuation, line ends and the seams of a message that the source
puts together of several literals do not count. Where a message shows a value (a number, a path), the source has
something else, so no run of words goes across one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quaestor.terms import terms_of_word

_MOST_WORDS = 60
_KEPT = b"abcdefghijklmnopqrstuvwxyz0123456789_"
_TO_WORDS = bytes(byte if byte in _KEPT or byte >= 0x80 else 0x20 for byte in range(256))


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of words of a query, as ``plain`` writes them, a blank at both ends.

    Attributes:
        triples: runs of three words.
        pairs: runs of two words, with what each of them tells; those that tell nothing are left out.
    """

    triples: tuple[bytes, ...]
    pairs: tuple[tuple[bytes, float], ...]


def plain(text: str) -> bytes:
    """Return the lower-case words of a text between single blanks, one at both ends as well."""
    raw = text.lower().encode("utf-8", "surrogatepass").translate(_TO_WORDS)
    return b" %b " % b" ".join(raw.split())


def read_runs(text: str, weights: Mapping[str, float]) -> Runs:
    """Return the runs of a query's first words.

    Args:
        text: the query.
        weights: what each of its terms tells; the terms of stop words are not among them.
    """
    triples: dict[bytes, None] = {}
    pairs: dict[bytes, float] = {}
    for words in _segments(text):
        tells = [max((weights.get(term, 0.0) for term in terms_of_word(word)), default=0.0) for word in words]
        for at in range(len(words) - 1):
            if told := tells[at] + tells[at + 1]:
                pairs[_run(words[at : at + 2])] = told
            if len(words) > at + 2:
                triples[_run(words[at : at + 3])] = None
    return Runs(tuple(triples), tuple(pairs.items()))


def _segments(text: str) -> list[list[str]]:
    """Return the words between the values of a query."""
    segments: list[list[str]] = [[]]
    for raw in text.split()[:_MOST_WORDS]:
        words = plain(raw).decode("utf-8", "surrogatepass").split()
        if any(word.isdigit() for word in words) or "/" in raw.strip("/.,:;'\"`()") or not words:
            segments.append([])
        else:
            segments[-1].extend(words)
    return segments


def _run(words: Sequence[str]) -> bytes:
    return f" {' '.join(words)} ".encode("utf-8", "surrogatepass")


def shares(runs: Runs, texts: Sequence[bytes]) -> list[tuple[float, float]]:
    """Return the shares of the triples and of the pairs (by what they tell) that stand in each text.

    Args:
        runs: of the query.
        texts: as ``plain`` writes them.
    """
    everything = b"".join(texts)  # one look tells what stands nowhere, as most runs do; none goes across two blanks
    triples = [run for run in runs.triples if run in everything]
    pairs = [(run, told) for run, told in runs.pairs if run in everything]
    most, total = len(runs.triples) or 1, sum([told for _, told in runs.pairs]) or 1.0
    return [
        (sum([run in text for run in triples]) / most, sum([told for run, told in pairs if run in text]) / total)
        for text in texts
    ]
