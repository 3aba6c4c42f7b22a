"""The matrix of vectors on disk: files that only grow, and a small state file with the number of valid rows.

The state file is replaced atomically, so a reader sees the old state or the new one. A compaction writes a new folder
of files under the next serial number; a reader that has mapped the old files keeps them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.stores.embedded.checksums import DamageHandler, RowSums, check_array, ignore, row_sums, seal, unseal
from quaestor.stores.embedded.derived_files import Flush, Mark, discard
from quaestor.stores.embedded.sqlite_rows import RemovedRun
from quaestor.stores.embedded.vectors import Ids, Int8s, Rows, plane_count, planes_of, scales

if TYPE_CHECKING:
    from numpy.typing import NDArray


STATE = "vectors.state"
PREFIX = "vectors-"

SIGNS = "signs"
SUMS = "sums"


class MatrixBase(NamedTuple):
    """The last published state of the matrix.

    Attributes:
        mark: the state of the database from which it was made.
        serial: the number of its folder.
        rows: its vectors, mapped from disk.
        checksums: the checksums of its files except the vectors, which have one per row.
    """

    mark: Mark
    serial: int
    rows: Rows
    checksums: Mapping[str, int]

    @classmethod
    def load(
        cls, folder: Path, dimensions: int, *, whole: bool = False, on_damage: DamageHandler = ignore
    ) -> MatrixBase | None:
        """Return the last published state; None if it is missing or damaged.

        Args:
            folder: the store's folder.
            dimensions: the length of the vectors.
            whole: whether to check all vectors now, and not only when they are read.
            on_damage: called if a file is damaged or of another version.
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
            on_damage(STATE)
        return None

    @classmethod
    def _load(cls, folder: Path, dimensions: int) -> MatrixBase:
        head, _, bitmap = unseal((folder / STATE).read_bytes()).partition(b"\n")
        state = json.loads(head)
        count, serial = int(state["rows"]), int(state["serial"])
        if state["dimensions"] != dimensions:
            raise ValueError("other dimensions")
        alive = np.unpackbits(np.frombuffer(bitmap, dtype=np.uint8), count=count).view(np.bool_)
        place, checksums = folder / f"{PREFIX}{serial}", state["checksums"]

        def read(name: str, kind: type[np.generic]) -> NDArray[Any]:
            return check_array(_map_array(place / name, kind, (count,)), checksums.get(name, 0), name)

        data = _map_array(place / "data", np.int8, (count, dimensions))
        planes = [read(f"{SIGNS}{number}", np.uint64) for number in range(state["planes"])]
        sums = RowSums(data, read(SUMS, np.uint32))
        rows = Rows(read("ids", np.int64), data, read("scales", np.float32), alive, planes, sums)
        return cls(Mark.read(state["mark"]), serial, rows, checksums)


def _map_array(path: Path, kind: type[np.generic], shape: tuple[int, ...]) -> NDArray[Any]:
    if not shape[0]:
        return np.empty(shape, dtype=kind)
    return np.asarray(np.memmap(path, dtype=kind, mode="r", shape=shape))


class MatrixUpdate:
    """Changes to the matrix that readers do not see before ``publish``."""

    def __init__(self, folder: Path, dimensions: int, base: MatrixBase | None) -> None:
        """Begin an update of ``base``; without it, rebuild the matrix beside the present one."""
        self._folder = folder
        self._dimensions = dimensions
        self._base = base
        self._serial = base.serial if base else _highest_serial(folder) + 1
        self._place = folder / f"{PREFIX}{self._serial}"
        self._place.mkdir(exist_ok=True)
        self._flush: Flush | None = None
        self._alive = base.rows.alive.copy() if base else np.empty(0, dtype=np.bool_)
        self._checksums = dict(base.checksums) if base else {}

    def remove(self, run: RemovedRun) -> None:
        """Mark a run of chunks as removed."""
        if self._base is not None:
            gone = np.arange(run.first_chunk, run.first_chunk + run.chunk_count)
            self._alive[self._base.rows.places(gone)] = False

    def append(self, ids: Ids, rows: Int8s) -> None:
        """Write rows after the valid ones; ``ids`` must ascend and be higher than all before."""
        count = len(self._alive)
        factors = scales(rows)
        parts: dict[str, NDArray[Any]] = {"ids": ids, "scales": factors, SUMS: row_sums(rows)}
        parts |= {f"{SIGNS}{number}": plane for number, plane in enumerate(planes_of(rows))}
        for name, part in parts.items():
            _write(self._place / name, count * part[:1].nbytes, part)
            self._checksums[name] = crc32(np.ascontiguousarray(part).data, self._checksums.get(name, 0))
        _write(self._place / "data", count * rows[:1].nbytes, rows)
        self._alive = np.concatenate([self._alive, factors > 0])

    def finish(self) -> None:
        """Begin to flush the written rows, so that ``publish`` is quick."""
        self._flush = Flush(self._place.iterdir())

    def publish(self, mark: Mark) -> None:
        """Make the matrix as of ``mark`` visible to readers; call ``finish`` first."""
        assert self._flush is not None
        self._flush.wait()
        state = {
            "mark": mark.state(),
            "serial": self._serial,
            "rows": len(self._alive),
            "planes": plane_count(self._dimensions),
            "checksums": self._checksums,
            "dimensions": self._dimensions,
        }
        temporary = self._folder / f"{STATE}.new"
        temporary.write_bytes(seal(json.dumps(state).encode() + b"\n" + np.packbits(self._alive).tobytes()))
        if (self._folder / STATE).is_dir():
            discard(self._folder / STATE)
        temporary.replace(self._folder / STATE)
        for old in self._folder.glob(f"{PREFIX}*"):
            if old != self._place:
                _delete(old)

    def abandon(self) -> None:
        """Discard the changes; the next update overwrites the rows written after the published ones."""
        if self._flush is not None:
            with suppress(OSError):
                self._flush.wait()
        if self._base is None:
            _delete(self._place)


def _write(path: Path, offset: int, part: NDArray[Any]) -> None:
    with path.open("r+b" if path.exists() else "w+b") as file:
        file.seek(offset)
        file.write(np.ascontiguousarray(part).data)


def _delete(place: Path) -> None:
    # A file that another process has mapped cannot be deleted on every system; the next update tries again.
    with suppress(OSError):
        discard(place)


def _highest_serial(folder: Path) -> int:
    numbers = [old.name.removeprefix(PREFIX) for old in folder.glob(f"{PREFIX}*")]
    return max((int(number) for number in numbers if number.isdigit()), default=0)
