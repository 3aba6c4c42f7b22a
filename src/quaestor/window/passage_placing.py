"""Passages: shown in one message before the question, as many as fit, none paid for twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.core.messages import Message
from quaestor.llm.prompts import load
from quaestor.llm.prompts.numbered_passages import Passage, number, show
from quaestor.window.trim import trim
from quaestor.window.window_values import Action, PassageLike

NAME = "passages"
# Less than this of a passage, in tokens, is not worth showing.
_LEAST = 60
# So much of a passage's beginning tells that it is the one that was cut short.
_BEGINNING = 60

DOUBLE = "already in the window, in a message"
REPEATED = "the same text stands in an earlier passage"
EMPTY = "it has no text"
PLACED = "shown before the newest question"
TRIMMED = "cut short: only a part of it fits the passages' share"
NO_ROOM = "does not fit the passages' share"

Outcome = tuple[Action, str]


class Placement(NamedTuple):
    """The passages that fit a budget.

    Attributes:
        message: what shows them, or None if none fits.
        tokens: what the message takes.
        shown: each passage as it is shown, None where it is not; in the order given.
        outcomes: each passage's action and reason.
    """

    message: Message | None
    tokens: int
    shown: tuple[str | None, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def is_crowded(self) -> bool:
        """Whether a larger budget would show more."""
        return any(reason in (TRIMMED, NO_ROOM) for _, reason in self.outcomes)


def text_of_passage(passage: PassageLike) -> str:
    """Return a passage's own text."""
    return (passage if isinstance(passage, str) else passage.text).rstrip("\r\n")


def passage_writers(passages: Sequence[PassageLike]) -> list[Callable[[str], str]]:
    """Return, for each passage, what puts its words, whole or cut short, into the form that a model reads."""
    return [_passage_writer(passage, place) for place, passage in enumerate(passages, 1)]


def _passage_writer(passage: PassageLike, place: int) -> Callable[[str], str]:
    if isinstance(passage, str):
        return lambda text: text
    numbered: Passage = number([passage], first=place)[0] if isinstance(passage, Hit) else passage
    return lambda text: show(replace(numbered, text=text))


def message_of(shown: Iterable[str]) -> Message:
    """Return the message with passages.

    It has the user's role, not the system's: a document's words carry no authority.
    """
    return Message("user", load("passages").render(passages="\n".join(shown)), name=NAME)


def passages_in_messages(passages: Sequence[PassageLike], messages: Sequence[Message]) -> frozenset[int]:
    """Return the numbers of the passages in ``messages``, including those cut short."""
    indexes: set[int] = set()
    for place, passage in enumerate(passages):
        words = text_of_passage(passage)
        if not words.strip():
            continue
        beginning = words[:_BEGINNING]
        if any(
            words in message.content or (message.name == NAME and beginning in message.content) for message in messages
        ):
            indexes.add(place)
    return frozenset(indexes)


class PassagePlacer:
    """Fits passages into budgets.

    Args:
        passages: best first.
        count: tokens of a message.
        mark: ends a passage that is cut short.
    """

    def __init__(self, passages: Sequence[PassageLike], count: Callable[[Message], int], mark: str) -> None:
        self._words = [text_of_passage(passage) for passage in passages]
        self._showing = passage_writers(passages)
        self._count = count
        self._mark = mark

    def place(self, budget: int, left_out: frozenset[int] = frozenset(), *, trimming: bool = True) -> Placement:
        """Return the passages that fit, in order; the first one that does not is cut short.

        Args:
            budget: tokens for the whole message.
            left_out: numbers of passages that are in the window otherwise.
            trimming: whether a passage may be cut short.
        """
        shown: list[str | None] = []
        outcomes: list[Outcome] = []
        for place, words in enumerate(self._words):
            text: str | None = None
            if place in left_out:
                outcome: Outcome = ("dropped", DOUBLE)
            elif not words.strip():
                outcome = ("dropped", EMPTY)
            elif words in self._words[:place]:
                outcome = ("dropped", REPEATED)
            else:
                text, outcome = self._fit(place, shown, budget, trimming)
            trimming = trimming and outcome[0] != "trimmed"
            shown.append(text)
            outcomes.append(outcome)
        texts = _without_missing(shown)
        return Placement(message_of(texts) if texts else None, self._tokens(texts), tuple(shown), tuple(outcomes))

    def full_tokens(self, place: int) -> int:
        """Return the tokens of a whole passage, alone in its message."""
        return self._tokens([self._showing[place](self._words[place])])

    def _fit(self, place: int, shown: Sequence[str | None], budget: int, trimming: bool) -> tuple[str | None, Outcome]:
        show_words, words, before = self._showing[place], self._words[place], _without_missing(shown)

        def count(text: str) -> int:
            return self._tokens([*before, show_words(text)])

        if count(words) <= budget:
            return show_words(words), ("kept", PLACED)
        if trimming and budget - count("") >= _LEAST:
            cut = trim(words, budget, count, self._mark)
            if cut is not None:
                return show_words(cut), ("trimmed", TRIMMED)
        return None, ("dropped", NO_ROOM)

    def tokens_of(self, shown: Sequence[str | None]) -> int:
        """Return the tokens of a message with these passages; 0 without any."""
        return self._tokens(_without_missing(shown))

    def _tokens(self, texts: Sequence[str]) -> int:
        return self._count(message_of(texts)) if texts else 0


def _without_missing(shown: Iterable[str | None]) -> list[str]:
    return [text for text in shown if text is not None]
