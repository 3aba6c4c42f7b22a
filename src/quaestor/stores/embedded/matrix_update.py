"""Writing the matrix of vectors: rows behind those that count, and the state file that makes them count."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from quaestor.stores.embedded.checksums import row_sums, sealed
from quaestor.stores.embedded.discard import discard
from quaestor.stores.embedded.flushing import Flush
from quaestor.stores.embedded.matrix import PREFIX, SIGNS, STATE, SUMS, MatrixBase
from quaestor.stores.embedded.progress_marks import Mark
from quaestor.stores.embedded.quantise import Int8s, scales
from quaestor.stores.embedded.signs import plane_count, planes_of
from quaestor.stores.embedded.truth import Removed
from quaestor.stores.embedded.vectors import Ids

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
        self._flush: Flush | None = None
        self._alive = base.rows.alive.copy() if base else np.empty(0, dtype=np.bool_)
        self._checksums = dict(base.checksums) if base else {}

    def remove(self, run: Removed) -> None:
        """Mark a run of chunks as gone."""
        if self._base is not None:
            gone = np.arange(run.first_chunk, run.first_chunk + run.chunk_count)
            self._alive[self._base.rows.places(gone)] = False

    def append(self, ids: Ids, rows: Int8s) -> None:
        """Write rows behind those that count; ``ids`` ascend and are higher than all before."""
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
        """Begin to bring to the disk what was written; ``publish`` is quick from here on."""
        self._flush = Flush(self._place.iterdir())

    def publish(self, mark: Mark) -> None:
        """Let readers see the matrix as of ``mark``; ``finish`` comes first."""
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
        temporary.write_bytes(sealed(json.dumps(state).encode() + b"\n" + np.packbits(self._alive).tobytes()))
        if (self._folder / STATE).is_dir():
            discard(self._folder / STATE)
        temporary.replace(self._folder / STATE)
        for old in self._folder.glob(f"{PREFIX}*"):
            if old != self._place:
                _delete(old)

    def abandon(self) -> None:
        """Forget the changes; what was written behind the published rows is written over next time."""
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
    # What somebody else has mapped cannot be deleted everywhere; the next update tries again.
    with suppress(OSError):
        discard(place)


def _highest_serial(folder: Path) -> int:
    numbers = [old.name.removeprefix(PREFIX) for old in folder.glob(f"{PREFIX}*")]
    return max((int(number) for number in numbers if number.isdigit()), default=0)
