"""The lexical index on disk: BM25 over given terms, in segments of postings.

A small state file lists the valid segments. It is replaced atomically, so a reader sees the old state or the new one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import KEY_BYTES
from quaestor.stores import ChunkTerms
from quaestor.stores.embedded.checksums import DamagedError, DamageHandler, ignore, seal, unseal
from quaestor.stores.embedded.derived_files import Flush, Mark, discard
from quaestor.stores.embedded.postings import FIELDS, MOST_ROWS, Keys, Segment
from quaestor.stores.embedded.sqlite_rows import DocumentTerms, RemovedRun

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MOST_LENGTH = (1 << 16) - 1
_MOST_COUNT = (1 << 8) - 1
_ROW_BITS = MOST_ROWS.bit_length() - 1
_COUNT_BITS = _MOST_COUNT.bit_length()

Codes: TypeAlias = "NDArray[np.int64]"


def count_terms(chunks: Sequence[ChunkTerms]) -> Segment:
    """Return a segment of some chunks' terms, with positions in place of identifiers."""
    every = [field for chunk in chunks for field in chunk]
    lengths = np.array(list(map(len, every)), dtype=np.int64) // KEY_BYTES
    rows, fields = np.divmod(np.repeat(np.arange(len(lengths)), lengths), len(FIELDS))
    packed_counts = np.frombuffer(b"".join(every), dtype="<u8") + fields.astype(np.uint64)
    keys = _distinct(packed_counts)
    codes = np.searchsorted(keys, packed_counts) << _ROW_BITS | rows
    codes.sort()
    firsts = np.flatnonzero(_differs(codes))
    counts = np.diff(firsts, append=len(codes))
    by_field = np.minimum(lengths.reshape(len(chunks), len(FIELDS)).T, _MOST_LENGTH)
    return _segment(np.arange(len(chunks)), by_field, keys, codes[firsts], counts)


def runs(segments: Iterable[Segment], rows: int) -> Iterator[list[Segment]]:
    """Yield groups of neighbouring segments that together have at most ``rows`` chunks; a larger one alone."""
    run: list[Segment] = []
    for segment in segments:
        if run and sum(len(one.chunks) for one in run) + len(segment.chunks) > rows:
            yield run
            run = []
        run.append(segment)
    if run:
        yield run


def merge_segments(segments: Sequence[Segment], alive: Sequence[NDArray[np.bool_]]) -> Segment:
    """Merge segments, without deleted chunks; identifiers ascend from one segment to the next."""
    keys = _distinct(np.concatenate([segment.keys for segment in segments]))
    codes: list[Codes] = []
    before = 0
    for segment, exists in zip(segments, alive, strict=True):
        ranks = np.repeat(np.searchsorted(keys, segment.keys), np.diff(segment.starts))
        places = np.cumsum(exists) - 1 + before
        own = (ranks << _ROW_BITS | places[segment.places]) << _COUNT_BITS | segment.counts
        codes.append(own if exists.all() else own[exists[segment.places]])
        before += int(np.count_nonzero(exists))
    every = np.concatenate(codes)
    every.sort()
    return _segment(
        np.concatenate([segment.chunks[exists] for segment, exists in zip(segments, alive, strict=True)]),
        np.concatenate([segment.lengths[:, exists] for segment, exists in zip(segments, alive, strict=True)], axis=1),
        keys,
        every >> _COUNT_BITS,
        every & _MOST_COUNT,
    )


def _distinct(keys: Keys) -> Keys:
    """Return keys in ascending order, without duplicates."""
    ascending = np.sort(keys)  # np.unique would import NumPy's masked arrays, which takes as long as a small index
    distinct: Keys = ascending[_differs(ascending)]
    return distinct


def _differs(ascending: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return whether each number differs from the one before."""
    differs = np.ones(len(ascending), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=differs[1:])
    return differs


def _segment(
    chunks: NDArray[np.int64], lengths: NDArray[np.integer], keys: Keys, codes: Codes, counts: NDArray[np.int64]
) -> Segment:
    """Return a segment of sorted postings; a code combines the rank of a key and, below it, the place of a chunk."""
    postings = np.bincount(codes >> _ROW_BITS, minlength=len(keys))
    used = np.flatnonzero(postings)
    return Segment(
        chunks,
        lengths.astype(np.uint16),
        keys[used],
        np.concatenate([[0], np.cumsum(postings[used])]).astype(np.uint32),
        (codes & (MOST_ROWS - 1)).astype(np.uint16),
        np.minimum(counts, _MOST_COUNT).astype(np.uint8),
    )


def recent_segments(entries: Iterable[DocumentTerms]) -> list[Segment]:
    """Return recent chunks, given as their terms by document, as segments in memory beside those on disk."""
    return [
        merge_segments(run, [np.ones(len(one.chunks), dtype=np.bool_) for one in run])
        for run in runs((entry.segment for entry in entries), MOST_ROWS)
    ]


FOLDER = "lexical"
STATE = "state"
SUFFIX = ".postings"

_GATHERED_ROWS = 1 << 14
"""The number of chunks that are gathered for a new segment; more would take more memory and save no time."""
_FALLING = 8
"""Neighbouring segments are merged unless the earlier has this many times the chunks of the later, so there are few."""


class Statistics(NamedTuple):
    """The totals of the whole index that BM25 needs.

    Attributes:
        chunks: the number of chunks, without deleted ones that still take space.
        lengths: the number of their terms in each field.
    """

    chunks: int
    lengths: Mapping[str, int]


class LexicalBase(NamedTuple):
    """The last published state of the lexical index; immutable.

    Attributes:
        mark: the state of the database from which it was made.
        statistics: the totals of its segments.
        names: the names of the segments' files.
        checksums: the checksum of each file.
        segments: the segments; identifiers of chunks ascend from one to the next.
        alive: for each segment, which of its chunks exist; None if all do.
    """

    mark: Mark
    statistics: Statistics
    names: Sequence[str]
    checksums: Sequence[int]
    segments: Sequence[Segment]
    alive: Sequence[NDArray[np.bool_] | None]

    @classmethod
    def load(cls, folder: Path, *, whole: bool = False, on_damage: DamageHandler = ignore) -> LexicalBase | None:
        """Return the last published state; None if it is missing or damaged.

        Args:
            folder: the store's folder.
            whole: whether to check all postings now, and not only when they are read.
            on_damage: called if a file is damaged or of another version.
        """
        for _ in range(3):
            try:
                return cls._load(folder / FOLDER, whole=whole)
            except FileNotFoundError:
                # Segments were merged between reading the state and mapping the files: read the state again.
                continue
            except (OSError, ValueError, KeyError, TypeError):
                break
        if (folder / FOLDER / STATE).exists():
            on_damage(FOLDER)
        return None

    @classmethod
    def _load(cls, place: Path, *, whole: bool) -> LexicalBase:
        head, _, bitmap = unseal((place / STATE).read_bytes()).partition(b"\n")
        state = json.loads(head)
        names, checksums = [[one[at] for one in state["segments"]] for at in (0, 1)]
        segments = [Segment.map(place / name, checksum) for name, checksum in zip(names, checksums, strict=True)]
        if whole:
            for segment in segments:
                segment.check()
        ends = np.cumsum([len(segment.chunks) for segment in segments], dtype=np.int64)
        rows = int(ends[-1]) if len(ends) else 0
        alive = np.unpackbits(np.frombuffer(bitmap, dtype=np.uint8), count=rows).view(np.bool_)
        if np.count_nonzero(alive) != state["statistics"]["chunks"]:
            raise DamagedError("the files are not those that the state file lists")
        each = [None if part.all() else part for part in np.split(alive, ends[:-1])] if segments else []
        return cls(Mark.read(state["mark"]), Statistics(**state["statistics"]), names, checksums, segments, each)


def lengths_of(segment: Segment, rows: NDArray[np.bool_] | NDArray[np.intp] | slice) -> dict[str, int]:
    """Return the number of terms in each field of some of a segment's chunks."""
    return dict(zip(FIELDS, segment.lengths[:, rows].sum(axis=1, dtype=np.int64).tolist(), strict=True))


class _Part(NamedTuple):
    """A segment of the next state: its file and checksum, and which of its chunks exist."""

    path: Path
    checksum: int
    segment: Segment
    alive: NDArray[np.bool_]


class LexicalUpdate:
    """Changes to the lexical index that readers do not see before ``publish``.

    Args:
        folder: the store's folder.
        base: the state that is updated; None to rebuild the index beside the present one.
        gathered: the number of chunks that are gathered for a new segment.
        most: the number of chunks of the largest merged segment; at most ``MOST_ROWS``.
    """

    def __init__(
        self, folder: Path, base: LexicalBase | None, *, gathered: int = _GATHERED_ROWS, most: int = MOST_ROWS
    ) -> None:
        self._most_gathered = gathered
        self._most_rows = most
        self._place = folder / FOLDER
        if not self._place.is_dir():
            discard(self._place)
        self._place.mkdir(exist_ok=True)
        self._serial = _highest_serial(self._place)
        self._written: list[Path] = []
        self._flush: Flush | None = None
        self._gathered: list[Segment] = []
        self._gathered_rows = 0
        self._parts: list[_Part] = []
        if base is not None:
            for name, checksum, segment, alive in zip(
                base.names, base.checksums, base.segments, base.alive, strict=True
            ):
                exists = np.ones(len(segment.chunks), dtype=np.bool_) if alive is None else alive.copy()
                self._parts.append(_Part(self._place / name, checksum, segment, exists))

    def remove(self, run: RemovedRun) -> None:
        """Mark a run of chunks as removed."""
        for _, _, segment, alive in self._parts:
            first, end = np.searchsorted(segment.chunks, [run.first_chunk, run.first_chunk + run.chunk_count])
            alive[first:end] = False

    def add(self, entry: DocumentTerms) -> None:
        """Add a document's chunks; their identifiers must be higher than all before."""
        self._gathered.append(entry.segment)
        self._gathered_rows += len(entry.segment.chunks)
        if self._gathered_rows >= self._most_gathered:
            self._gather()

    def finish(self) -> None:
        """Write the added chunks and begin to flush them, so that ``publish`` is quick."""
        self._gather()
        self._flush = Flush(part.path for part in self._parts if part.path in self._written)

    def publish(self, mark: Mark) -> None:
        """Make the index as of ``mark`` visible to readers; call ``finish`` first."""
        assert self._flush is not None
        self._flush.wait()
        lengths = Counter(dict.fromkeys(FIELDS, 0))
        for part in self._parts:
            lengths.update(lengths_of(part.segment, part.alive))
        state = {
            "mark": mark.state(),
            "statistics": {
                "chunks": sum(int(np.count_nonzero(part.alive)) for part in self._parts),
                "lengths": lengths,
            },
            "segments": [(part.path.name, part.checksum) for part in self._parts],
        }
        alive = np.concatenate([np.empty(0, dtype=np.bool_), *(part.alive for part in self._parts)])
        temporary = self._place / f"{STATE}.new"
        temporary.write_bytes(seal(json.dumps(state).encode() + b"\n" + np.packbits(alive).tobytes()))
        if (self._place / STATE).is_dir():
            discard(self._place / STATE)
        temporary.replace(self._place / STATE)
        counting = {STATE, *(part.path.name for part in self._parts)}
        _delete(old for old in self._place.iterdir() if old.name not in counting)

    def abandon(self) -> None:
        """Discard the changes."""
        if self._flush is not None:
            with suppress(OSError):
                self._flush.wait()
        _delete(self._written)

    def _gather(self) -> None:
        """Merge the gathered chunks into one segment, together with neighbours that are no larger."""
        if not self._gathered_rows:
            return
        segments, rows = self._gathered, self._gathered_rows
        alive = [np.ones(len(segment.chunks), dtype=np.bool_) for segment in segments]
        while self._parts and self._are_merged(earlier := int(np.count_nonzero(self._parts[-1].alive)), rows):
            last = self._parts.pop()
            last.segment.check()  # a damaged segment must not be merged and get a valid checksum
            segments, alive, rows = [last.segment, *segments], [last.alive, *alive], earlier + rows
        self._parts.append(self._write_segment(merge_segments(segments, alive)))
        self._gathered, self._gathered_rows = [], 0

    def _write_segment(self, segment: Segment) -> _Part:
        """Write a segment and return it, mapped."""
        self._serial += 1
        path = self._place / f"{self._serial}{SUFFIX}"
        self._written.append(path)
        checksum = segment.write(path)
        return _Part(path, checksum, Segment.map(path, checksum), np.ones(len(segment.chunks), dtype=np.bool_))

    def _are_merged(self, earlier: int, later: int) -> bool:
        """Return whether neighbouring segments with these numbers of chunks are merged."""
        return earlier + later <= self._most_rows and earlier <= _FALLING * later


def _delete(files: Iterable[Path]) -> None:
    for file in files:
        # A file that another process has mapped cannot be deleted on every system; the next update tries again.
        with suppress(OSError):
            discard(file)


def _highest_serial(place: Path) -> int:
    numbers = [old.name.removesuffix(SUFFIX) for old in place.glob(f"*{SUFFIX}")]
    return max((int(number) for number in numbers if number.isdigit()), default=0)
