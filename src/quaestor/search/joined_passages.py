"""Joins ranked chunks into passages: neighbours become one, and a short chunk of prose gets what surrounds it.

Chunks have the size that is found best, but the answer is often in the text around them. Code is joined only to chunks
found beside it, except for the first passage, which gets the rest of its definition. A passage of code keeps the
name of its best chunk. Pure: chunks in, runs of chunks out.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice, pairwise, takewhile
from math import ceil, inf

from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Chunk, Span
from quaestor.core.light_imports import NamedTuple
from quaestor.stores import StoredChunk

LARGEST = 2000
"""The most bytes of a passage of several chunks."""

LARGEST_CODE = 1300
"""The same for code among the first ``JOINED`` passages, so that ten passages take no more room than ten chunks."""

JOINED = 4
"""The number of first passages of code that are joined with other hits beside them."""

DEFINITION = 3000
"""The most bytes up to which the first passage is extended to its whole definition."""

ENOUGH = 1000
"""A passage of fewer bytes is shown with what surrounds it."""

_SECTIONS_APART = (".mbox", ".odp", ".ods", ".pptx", ".xlsx")
"""Documents whose top sections are slides, sheets or mails. A passage holds only one of them, because its citation
names it."""

LED = 3000
"""The most bytes of a passage of prose that is shown with what its last line announces."""

# "The following options are available:" or "1. **Options**:", and headings; no labels, references or fields.
_LEADING_ON = re.compile(r"(?!\.\. _|:|\[)[^\w\n]*\w[^\n]*[:：][*_`]*|\.\. [\w-]+::[^\n]*|(?:#{1,6}|={2,6}) [^\n]*")

_ITEM = 600
"""The most bytes of an item where a list was cut item by item."""


class ChunkRun(NamedTuple):
    """Neighbouring chunks of one document that are shown as one.

    Attributes:
        rank: the rank of its best chunk.
        chunks: the chunks in the document's order, at least one.
        names: the headings common to all of its chunks that were found, outermost first.
        main: its best chunk.
    """

    rank: int
    chunks: tuple[StoredChunk, ...]
    names: tuple[str, ...]
    main: StoredChunk

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
        return _size(self.chunks)

    def can_join(self, other: ChunkRun) -> bool:
        """Return whether another run begins where this one ends, and both are shown as one.

        Together they must not be too large. A section of prose is joined to a better one after it only if that is a
        part of it, so that a passage begins with the best chunk.
        """
        last, first = self.chunks[-1].chunk.span, other.chunks[0].chunk.span
        if last.end != first.start or _on_different_pages(self.chunks[-1], other.chunks[0]):
            return False
        # One service of a configuration file is not read with the next one.
        keyed = "key" in (self.main.chunk.kind, other.main.chunk.kind)
        if keyed and _common(self.names, other.names) not in (self.names, other.names):
            return False
        if self.size + other.size > (LARGEST if self.prose else LARGEST_CODE):
            return False
        return not self.prose or self.rank < other.rank or self.names == other.names


def join_passages(
    ranked: Iterable[StoredChunk], k: int, document: Callable[[str], Sequence[StoredChunk]]
) -> list[tuple[int, Chunk]]:
    """Return what up to ``k`` passages show, best first: the text of each, and the place of its best chunk.

    A chunk that touches a passage takes no place of its own, so lower-ranked ones move up. One document of prose gets
    at most half of the places while other documents have passages.

    Args:
        ranked: the chunks, best first, without duplicates.
        k: the most passages.
        document: returns the chunks of a path in order.
    """
    shown = _ShownPassages(document)
    waiting: list[ChunkRun] = []
    for run in (ChunkRun(rank, (stored,), _names(stored), stored) for rank, stored in enumerate(ranked)):
        if shown.join_chunk(run):
            continue
        if shown.count == k:
            break
        if run.prose and len(shown.of(run.path)) >= ceil(k / 2):
            waiting.append(run)
        else:
            shown.add(run)
    for run in waiting:
        if shown.count < k and not shown.join_chunk(run):
            shown.add(run)
    shown.fill()
    return [(run.rank, _chunk(run)) for run in shown.runs()]


class _ShownPassages:
    """The passages so far."""

    def __init__(self, document: Callable[[str], Sequence[StoredChunk]]) -> None:
        self._document = document
        self._runs: dict[str, list[ChunkRun]] = {}
        self._last_joined = inf  # the rank of the last passage that code is joined to

    @property
    def count(self) -> int:
        return sum(map(len, self._runs.values()))

    def runs(self) -> list[ChunkRun]:
        """Return all runs, best first."""
        return sorted((run for runs in self._runs.values() for run in runs), key=lambda run: run.rank)

    def of(self, path: str) -> list[ChunkRun]:
        """Return the runs of one document."""
        return self._runs.get(path, [])

    def join_chunk(self, run: ChunkRun) -> bool:
        """Join a chunk to the run that it touches; return whether it is shown now."""
        own = self.of(run.path)
        if not own:
            return False
        if any(run.chunks[0].id == one.id for other in own for one in other.chunks):
            return True
        open_to_it = [other for other in own if run.prose or other.rank <= self._last_joined]
        grown = _merge_touching([*open_to_it, run])
        if len(grown) > len(open_to_it):
            return False
        self._runs[run.path] = [*grown, *(other for other in own if other not in open_to_it)]
        return True

    def add(self, run: ChunkRun) -> None:
        """Show a chunk as a separate passage."""
        own = self.of(run.path)
        if run.prose:
            run = _whole_section(run, own, self._document)
        elif not self._runs:
            run = _with_rest_of_definition(run, self._document)
        self._runs[run.path] = [*own, run]
        if self.count == JOINED:
            self._last_joined = run.rank

    def fill(self) -> None:
        """Extend each short passage by what surrounds it and what its last line introduces, the best passages first."""
        for run in self.runs():
            if run.prose and (run.size < ENOUGH or _announces_more(run)):
                others = [other for other in self.of(run.path) if other is not run]
                filled = _with_neighbours(run, others, self._document) if run.size < ENOUGH else run
                self._runs[run.path] = [*others, _with_what_follows(filled, others, self._document)]


def _merge_touching(runs: Sequence[ChunkRun]) -> list[ChunkRun]:
    """Return runs with the last one joined to any that it touches, repeatedly."""
    *others, run = runs
    for other in others:
        first, second = (run, other) if run.chunks[0].position < other.chunks[0].position else (other, run)
        if first.can_join(second):
            rest = [one for one in others if one is not other]
            names = _common(first.names, second.names) or first.names
            best = min(run, other, key=lambda one: one.rank)
            return _merge_touching([*rest, ChunkRun(best.rank, (*first.chunks, *second.chunks), names, best.main)])
    return list(runs)


def _whole_section(
    run: ChunkRun, others: Sequence[ChunkRun], document: Callable[[str], Sequence[StoredChunk]]
) -> ChunkRun:
    """Return the chunk's section, without parts that are shown already, if it is short; else the chunk."""
    [stored] = run.chunks
    if stored.chunk.kind != "section":
        return run
    before, after = _free_neighbours(run, others, document)
    above = [*takewhile(lambda one: _names(one) == _names(stored), before)]
    below = [*takewhile(lambda one: _names(one) == _names(stored), after)]
    section = ChunkRun(run.rank, (*reversed(above), stored, *below), run.names, stored)
    return section if section.size <= LARGEST else run


def _with_rest_of_definition(run: ChunkRun, document: Callable[[str], Sequence[StoredChunk]]) -> ChunkRun:
    """Return a passage of code with the rest of its definition and its members, as far as they fit."""
    names = _names(run.main)
    before, after = _free_neighbours(run, (), document)
    shown = deque(run.chunks)
    for more, add in ((after, shown.append), (before, shown.appendleft)):
        for one in more:
            if _names(one)[: len(names)] != names or _size(shown) + _size([one]) > DEFINITION:
                break
            add(one)
    return ChunkRun(run.rank, tuple(shown), run.names, run.main)


def _with_neighbours(
    run: ChunkRun, others: Sequence[ChunkRun], document: Callable[[str], Sequence[StoredChunk]]
) -> ChunkRun:
    """Return a passage with neighbours added until there is enough to read.

    Following chunks are added first. A preceding chunk is added only if it is of the same section, so that nobody has
    to read the end of another section first.
    """
    before, after = _free_neighbours(run, others, document)
    above, below = next(before, None), next(after, None)
    if _is_item(run, [one for one in (above, below) if one is not None]):
        return run
    shown = deque(run.chunks)
    while _size(shown) < ENOUGH:
        if below is not None and _size(shown) + _size([below]) <= LARGEST:
            shown.append(below)
            below = next(after, None)
        elif above is not None and _names(above) == _names(shown[0]) and _size(shown) + _size([above]) <= LARGEST:
            shown.appendleft(above)
            above = next(before, None)
        else:
            break
    return ChunkRun(run.rank, tuple(shown), run.names, run.main)


def _with_what_follows(
    run: ChunkRun, others: Sequence[ChunkRun], document: Callable[[str], Sequence[StoredChunk]]
) -> ChunkRun:
    """Return a passage, with the text that its last line introduces if that fits."""
    if not _announces_more(run):
        return run
    _, after = _free_neighbours(run, others, document)
    longer = run._replace(chunks=(*run.chunks, *islice(after, 1)))
    return longer if longer.size <= LED else run


def _announces_more(run: ChunkRun) -> bool:
    """Return whether the last line of a passage introduces what follows."""
    return _LEADING_ON.fullmatch(run.chunks[-1].chunk.text.rstrip().rpartition("\n")[2].strip()) is not None


def _free_neighbours(
    run: ChunkRun, others: Sequence[ChunkRun], document: Callable[[str], Sequence[StoredChunk]]
) -> tuple[Iterator[StoredChunk], Iterator[StoredChunk]]:
    """Return the chunks before and after a run, nearest first, up to a gap or a chunk that is shown already."""
    first, last = run.chunks[0], run.chunks[-1]
    siblings = document(run.path)
    # What a document had when it was searched may not be what it has now.
    if [one.id for one in siblings[first.position : last.position + 1]] != [one.id for one in run.chunks]:
        return iter(()), iter(())
    used_chunks = {one.id for other in others for one in other.chunks}
    above, below = reversed(siblings[: first.position]), siblings[last.position + 1 :]
    return _until_gap(first, above, used_chunks), _until_gap(last, below, used_chunks)


def _until_gap(
    start: StoredChunk, others: Iterable[StoredChunk], used_chunks: AbstractSet[int]
) -> Iterator[StoredChunk]:
    for one, other in pairwise(chain([start], others)):
        if (
            other.id in used_chunks
            or not _are_adjacent(one.chunk.span, other.chunk.span)
            or _on_different_pages(one, other)
        ):
            break
        yield other


def _is_item(run: ChunkRun, neighbours: Sequence[StoredChunk]) -> bool:
    """Return whether a run is one item of a long list, and so unrelated to its neighbours."""
    [stored, *more] = run.chunks
    return (
        not more
        and run.size <= _ITEM
        and any(_names(one) == _names(stored) and _size([one]) <= _ITEM for one in neighbours)
    )


def _on_different_pages(one: StoredChunk, other: StoredChunk) -> bool:
    """Return whether two chunks of one document are of different slides or sheets."""
    return one.document.path.lower().endswith(_SECTIONS_APART) and _names(one)[:1] != _names(other)[:1]


def _are_adjacent(one: Span, other: Span) -> bool:
    return one.end == other.start or other.end == one.start


def _size(chunks: Sequence[StoredChunk]) -> int:
    """Return the bytes from the first to the last."""
    return chunks[-1].chunk.span.end - chunks[0].chunk.span.start


def _chunk(run: ChunkRun) -> Chunk:
    """Return a run as one chunk: prose is named for its common headings, code for its best chunk."""
    if len(run.chunks) == 1:
        return run.chunks[0].chunk
    chunks = [stored.chunk for stored in run.chunks]
    first, last, names = chunks[0], chunks[-1], run.names
    whole = Span(first.span.start, last.span.end, first.span.start_line, last.span.end_line)
    text = "".join(chunk.text for chunk in chunks)
    defines = tuple(dict.fromkeys(name for chunk in chunks for name in chunk.defines))
    if not run.prose:
        return run.main.chunk._replace(span=whole, text=text, defines=defines)
    kind = "section" if names else "block"
    return Chunk(whole, text, names[-1] if names else None, kind, names[:-1], defines)


def _names(stored: StoredChunk) -> tuple[str, ...]:
    chunk = stored.chunk
    return chunk.scope if chunk.symbol is None else (*chunk.scope, chunk.symbol)


def _common(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """Return the headings that both begin with."""
    columns = takewhile(lambda column: len(set(column)) == 1, zip(one, other, strict=False))
    return tuple(column[0] for column in columns)
