"""The matrix of vectors on disk: files that only grow, and a small state file that says how much of them
counts.

The state file is replaced as one piece, so a reader sees the old state or the new one. A compaction writes a
new folder of files under the next serial number; whoever has the old ones mapped keeps them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quaestor.named import NamedTuple
from quaestor.stores.embedded.marks import Mark
from quaestor.stores.embedded.vectors import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

STATE = "vectors.state"
PREFIX = "vectors-"

SIGNS = "signs"


class MatrixBase(NamedTuple):
    """The matrix as it was last published.

    Attributes:
        mark: the state of the truth that it was made from.
        serial: the number of its folder.
        rows: its vectors, mapped from disk.
    """

    mark: Mark
    serial: int
    rows: Rows

    @classmethod
    def load(cls, folder: Path, dimensions: int) -> MatrixBase | None:
        """Return the last published state; None if there is none that can be read."""
        for _ in range(3):
            try:
                return cls._load(folder, dimensions)
            except FileNotFoundError:
                # The folder was compacted between reading the state and mapping the files: read it again.
                continue
            except (OSError, ValueError, KeyError, TypeError):
                return None
        return None

    @classmethod
    def _load(cls, folder: Path, dimensions: int) -> MatrixBase:
        head, _, bitmap = (folder / STATE).read_bytes().partition(b"\n")
        state = json.loads(head)
        count, serial = int(state["rows"]), int(state["serial"])
        if state["dimensions"] != dimensions:
            raise ValueError("other dimensions")
        alive = np.unpackbits(np.frombuffer(bitmap, dtype=np.uint8), count=count).view(np.bool_)
        if len(alive) != count:
            raise ValueError("the state file is cut short")
        place = folder / f"{PREFIX}{serial}"
        ids = _mapped(place / "ids", np.int64, (count,))
        if count and [int(ids[0]), int(ids[-1])] != state["ends"]:
            raise ValueError("the files are not those that the state file tells of")
        rows = Rows(
            ids,
            _mapped(place / "data", np.int8, (count, dimensions)),
            _mapped(place / "scales", np.float32, (count,)),
            alive,
            [_mapped(place / f"{SIGNS}{number}", np.uint64, (count,)) for number in range(state["planes"])],
        )
        return cls(Mark.read(state["mark"]), serial, rows)


def _mapped(path: Path, kind: type[np.generic], shape: tuple[int, ...]) -> NDArray[Any]:
    if not shape[0]:
        return np.empty(shape, dtype=kind)
    return np.asarray(np.memmap(path, dtype=kind, mode="r", shape=shape))
