"""Decides whether a passage supports the claim of a sentence that quotes nothing.

No model is asked, so the measure is cautious: it would rather call a true claim unsupported than a false one supported.
Numbers, names and code in the claim must all be in the passage; most of its other words must be close together there;
and one must not deny what the other asserts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import content_terms, find_words

_WINDOW = 5
_LEAST_SHARE = 0.7
_LEAST_TERMS = 3
_COUNTING = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBER_WORDS = {word: str(value) for value, word in enumerate(_COUNTING.split())}
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")
_CODE = re.compile(r"`([^`\n]+)`")
_NAME = re.compile(r"\b(?:[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]{2,}\w*)\b")
_PROPER = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b")
_STOP = re.compile(r"(?<![.;!?])[.;!?]+(?:\s|$)")
_DENIAL = re.compile(r"\b(?:not|never|no|none|nothing|cannot|without|neither|nor)\b|n['’]t\b", re.IGNORECASE)


class Support(NamedTuple):
    """The lines that hold a claim.

    Attributes:
        first: index of the first line, from 0.
        last: index of the last line, inclusive.
        share: the share of the claim's words that these lines hold, 0 to 1.
    """

    first: int
    last: int
    share: float


class Ground:
    """The lines of a passage, prepared once for all the claims that are compared with them.

    Args:
        lines: the passage's lines.
        label: the path, title and symbol of the passage, whose names count as part of it.

    Attributes:
        lowered: the whole text in lower case.
        numbers: the numbers in it, in digits.
        label_terms: the stems of the label's words.
    """

    def __init__(self, lines: Sequence[str], label: str = "") -> None:
        self.lines = lines
        source = "\n".join((*lines, label))
        self.lowered = source.lower()
        self.numbers = set(_NUMBER.findall(source)) | spelled_numbers(self.lowered)
        self.label_terms = content_terms(label)

    @cached_property
    def terms(self) -> list[frozenset[str]]:
        """The stems of each line's words."""
        return [content_terms(line) for line in self.lines]

    @cached_property
    def all_terms(self) -> frozenset[str]:
        """The stems of the words of its label and of every line."""
        return self.label_terms.union(*self.terms)


def find_support(claim: str, ground: Ground) -> Support | None:
    """Return the lines of a passage that support a claim, which has no citation marks; None if none do."""
    wanted = content_terms(claim)
    if not wanted or not _holds_names(claim, ground):
        return None
    in_label = ground.label_terms & wanted
    lines, shared_terms = ground.lines, [terms & wanted for terms in ground.terms]
    best = max(range(len(lines)), key=lambda at: len(_union(shared_terms[at : at + _WINDOW])), default=0)
    in_lines = _union(shared_terms[best : best + _WINDOW])
    share = len(in_lines | in_label) / len(wanted)
    if share < _LEAST_SHARE or len(in_lines) < min(_LEAST_TERMS, len(wanted)):
        return None
    inside = [at for at in range(best, min(best + _WINDOW, len(lines))) if shared_terms[at]]
    strongest = max(inside, key=lambda at: len(shared_terms[at]))
    if denies(claim) != denies(_sentence_around(lines, strongest, wanted)):
        return None
    return Support(inside[0], inside[-1], share)


def _union(term_sets: Sequence[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*term_sets)


def _sentence_around(lines: Sequence[str], at: int, wanted: frozenset[str]) -> str:
    """Return the sentence in a line that holds most of the wanted words; it may extend one line in either direction."""
    nearby = " ".join(lines[max(0, at - 1) : at + 2])
    return max(_STOP.split(nearby), key=lambda sentence: len(content_terms(sentence) & wanted))


def denies(text: str) -> bool:
    """Return whether a text says that something is not so."""
    return _DENIAL.search(text) is not None


def _holds_names(claim: str, ground: Ground) -> bool:
    """Return whether every number, name and piece of code of a claim stands in a passage."""
    wanted = numbers_of(claim) | (spelled_numbers(_CODE.sub(" ", claim).lower()) - {"1"})
    return wanted <= ground.numbers and all(name.lower() in ground.lowered for name in names_of(claim))


def numbers_of(text: str) -> set[str]:
    """Return the numbers that stand in a text in digits, outside its code."""
    return set(_NUMBER.findall(_CODE.sub(" ", text)))


def names_of(text: str) -> list[str]:
    """Return the names in a text, and its code."""
    plain = _CODE.sub(" ", text)
    code = [name.strip().removesuffix("()") for name in _CODE.findall(text)]
    return [*code, *_NAME.findall(plain), *_PROPER.findall(plain)]


def spelled_words(text: str) -> list[str]:
    """Return the words of a text that spell a number out."""
    return [word for word in find_words(text) if word.lower() in _NUMBER_WORDS]


def spelled_numbers(lower_text: str) -> set[str]:
    """Return the numbers that a text in lower case spells out, in digits."""
    return {_NUMBER_WORDS[word] for word in spelled_words(lower_text)}
