"""The bundled embedder tuned to one corpus: some rows of its table are replaced, from a small file.

The name of a tuned embedder consists of the name of the original and a hash of the tuned rows, so that an index refuses
other weights of either.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quaestor.core.errors import IndexUnusableError
from quaestor.embedding.static import StaticEmbedder
from quaestor.embedding.tuning_names import base_of, file_of, tuned_name

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TunedRows:
    """Rows of the bundled embedder's table that were tuned.

    Attributes:
        rows: their numbers, ascending, int32, shape ``(n,)``.
        table: their vectors, shape ``(n, dimensions)``.
        scales: their factors, shape ``(n,)``.
    """

    rows: NDArray[np.int32]
    table: NDArray[np.int8]
    scales: NDArray[np.float32]

    def embedder(self) -> StaticEmbedder:
        """Return the bundled embedder with these rows, under a name with their hash."""
        base = StaticEmbedder.bundled()
        parts = (self.rows.astype("<i4"), self.table, self.scales.astype("<f4"))
        digest = hashlib.sha256(b"".join(part.tobytes() for part in parts))
        return base.with_rows(tuned_name(base.name, digest.hexdigest()), self.rows, self.table, self.scales)


def save(replaced: TunedRows, folder: Path) -> StaticEmbedder:
    """Write tuned rows into a file in ``folder``, atomically, and return the embedder that they make."""
    embedder = replaced.embedder()
    file = folder / file_of(embedder.name)
    new = file.with_name(f"{file.name}.new")
    with new.open("wb") as out:
        np.savez(out, **asdict(replaced))
        out.flush()
        os.fsync(out.fileno())
    new.replace(file)
    return embedder.from_disk(load, folder, embedder.name)


def load(folder: Path, name: str) -> StaticEmbedder:
    """Return the tuned embedder of a name.

    Args:
        folder: the folder into which ``save`` wrote it.
        name: the name of the tuned embedder.

    Raises:
        IndexUnusableError: its file is missing or damaged, or it was tuned from another embedder than the bundled one.
    """
    bundled = StaticEmbedder.bundled().name
    if base_of(name) != bundled:
        raise _unusable(folder, name, f"it was tuned from {base_of(name)!r}, and {bundled!r} is bundled now")
    try:
        with np.load(BytesIO((folder / file_of(name)).read_bytes()), allow_pickle=False) as parts:
            embedder = TunedRows(parts["rows"], parts["table"], parts["scales"]).embedder()
    except (OSError, ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile) as error:
        raise _unusable(folder, name, f"its file cannot be read: {error}") from error
    if embedder.name != name:
        raise _unusable(folder, name, "its file is damaged")
    return embedder.from_disk(load, folder, name)


def _unusable(folder: Path, name: str, why: str) -> IndexUnusableError:
    return IndexUnusableError(
        f"The index in {str(folder)!r} uses the tuned embedder {name!r}, but {why}. Run `quaestor tune --undo`."
    )
