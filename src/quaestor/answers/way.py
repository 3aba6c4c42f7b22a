"""The interface of a way of answering: a function from a question to an answer, or None."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.corpus import Corpus


class Question(NamedTuple):
    """A question with its context.

    Attributes:
        text: the user's words.
        earlier: the user's earlier questions in this conversation, oldest first.
    """

    text: str
    earlier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WayAnswer:
    """An answer that one way gives.

    Attributes:
        way: the way's name, as ``overview``.
        pieces: Markdown, in order; a number stands for the citation mark of that hit, counted from 0.
        hits: the hits that the answer cites, best first; a model reads them to answer in its own words.
        known: whether it answers; False if the way knows that the corpus does not hold the answer.
        search: whether a model should read a search's hits as well; False if the question names nothing.
    """

    way: str
    pieces: tuple[str | int, ...]
    hits: tuple[Hit, ...] = ()
    known: bool = True
    search: bool = True

    def text(self, numbers: Sequence[int]) -> str:
        """Return the answer with its citation marks; ``numbers`` are the hits' numbers, in their order."""
        return "".join(piece if isinstance(piece, str) else f"[{numbers[piece]}]" for piece in self.pieces)


Way: TypeAlias = Callable[[Question, Corpus], WayAnswer | None]
"""Answers a question of its kind; returns None for any other, and quickly, since every way is asked in turn."""
