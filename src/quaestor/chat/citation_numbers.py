"""Numbers of citations in one session: a cited passage keeps its number in all later turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count

from quaestor.core.citation import Citation
from quaestor.core.messages import Message
from quaestor.core.passages import Hit
from quaestor.llm.prompts.numbered_passages import Passage, number

# A mark of four digits is not read as a citation.
_HIGHEST = 999
_MARKED = re.compile(r"[\[【]\D{0,12}(\d{1,3})(?!\d)")

Place = tuple[str, int, int]


class Numbering:
    """Gives passages their numbers.

    Args:
        cited: passages that earlier answers cite, oldest first.
        marked: numbers that earlier answers use, whatever they cite.
    """

    def __init__(self, cited: Iterable[Passage] = (), marked: Iterable[int] = ()) -> None:
        self._cited: dict[Place, Passage] = {}
        self._marked = frozenset(marked)
        for passage in cited:
            self._remember(passage)

    @property
    def cited(self) -> tuple[Passage, ...]:
        """Passages that answers of this session cite, oldest first."""
        return tuple(self._cited.values())

    def passages(self, hits: Sequence[Hit]) -> tuple[Passage, ...]:
        """Return hits as passages under numbers that mean nothing else in this session."""
        return self.numbered(number(hits))

    def numbered(self, passages: Sequence[Passage], shown: Sequence[Passage] = ()) -> tuple[Passage, ...]:
        """Return passages under numbers that mean nothing else in this session, nor among those ``shown`` before."""
        before = {_place(passage): passage.n for passage in shown}
        taken = {passage.n for passage in self._cited.values()} | set(before.values()) | self._marked
        free = (n for n in count(1) if n not in taken)
        numbers = {**{place: passage.n for place, passage in self._cited.items()}, **before}
        return tuple(replace(passage, n=numbers.get(_place(passage)) or next(free)) for passage in passages)

    def remember(self, citations: Sequence[Citation], passages: Sequence[Passage]) -> tuple[Passage, ...]:
        """Keep the numbers of the passages that an answer cites, and return those passages."""
        numbers = {citation.n for citation in citations}
        cited = tuple(passage for passage in passages if passage.n in numbers)
        for passage in cited:
            self._remember(passage)
        return cited

    def _remember(self, passage: Passage) -> None:
        self._cited[_place(passage)] = passage
        # Far more than a window shows: the one cited first gives its number up.
        if len(self._cited) > _HIGHEST // 2:
            del self._cited[next(iter(self._cited))]


def marked(messages: Sequence[Message]) -> frozenset[int]:
    """Return the numbers that the latest answers seem to cite by.

    A conversation that was held elsewhere does not say what its numbers meant, so they shall mean nothing else here.
    """
    found: set[int] = set()
    for message in reversed(messages):
        if message.role == "assistant":
            found.update(int(number) for number in _MARKED.findall(message.content))
        if len(found) > _HIGHEST // 3:
            break
    return frozenset(found)


def _place(passage: Passage) -> Place:
    return passage.path, passage.start_line, passage.end_line
