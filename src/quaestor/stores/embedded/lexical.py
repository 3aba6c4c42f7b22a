"""The lexical index on disk: BM25 over terms that were split before, in segments of postings.

A small state file says which segments count. It is replaced as one piece, so a reader sees the old state or the new
one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.stores.embedded.checksums import DamagedError, Noticed, ignore, seal, unseal
from quaestor.stores.embedded.derived_files import Flush, discard
from quaestor.stores.embedded.lexical_segments import merge_segments
from quaestor.stores.embedded.postings import FIELDS, MOST_ROWS, Bounds, Keys, Segment
from quaestor.stores.embedded.progress_marks import Mark
from quaestor.stores.embedded.truth import DocumentTerms, Removed

if TYPE_CHECKING:
    from numpy.typing import NDArray


FOLDER = "lexical"
STATE = "state"
SUFFIX = ".postings"

_GATHERED_ROWS = 1 << 14
"""Chunks that are gathered for a new segment; more take more room and no less time."""
_FALLING = 8
"""Neighbours become one unless the earlier has this many times the chunks of the later: so there are few."""


class Statistics(NamedTuple):
    """The totals of the whole index that BM25 needs.

    Attributes:
        chunks: number of chunks, without deleted ones that still take room.
        lengths: terms of these per field.
    """

    chunks: int
    lengths: Mapping[str, int]


class LexicalBase(NamedTuple):
    """The lexical index as it was last published; immutable.

    Attributes:
        mark: the state of the truth that it was made from.
        statistics: of its segments.
        names: the segments' files.
        checksums: of these, one each.
        segments: their chunks ascend from one to the next.
        alive: whether each segment's chunks exist; None where all do.
    """

    mark: Mark
    statistics: Statistics
    names: Sequence[str]
    checksums: Sequence[int]
    segments: Sequence[Segment]
    alive: Sequence[NDArray[np.bool_] | None]

    @classmethod
    def load(cls, folder: Path, *, whole: bool = False, noticed: Noticed = ignore) -> LexicalBase | None:
        """Return the last published state, or None if it is missing or damaged.

        Args:
            folder: of the store.
            whole: check the postings now, not only when they are read.
            noticed: called if the file is damaged or of another version.
        """
        for _ in range(3):
            try:
                return cls._load(folder / FOLDER, whole=whole)
            except FileNotFoundError:
                # Segments were merged between reading the state and mapping the files: read it again.
                continue
            except (OSError, ValueError, KeyError, TypeError):
                break
        if (folder / FOLDER / STATE).exists():
            noticed(FOLDER)
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
            raise DamagedError("the files are not those that the state file tells of")
        each = [None if part.all() else part for part in np.split(alive, ends[:-1])] if segments else []
        return cls(Mark.read(state["mark"]), Statistics(**state["statistics"]), names, checksums, segments, each)

    def bounds(self, keys: Keys) -> list[Bounds]:
        """Return the range of each term's postings in each segment."""
        return [segment.bounds(keys) for segment in self.segments]


def lengths_of(segment: Segment, rows: NDArray[np.bool_] | NDArray[np.intp]) -> dict[str, int]:
    """Return the number of terms in each field of some of a segment's chunks."""
    return dict(zip(FIELDS, segment.lengths[:, rows].sum(axis=1, dtype=np.int64).tolist(), strict=True))


class _Part(NamedTuple):
    """A segment that is to count: its file with its checksum, and which of its chunks exist."""

    path: Path
    checksum: int
    segment: Segment
    alive: NDArray[np.bool_]


class LexicalUpdate:
    """Changes to the lexical index that readers do not see before ``publish``.

    Args:
        folder: of the store.
        base: the state to begin from; without one the index is made anew, beside the present one.
        gathered: chunks that make a new segment.
        most: chunks of the largest merged segment; at most ``MOST_ROWS``.
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

    def remove(self, run: Removed) -> None:
        """Mark a run of chunks as gone."""
        for _, _, segment, alive in self._parts:
            first, end = np.searchsorted(segment.chunks, [run.first_chunk, run.first_chunk + run.chunk_count])
            alive[first:end] = False

    def add(self, entry: DocumentTerms) -> None:
        """Add a document's chunks, whose identifiers are higher than all before."""
        self._gathered.append(entry.segment)
        self._gathered_rows += len(entry.segment.chunks)
        if self._gathered_rows >= self._most_gathered:
            self._gather()

    def finish(self) -> None:
        """Write what was added and begin to flush it, so that ``publish`` is quick."""
        self._gather()
        self._flush = Flush(part.path for part in self._parts if part.path in self._written)

    def publish(self, mark: Mark) -> None:
        """Let readers see the index as of ``mark``; ``finish`` comes first."""
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
        """Forget the changes."""
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
            last.segment.check()  # what was damaged must not get the checksum of what is whole
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
        """Return whether neighbouring segments with so many chunks are merged."""
        return earlier + later <= self._most_rows and earlier <= _FALLING * later


def _delete(files: Iterable[Path]) -> None:
    for file in files:
        # A file that another process has mapped cannot be deleted on every system; the next update tries again.
        with suppress(OSError):
            discard(file)


def _highest_serial(place: Path) -> int:
    numbers = [old.name.removesuffix(SUFFIX) for old in place.glob(f"*{SUFFIX}")]
    return max((int(number) for number in numbers if number.isdigit()), default=0)
