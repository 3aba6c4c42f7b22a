"""The trainable embedder: unit vectors of weighted sums of rows, and the way back from a gradient to the rows.

Small dense blocks instead of a sparse product: the rows that a block of texts shares are gathered once, and two matrix
products do the rest at full speed of the processor, with numpy alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quaestor.embedding.static import damped
from quaestor.tuning.text_bags import Bags

Floats = NDArray[np.float32]
_BLOCK = 64  # measured: larger blocks waste time on zeros


@dataclass(slots=True)  # mutable: training changes them in place
class Parameters:
    """What is learned.

    Attributes:
        vectors: one row per entry of the vocabulary, shape ``(rows, dimensions)``.
        weights: log-weight of each row, shape ``(rows,)``.
        temperature: logarithm of the inverse temperature, shape ``(1,)``.
    """

    vectors: Floats
    weights: Floats
    temperature: Floats

    def table(self) -> Floats:
        """Return the weighted vectors, which are all that is needed to embed."""
        return np.exp(self.weights)[:, None] * self.vectors

    def copy(self) -> Parameters:
        """Return an independent copy."""
        return Parameters(self.vectors.copy(), self.weights.copy(), self.temperature.copy())


@dataclass(frozen=True, slots=True)
class Encoded:
    """Unit vectors of a batch, shape ``(texts, dimensions)``, and what the way back needs."""

    units: Floats
    lengths: Floats
    blocks: list[tuple[slice, NDArray[np.intp], Floats]]


def encode(bags: Bags, table: Floats) -> Encoded:
    """Embed every bag with the weighted vectors ``table``."""
    sums = np.zeros((len(bags), table.shape[1]), np.float32)
    blocks = []
    place = np.zeros(len(table), np.intp)
    for start in range(0, len(bags), _BLOCK):
        part = slice(start, min(start + _BLOCK, len(bags)))
        span = slice(bags.offsets[part.start], bags.offsets[part.stop])
        entries = bags.rows[span].astype(np.intp)
        rows = _distinct(entries, len(table))
        place[rows] = np.arange(len(rows))
        counts = np.zeros((part.stop - part.start, len(rows)), np.float32)
        text = np.repeat(np.arange(part.stop - part.start), np.diff(bags.offsets[part.start : part.stop + 1]))
        np.add.at(counts, (text, place[entries]), bags.counts[span].astype(np.float32))
        counts = damped(counts)
        sums[part] = counts @ table[rows]
        blocks.append((part, rows, counts))
    lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.float32(1e-6))
    return Encoded(sums / lengths, lengths, blocks)


def backward(encoded: Encoded, gradient: Floats, into: Floats) -> None:
    """Add to ``into`` the gradient of the table, given that of the unit vectors."""
    units = encoded.units
    sums = (gradient - units * (gradient * units).sum(1, keepdims=True)) / encoded.lengths
    for part, rows, counts in encoded.blocks:
        into[rows] += counts.T @ sums[part]


def _distinct(entries: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    seen = np.zeros(size, bool)
    seen[entries] = True
    return np.flatnonzero(seen)


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
