"""The lexical index on disk: BM25 over terms that were split before, in segments of postings.

A small state file says which segments count. It is replaced as one piece, so a reader sees the old state or the new
one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.stores.embedded.checksums import DamagedError, Noticed, ignore, unsealed
from quaestor.stores.embedded.postings import FIELDS, Bounds, Keys, Segment
from quaestor.stores.embedded.progress_marks import Mark

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDER = "lexical"
STATE = "state"
SUFFIX = ".postings"


class Statistics(NamedTuple):
    """What BM25 needs to know of the whole index.

    Attributes:
        chunks: number of chunks, without the dead ones that still take room.
        lengths: terms of these per field.
    """

    chunks: int
    lengths: Mapping[str, int]


class LexicalBase(NamedTuple):
    """The lexical index as it was last published; later changes do not change it.

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
        """Return the last published state; None if there is none that is as it was written.

        Args:
            folder: of the store.
            whole: sum up the postings, too, which otherwise are when they are read.
            noticed: called if there is one, damaged or of another version.
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
        head, _, bitmap = unsealed((place / STATE).read_bytes()).partition(b"\n")
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
        """Return where the postings of terms stand in each segment."""
        return [segment.bounds(keys) for segment in self.segments]


def lengths_of(segment: Segment, rows: NDArray[np.bool_] | NDArray[np.intp]) -> dict[str, int]:
    """Return the number of terms in each field of some of a segment's chunks."""
    return dict(zip(FIELDS, segment.lengths[:, rows].sum(axis=1, dtype=np.int64).tolist(), strict=True))
