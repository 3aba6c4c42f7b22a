"""Judges whether an answer is right, by its words and by the places that it cites. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from _answers_set import Question, Words

from training.asked_questions import Target

Verdict = Literal["right", "partly", "wrong", "rightly refused", "wrongly refused"]
VERDICTS: tuple[Verdict, ...] = ("right", "partly", "wrong", "rightly refused", "wrongly refused")

# Of the parts that an overview should name, the share that makes it right, and the share that makes it worth something.
_WHOLE, _HALF = 0.85, 0.5
# Of the calls that are known, who asks for the callers wants more than this share.
_CALLS = 0.49
_PLACE = re.compile(r"(?P<path>[\w./+-]+\.\w+):(?P<start>\d{1,7})(?:[-–](?P<end>\d{1,7}))?")
SHORT_HASH = 7
"""Hexadecimal digits that name a commit."""


@dataclass(frozen=True, slots=True)
class Place:
    """Lines that an answer points at, 1-based and inclusive, with what it quotes of them."""

    path: str
    start_line: int
    end_line: int
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """An answer as whoever asked sees it.

    Attributes:
        text: the answer.
        places: what it quotes or cites, in its order.
        known: whether it claims to answer.
    """

    text: str
    places: tuple[Place, ...]
    known: bool


def judge(question: Question, said: Said) -> Verdict:
    """Return what an answer is worth."""
    if not said.known:
        return "wrongly refused" if question.answerable else "rightly refused"
    if not question.answerable:
        return "wrong"
    seen = seen_text(said)
    worded = share_said(question.requires, seen) == 1
    if question.parts:
        return _overview(share_named(question.parts, seen), worded=worded)
    if not question.evidence and not question.commits:
        return "right" if worded else "wrong"
    rests = share_rested_on(question, said)
    if worded and rests > (_CALLS if question.kind == "callers" else 0):
        return "right"
    return "partly" if worded or rests else "wrong"


def _overview(share: float, *, worded: bool) -> Verdict:
    if share >= _WHOLE and worded:
        return "right"
    return "partly" if share >= _HALF else "wrong"


def seen_text(said: Said) -> str:
    """Return all that is seen of an answer: its text, and the paths and words that it cites."""
    return "\n".join([said.text, *(f"{place.path}\n{place.quote}" for place in said.places)])


def share_said(words: Words, text: str) -> float:
    """Return the share of the groups of which at least one stands in the text; 1 where there is no group.

    A word may be part of a longer one, in any case of letters; a number may not be part of a longer number.
    """
    plain = _plain(text)
    return _share(any(_stands(_plain(word), plain) for word in group) for group in words)


def share_named(parts: Words, text: str) -> float:
    """Return the share of the groups of which one stands in the text as a whole word; 1 where there is no group."""
    plain = _plain(text)
    return _share(any(_stands_whole(_plain(part), plain) for part in group) for group in parts)


def _share(held: Iterable[bool]) -> float:
    truths = list(held)
    return sum(truths) / len(truths) if truths else 1.0


def _stands(word: str, text: str) -> bool:
    if not word.isdecimal():
        return word in text
    return re.search(rf"(?<!\d)(?<!\d[.,]){word}(?![.,]?\d)", text) is not None


def _stands_whole(part: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) is not None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def share_rested_on(question: Question, said: Said) -> float:
    """Return the share of the evidence that an answer quotes or points at; 1 where it names a commit that answers."""
    if any(commit[:SHORT_HASH] in seen_text(said) for commit in question.commits):
        return 1.0
    places = (*said.places, *pointed_at(said.text))
    touched = [touches((target,), places) for target in question.evidence]
    return sum(touched) / len(touched) if touched else 0.0


def pointed_at(text: str) -> Iterator[Place]:
    """Yield the places that a text names, as in ``src/a.py:10`` and ``src/a.py:10-24``."""
    for found in _PLACE.finditer(text):
        start = int(found["start"])
        yield Place(found["path"], start, int(found["end"] or start))


def touches(evidence: Sequence[Target], places: Iterable[Place]) -> bool:
    """Return whether any place overlaps any of the evidence."""
    return any(target.holds(place.path, place.start_line, place.end_line) for place in places for target in evidence)
