"""Write trained parameters as the folder that ``StaticEmbedder`` maps: int8 rows, one scale each, vocabulary, name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_TOP = 127


def quantise(table: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Return int8 rows and a scale for each, so that ``scales[:, None] * rows`` is nearly ``table``."""
    scales = np.maximum(np.abs(table).max(1), np.float32(1e-12)) / _TOP
    return np.rint(table / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def export(table: Floats, vocabulary: Sequence[str], hashed: int, folder: Path) -> str:
    """Write the weighted vectors ``table``, shape ``(rows, dimensions)``; return the embedder's name."""
    folder.mkdir(parents=True, exist_ok=True)
    rows, scales = quantise(table)
    np.save(folder / "table.npy", rows)
    np.save(folder / "scales.npy", scales)
    (folder / "vocabulary.txt").write_text("\n".join(vocabulary), "utf-8")
    digest = hashlib.sha256(rows.tobytes() + scales.tobytes() + "\n".join(vocabulary).encode())
    name = f"quaestor-static-{rows.shape[1]}-{digest.hexdigest()[:12]}"
    (folder / "model.json").write_text(json.dumps({"name": name, "hashed": hashed}) + "\n", "utf-8")
    return name
