"""From ranked chunks of prose to what is shown: neighbours as one passage, and a short section whole.

A chunk is the size that is found best; what is said around it is often what was asked for. Code stays as it is: there a
chunk is a definition, and is known by its name. Pure: chunks in, runs of chunks out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from math import ceil

from quaestor.chunking.languages import PROSE
from quaestor.passages import Chunk, Span
from quaestor.stores import StoredChunk

LARGEST = 2000
"""Bytes that a passage of several chunks may have: no more than one chunk may."""


@dataclass(slots=True)
class Run:
    """Neighbouring chunks of one document that are shown as one.

    Attributes:
        rank: the place, among all that were ranked, of the best of them.
        chunks: in the document's order; at least one.
    """

    rank: int
    chunks: tuple[StoredChunk, ...]

    @property
    def path(self) -> str:
        """The document's path."""
        return self.chunks[0].document.path

    @property
    def prose(self) -> bool:
        """Whether the document is prose."""
        return self.chunks[0].document.language in PROSE

    @property
    def size(self) -> int:
        """Bytes from the first to the last."""
        return self.chunks[-1].chunk.span.end - self.chunks[0].chunk.span.start

    def takes(self, other: Run) -> bool:
        """Return whether another run goes on where this one ends, and both together are no larger than allowed."""
        last, first = self.chunks[-1].chunk.span, other.chunks[0].chunk.span
        return last.end == first.start and self.size + other.size <= LARGEST


def joined(
    ranked: Sequence[StoredChunk], k: int, document: Callable[[str], Sequence[StoredChunk]]
) -> list[tuple[int, Chunk]]:
    """Return what up to ``k`` passages show, best first: the text of each, and the place of its best chunk.

    A chunk that touches a passage takes no place of its own, so that what is ranked further down comes up. Of one
    document of prose come at most so many passages that others have half of the places, as far as there are others.

    Args:
        ranked: chunks, best first, no chunk twice.
        k: how many passages.
        document: gives the chunks of a path in order.
    """
    shown = _Shown(document)
    waiting: list[Run] = []
    for run in (Run(rank, (stored,)) for rank, stored in enumerate(ranked)):
        if shown.absorbs(run):
            continue
        if shown.count == k:
            break
        if run.prose and len(shown.of(run.path)) >= ceil(k / 2):
            waiting.append(run)
        else:
            shown.add(run)
    for run in waiting:
        if shown.count < k and not shown.absorbs(run):
            shown.add(run)
    return [(run.rank, _chunk(run)) for run in shown.runs()]


class _Shown:
    """What is shown so far."""

    def __init__(self, document: Callable[[str], Sequence[StoredChunk]]) -> None:
        self._document = document
        self._runs: dict[str, list[Run]] = {}

    @property
    def count(self) -> int:
        return sum(map(len, self._runs.values()))

    def runs(self) -> list[Run]:
        """Return all of it, best first."""
        return sorted((run for runs in self._runs.values() for run in runs), key=lambda run: run.rank)

    def of(self, path: str) -> list[Run]:
        """Return what is shown of one document."""
        return self._runs.get(path, [])

    def absorbs(self, run: Run) -> bool:
        """Join a chunk to what it touches; return whether it is part of what is shown."""
        own = self.of(run.path)
        if any(run.chunks[0].id == one.id for other in own for one in other.chunks):
            return True
        grown = _together([*own, run]) if run.prose else []
        if not grown or len(grown) > len(own):
            return False
        self._runs[run.path] = grown
        return True

    def add(self, run: Run) -> None:
        """Show a chunk as a passage of its own."""
        own = self.of(run.path)
        self._runs[run.path] = [*own, _widened(run, own, self._document) if run.prose else run]


def _together(runs: Sequence[Run]) -> list[Run]:
    """Return runs with the last one joined to what it touches, and that to what it then touches."""
    *others, run = runs
    for other in others:
        first, second = sorted((other, run), key=lambda one: one.chunks[0].position)
        if first.takes(second):
            rest = [one for one in others if one is not other]
            return _together([*rest, Run(min(run.rank, other.rank), (*first.chunks, *second.chunks))])
    return list(runs)


def _widened(run: Run, others: Sequence[Run], document: Callable[[str], Sequence[StoredChunk]]) -> Run:
    """Return the whole section of a chunk where that is short, and shown nowhere else."""
    [stored] = run.chunks
    siblings = document(stored.document.path)
    at = stored.position
    if stored.chunk.kind != "section" or at >= len(siblings) or siblings[at].id != stored.id:
        return run
    before = [*takewhile(lambda one: _names(one) == _names(stored), reversed(siblings[:at]))]
    after = [*takewhile(lambda one: _names(one) == _names(stored), siblings[at + 1 :])]
    section = Run(run.rank, (*reversed(before), stored, *after))
    whole = all(one.chunk.span.end == other.chunk.span.start for one, other in pairwise(section.chunks))
    taken = {one.id for other in others for one in other.chunks}
    apart = taken.isdisjoint(one.id for one in section.chunks)
    return section if whole and apart and section.size <= LARGEST else run


def _chunk(run: Run) -> Chunk:
    """Return the chunks of a run as one, under the headings that are above them all."""
    chunks = [stored.chunk for stored in run.chunks]
    if len(chunks) == 1:
        return chunks[0]
    first, last = chunks[0], chunks[-1]
    names = _common([_names(stored) for stored in run.chunks]) or _names(run.chunks[0])
    return Chunk(
        Span(first.span.start, last.span.end, first.span.start_line, last.span.end_line),
        "".join(chunk.text for chunk in chunks),
        names[-1] if names else None,
        "section" if names else "block",
        names[:-1],
        tuple(dict.fromkeys(name for chunk in chunks for name in chunk.defines)),
    )


def _names(stored: StoredChunk) -> tuple[str, ...]:
    chunk = stored.chunk
    return chunk.scope if chunk.symbol is None else (*chunk.scope, chunk.symbol)


def _common(all_names: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the headings that all begin with."""
    columns = takewhile(lambda column: len(set(column)) == 1, zip(*all_names, strict=False))
    return tuple(column[0] for column in columns)
