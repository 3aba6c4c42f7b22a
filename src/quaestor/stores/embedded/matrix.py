"""The matrix of vectors on disk: files that only grow, and a small state file that says how much of them
counts.

The state file is replaced as one piece, so a reader sees the old state or the new one. A compaction writes a
new folder of files under the next serial number; whoever has the old ones mapped keeps them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.stores.embedded.checksums import Noticed, RowSums, checked, ignore, unsealed
from quaestor.stores.embedded.progress_marks import Mark
from quaestor.stores.embedded.vectors import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

STATE = "vectors.state"
PREFIX = "vectors-"

SIGNS = "signs"
SUMS = "sums"


class MatrixBase(NamedTuple):
    """The matrix as it was last published.

    Attributes:
        mark: the state of the truth that it was made from.
        serial: the number of its folder.
        rows: its vectors, mapped from disk.
        checksums: of its files but the vectors themselves, which have one a row.
    """

    mark: Mark
    serial: int
    rows: Rows
    checksums: Mapping[str, int]

    @classmethod
    def load(
        cls, folder: Path, dimensions: int, *, whole: bool = False, noticed: Noticed = ignore
    ) -> MatrixBase | None:
        """Return the last published state; None if there is none that is as it was written.

        Args:
            folder: of the store.
            dimensions: length of the vectors.
            whole: sum up the vectors, too, which otherwise are when they are read.
            noticed: called if there is one, damaged or of another version.
        """
        for _ in range(3):
            try:
                base = cls._load(folder, dimensions)
                if whole:
                    base.rows.check(np.arange(len(base.rows.ids)))
                return base
            except FileNotFoundError:
                # The folder was compacted between reading the state and mapping the files: read it again.
                continue
            except (OSError, ValueError, KeyError, TypeError):
                break
        if (folder / STATE).exists():
            noticed(STATE)
        return None

    @classmethod
    def _load(cls, folder: Path, dimensions: int) -> MatrixBase:
        head, _, bitmap = unsealed((folder / STATE).read_bytes()).partition(b"\n")
        state = json.loads(head)
        count, serial = int(state["rows"]), int(state["serial"])
        if state["dimensions"] != dimensions:
            raise ValueError("other dimensions")
        alive = np.unpackbits(np.frombuffer(bitmap, dtype=np.uint8), count=count).view(np.bool_)
        place, checksums = folder / f"{PREFIX}{serial}", state["checksums"]

        def read(name: str, kind: type[np.generic]) -> NDArray[Any]:
            return checked(_mapped(place / name, kind, (count,)), checksums.get(name, 0), name)

        data = _mapped(place / "data", np.int8, (count, dimensions))
        planes = [read(f"{SIGNS}{number}", np.uint64) for number in range(state["planes"])]
        sums = RowSums(data, read(SUMS, np.uint32))
        rows = Rows(read("ids", np.int64), data, read("scales", np.float32), alive, planes, sums)
        return cls(Mark.read(state["mark"]), serial, rows, checksums)


def _mapped(path: Path, kind: type[np.generic], shape: tuple[int, ...]) -> NDArray[Any]:
    if not shape[0]:
        return np.empty(shape, dtype=kind)
    return np.asarray(np.memmap(path, dtype=kind, mode="r", shape=shape))
