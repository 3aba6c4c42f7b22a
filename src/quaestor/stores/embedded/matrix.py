"""The matrix of vectors on disk: files that only grow, and a small state file that says how much of them
counts.

The state file is replaced as one piece, so a reader sees the old state or the new one. A compaction writes a
new folder of files under the next serial number; whoever has the old ones mapped keeps them.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaestor.stores.embedded.marks import Mark
from quaestor.stores.embedded.quantise import Int8s, scales
from quaestor.stores.embedded.signs import plane_count, planes_of
from quaestor.stores.embedded.truth import Content, Removed
from quaestor.stores.embedded.vectors import Ids, Rows

STATE = "vectors.state"
PREFIX = "vectors-"

_SIGNS = "signs"


@dataclass(frozen=True, slots=True)
class MatrixBase:
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
            [_mapped(place / f"{_SIGNS}{number}", np.uint64, (count,)) for number in range(state["planes"])],
        )
        mark = Mark(Content(**state["mark"].pop("content")), **state["mark"])
        return cls(mark, serial, rows)


def _mapped(path: Path, kind: type[np.generic], shape: tuple[int, ...]) -> NDArray[Any]:
    if not shape[0]:
        return np.empty(shape, dtype=kind)
    return np.asarray(np.memmap(path, dtype=kind, mode="r", shape=shape))


class MatrixUpdate:
    """Changes to the matrix that nobody sees before ``publish``."""

    def __init__(self, folder: Path, dimensions: int, base: MatrixBase | None) -> None:
        """Begin; without ``base`` the matrix is made anew, beside the present one."""
        self._folder = folder
        self._dimensions = dimensions
        self._base = base
        self._serial = base.serial if base else _highest_serial(folder) + 1
        self._place = folder / f"{PREFIX}{self._serial}"
        self._place.mkdir(exist_ok=True)
        self._alive = base.rows.alive.copy() if base else np.empty(0, dtype=np.bool_)
        self._ends = [int(base.rows.ids[0]), int(base.rows.ids[-1])] if base and len(base.rows.ids) else []

    def remove(self, run: Removed) -> None:
        """Mark a run of chunks as gone."""
        if self._base is not None:
            gone = np.arange(run.first_chunk, run.first_chunk + run.chunk_count)
            self._alive[self._base.rows.places(gone)] = False

    def append(self, ids: Ids, rows: Int8s) -> None:
        """Write rows behind those that count; ``ids`` ascend and are higher than all before."""
        count = len(self._alive)
        factors = scales(rows)
        parts: dict[str, NDArray[Any]] = {"ids": ids, "scales": factors, "data": rows}
        parts |= {f"{_SIGNS}{number}": plane for number, plane in enumerate(planes_of(rows))}
        for name, part in parts.items():
            _write(self._place / name, count * part[:1].nbytes, part)
        self._ends = [self._ends[0] if self._ends else int(ids[0]), int(ids[-1])]
        self._alive = np.concatenate([self._alive, factors > 0])

    def publish(self, mark: Mark) -> None:
        """Let readers see the matrix as of ``mark``."""
        for path in self._place.iterdir():
            _flush(path)
        state = {
            "mark": asdict(mark),
            "serial": self._serial,
            "rows": len(self._alive),
            "planes": plane_count(self._dimensions),
            "ends": self._ends,
            "dimensions": self._dimensions,
        }
        temporary = self._folder / f"{STATE}.new"
        temporary.write_bytes(json.dumps(state).encode() + b"\n" + np.packbits(self._alive).tobytes())
        temporary.replace(self._folder / STATE)
        for old in self._folder.glob(f"{PREFIX}*"):
            if old != self._place:
                shutil.rmtree(old, ignore_errors=True)

    def abandon(self) -> None:
        """Forget the changes; what was written behind the published rows is written over next time."""
        if self._base is None:
            shutil.rmtree(self._place, ignore_errors=True)


def _write(path: Path, offset: int, part: NDArray[Any]) -> None:
    with path.open("r+b" if path.exists() else "w+b") as file:
        file.seek(offset)
        file.write(np.ascontiguousarray(part).data)


def _flush(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def _highest_serial(folder: Path) -> int:
    numbers = [old.name.removeprefix(PREFIX) for old in folder.glob(f"{PREFIX}*")]
    return max((int(number) for number in numbers if number.isdigit()), default=0)
