"""Writing the lexical index: new segments, and the state file that makes them count."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quaestor.stores.embedded.checksums import sealed
from quaestor.stores.embedded.discard import discard
from quaestor.stores.embedded.flushing import Flush
from quaestor.stores.embedded.lexical import FOLDER, STATE, SUFFIX, LexicalBase, lengths_of
from quaestor.stores.embedded.lexical_segments import merged
from quaestor.stores.embedded.postings import FIELDS, MOST_ROWS, Segment
from quaestor.stores.embedded.progress_marks import Mark
from quaestor.stores.embedded.truth import DocumentTerms, Removed

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GATHERED_ROWS = 1 << 14
"""Chunks that are gathered for a new segment; more take more room and no less time."""
_FALLING = 8
"""Neighbours become one unless the earlier has this many times the chunks of the later: so there are few."""


class _Part(NamedTuple):
    """A segment that is to count: its file with its checksum, and which of its chunks exist."""

    path: Path
    checksum: int
    segment: Segment
    alive: NDArray[np.bool_]


class LexicalUpdate:
    """Changes to the lexical index that nobody sees before ``publish``.

    Args:
        folder: of the store.
        base: what to begin from; without one the index is made anew, beside the present one.
        gathered: chunks that make a new segment.
        most: chunks of the largest segment that two are made one of; at most ``MOST_ROWS``.
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
        """Write what was added, and begin to bring it to the disk; ``publish`` is quick from here on."""
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
        temporary.write_bytes(sealed(json.dumps(state).encode() + b"\n" + np.packbits(alive).tobytes()))
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
        """Make one segment of what was gathered and of its neighbours where they are no larger."""
        if not self._gathered_rows:
            return
        segments, rows = self._gathered, self._gathered_rows
        alive = [np.ones(len(segment.chunks), dtype=np.bool_) for segment in segments]
        while self._parts and self._belong(earlier := int(np.count_nonzero(self._parts[-1].alive)), rows):
            last = self._parts.pop()
            last.segment.check()  # what was damaged must not get the checksum of what is whole
            segments, alive, rows = [last.segment, *segments], [last.alive, *alive], earlier + rows
        self._parts.append(self._kept(merged(segments, alive)))
        self._gathered, self._gathered_rows = [], 0

    def _kept(self, segment: Segment) -> _Part:
        """Write a segment and return it, mapped."""
        self._serial += 1
        path = self._place / f"{self._serial}{SUFFIX}"
        self._written.append(path)
        checksum = segment.write(path)
        return _Part(path, checksum, Segment.map(path, checksum), np.ones(len(segment.chunks), dtype=np.bool_))

    def _belong(self, earlier: int, later: int) -> bool:
        """Tell whether neighbouring segments with so many chunks become one."""
        return earlier + later <= self._most_rows and earlier <= _FALLING * later


def _delete(files: Iterable[Path]) -> None:
    for file in files:
        # What somebody else has mapped cannot be deleted everywhere; the next update tries again.
        with suppress(OSError):
            discard(file)


def _highest_serial(place: Path) -> int:
    numbers = [old.name.removesuffix(SUFFIX) for old in place.glob(f"*{SUFFIX}")]
    return max((int(number) for number in numbers if number.isdigit()), default=0)
