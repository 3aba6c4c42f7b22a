"""The matrix of vectors on disk: files that only grow, and a small state file that says how much of them
counts.

The state file is replaced as one piece, so a reader sees the old state or the new one. A compaction writes a
new folder of files under the next serial number; whoever has the old ones mapped keeps them.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaestor.stores.embedded.clusters import Groups, group, is_outgrown, nearest_groups, sketch
from quaestor.stores.embedded.marks import Mark
from quaestor.stores.embedded.quantise import Int8s, scales
from quaestor.stores.embedded.truth import Content, Removed
from quaestor.stores.embedded.vectors import Ids, Rows

STATE = "vectors.state"
PREFIX = "vectors-"

_COPIED_ROWS = 8192


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
        grouped, groups = int(state["grouped"]), int(state["groups"])
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
        )
        if grouped:
            centres = _mapped(place / "centres", np.float32, (groups, dimensions))
            bounds = _mapped(place / "bounds", np.int64, (groups + 1,))
            members = _mapped(place / "members", np.int32, (count - grouped,))
            order = _mapped(place / "order", np.int64, (grouped,))
            axes = _mapped(place / "axes", np.float32, (dimensions, int(state["columns"])))
            sketches = _mapped(place / "sketches", np.int8, (count, axes.shape[1]))
            rows = replace(rows, groups=Groups.of(centres, bounds, members, axes, sketches), order=order)
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
        self._grouped = base.rows.grouped if base else 0
        self._groups = len(base.rows.groups.centres) if base and base.rows.groups else 0
        self._columns = base.rows.groups.axes.shape[1] if base and base.rows.groups else 0

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
        if self._base is not None and self._base.rows.groups is not None:
            members = nearest_groups(rows, self._base.rows.groups.centres)
            _write(self._place / "members", (count - self._grouped) * members.itemsize, members)
            parts["sketches"] = sketch(rows, self._base.rows.groups.axes)
        for name, part in parts.items():
            _write(self._place / name, count * part[:1].nbytes, part)
        self._ends = [*self._ends[:1], int(ids[0]), int(ids[-1])]
        self._ends = [self._ends[0], self._ends[-1]]
        self._alive = np.concatenate([self._alive, factors > 0])

    def settle(self) -> None:
        """Group the rows if they were all written anew and are many."""
        count = len(self._alive)
        if self._base is not None or not is_outgrown(0, count):
            return
        data = _mapped(self._place / "data", np.int8, (count, self._dimensions))
        groups, order = group(data)
        ids = _mapped(self._place / "ids", np.int64, (count,))
        factors = _mapped(self._place / "scales", np.float32, (count,))
        self._ends = [int(ids[order[0]]), int(ids[order[-1]])]
        self._grouped, self._groups, self._columns = count, len(groups.centres), groups.axes.shape[1]
        for name, values in (("ids", ids), ("scales", factors), ("data", data)):
            self._reorder(name, values, order)
        # Rows were written by ascending chunk: where each went is the inverse of the order.
        self._alive = self._alive[order]
        places = np.empty_like(order)
        places[order] = np.arange(count)
        for name in ("centres", "bounds", "axes", "sketches"):
            _write(self._place / name, 0, getattr(groups, name))
        _write(self._place / "order", 0, places)

    def _reorder(self, name: str, values: NDArray[Any], order: Ids) -> None:
        temporary = self._place / f"{name}.new"
        with temporary.open("wb") as file:
            for start in range(0, len(order), _COPIED_ROWS):
                file.write(np.ascontiguousarray(values[order[start : start + _COPIED_ROWS]]).data)
        temporary.replace(self._place / name)

    def publish(self, mark: Mark) -> None:
        """Let readers see the matrix as of ``mark``."""
        for path in self._place.iterdir():
            _flush(path)
        state = {
            "mark": asdict(mark),
            "serial": self._serial,
            "rows": len(self._alive),
            "grouped": self._grouped,
            "groups": self._groups,
            "columns": self._columns,
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
