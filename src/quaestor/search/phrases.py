"""Numbers the words of texts, and measures how much of a query occurs word for word in one.

A pasted message occurs so in the source that prints it. Texts are compared as words between single blanks, so
punctuation, line ends and the seams of a message that the source puts together of several literals do not count. Where
a message shows a value (a number, a path), the source has something else, so no run of words goes across one.

Words are compared by numbers, their CRC-32; two neighbours are taken for two others with a probability of 2**-64.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import terms_of_word

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_WORDS = 60
_FEWEST_WORDS = 12
"""A shorter text (in distinct words) is a common phrase, whose repetition means little."""
_KEPT = b"abcdefghijklmnopqrstuvwxyz0123456789_"
_TO_WORDS = bytes(byte if byte in _KEPT or byte >= 0x80 else 0x20 for byte in range(256))


_NO_WORD = 0  # stands between texts
_NUMBERS: Final = "I"  # what numpy calls uintc

Words = bytes
"""The numbers of a text's words in order, as the bytes of C's unsigned integers; ``_NO_WORD`` behind them."""


class WordRuns(NamedTuple):
    """The runs of words of a query, by the words' numbers.

    Attributes:
        triples: runs of three words.
        pairs: runs of two words with their weights, without those of weight 0.
        words: single words, likewise.
    """

    triples: tuple[tuple[int, int, int], ...]
    pairs: tuple[tuple[tuple[int, int], float], ...]
    words: tuple[tuple[int, float], ...]


class WordSet(NamedTuple):
    """The distinct words of a text, by their numbers, ascending, with the least and the greatest of these."""

    least: int
    greatest: int
    words: NDArray[np.uintc]

    def count_shared(self, other: WordSet) -> int:
        """Return how many words two texts have in common."""
        both = np.concatenate([self.words, other.words])
        both.sort()
        return int(np.count_nonzero(both[1:] == both[:-1]))


def word_numbers(text: str) -> Words:
    """Return the words of a text, whatever their case."""
    return array(_NUMBERS, [*map(crc32, _words(text)), _NO_WORD]).tobytes()


def word_set(words: Words) -> WordSet | None:
    """Return the distinct words of a text; None if it is so short that the same words may stand twice by chance."""
    numbers = np.frombuffer(words, np.uintc).copy()  # of which the least is the one that ends the text
    numbers.sort()
    distinct = numbers[1:][numbers[1:] != numbers[:-1]]
    return WordSet(int(distinct[0]), int(distinct[-1]), distinct) if len(distinct) >= _FEWEST_WORDS else None


def _words(text: str) -> list[bytes]:
    return text.lower().encode("utf-8", "surrogatepass").translate(_TO_WORDS).split()


def word_runs(text: str, weights: Mapping[str, float]) -> WordRuns:
    """Return the runs of a query's first words.

    Args:
        text: the query.
        weights: the weights of its terms, without stop words.
    """
    triples: dict[tuple[int, int, int], None] = {}
    pairs: dict[tuple[int, int], float] = {}
    single: dict[int, float] = {}
    for words in _segments(text):
        word_weights = [max((weights.get(term, 0.0) for term in terms_of_word(word)), default=0.0) for word in words]
        numbers = [crc32(word.encode("utf-8", "surrogatepass")) for word in words]
        single.update((number, weight) for number, weight in zip(numbers, word_weights, strict=True) if weight)
        for at, (one, other) in enumerate(pairwise(numbers)):
            if weight := word_weights[at] + word_weights[at + 1]:
                pairs[one, other] = weight
            if len(words) > at + 2:
                triples[one, other, numbers[at + 2]] = None
    return WordRuns(tuple(triples), tuple(pairs.items()), tuple(single.items()))


def _segments(text: str) -> list[list[str]]:
    """Return the words between the values of a query."""
    segments: list[list[str]] = [[]]
    for raw in text.split()[:_MOST_WORDS]:
        words = [word.decode("utf-8", "surrogatepass") for word in _words(raw)]
        if any(word.isdigit() for word in words) or "/" in raw.strip("/.,:;'\"`()") or not words:
            segments.append([])
        else:
            segments[-1].extend(words)
    return segments


def shares_of_runs(runs: WordRuns, texts: Sequence[Words]) -> NDArray[np.float64]:
    """Return the shares of triples, and the weighted shares of pairs and words, that each text contains.

    Args:
        runs: the runs of the query.
        texts: the texts as ``word_numbers`` reads them.

    Returns:
        Shape ``(len(texts), 3)``.
    """
    table = np.zeros((len(texts), 3))
    single = [word for word, _ in runs.words]
    words = np.array(sorted({word for run, _ in runs.pairs for word in run}.union(single, *runs.triples)), np.uintc)
    if not len(words):
        return table
    numbers = np.frombuffer(b"".join(texts), dtype=np.uintc)
    places, positions = _find_words(words, numbers)
    ends = np.array([*map(len, texts)]).cumsum() // numbers.itemsize
    for column, weighed in enumerate(([(run, 1.0) for run in runs.triples], runs.pairs)):
        if weighed:
            weighed_runs, shares = zip(*weighed, strict=True)
            starts, which = _starts_of_runs(words.searchsorted(weighed_runs), positions, places, len(words))
            holds = np.zeros((len(texts), len(weighed_runs)))
            holds[ends.searchsorted(starts, "right"), which] = 1
            table[:, column] = holds @ shares / sum(shares)
    if single:
        holds = np.zeros((len(texts), len(words)))
        holds[ends.searchsorted(places, "right"), positions] = 1
        weights = np.array([weight for _, weight in runs.words])
        table[:, 2] = holds[:, words.searchsorted(single)] @ weights / weights.sum()
    return table


def _find_words(words: NDArray[np.uintc], numbers: NDArray[np.uintc]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places of ``numbers`` that hold any of ``words``, which ascend, and the index of the word there."""
    # By half of their bits first: that leaves hardly any others, and takes a fifth of the time.
    halves = np.zeros(1 << 16, dtype=np.bool_)
    halves[words.view(np.uint16)[::2]] = True
    places = np.flatnonzero(halves.take(numbers.view(np.uint16)[::2]))
    return _matching_places(words, numbers[places], places)


def _starts_of_runs(
    runs: NDArray[np.intp], positions: NDArray[np.intp], places: NDArray[np.intp], count: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places where runs begin, and the index of the run that begins there.

    Args:
        runs: runs of one length, by their words' indices; shape ``(runs, length)``.
        positions: the words that were found, by their indices.
        places: the place of each of them, ascending.
        count: the number of all words.
    """
    length = runs.shape[1]
    digits = count ** np.arange(length)
    starts = np.flatnonzero(places[length - 1 :] - places[: max(len(places) - length + 1, 0)] == length - 1)
    # A run is as many places in a row; its words, as digits, make a number of it.
    numbers = positions[starts[:, None] + np.arange(length)] @ digits
    codes = runs @ digits
    order = codes.argsort()
    begins, which = _matching_places(codes[order], numbers, places[starts])
    return begins, order[which]


def _matching_places(
    wanted: NDArray[np.integer], values: NDArray[np.integer], places: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places of those values that are among ``wanted``, which ascend, and their indices in ``wanted``."""
    at = np.minimum(wanted.searchsorted(values), len(wanted) - 1)
    same = wanted[at] == values
    return places[same], at[same]
