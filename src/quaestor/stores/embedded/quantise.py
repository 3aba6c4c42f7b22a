"""Unit vectors as int8, a quarter of their size.

A row is divided by its largest component and multiplied by 127. The scale is not kept: rows have unit length,
so that ``row / |row|`` gives the vector back. Doing so twice changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Int8s: TypeAlias = "NDArray[np.int8]"
Floats: TypeAlias = "NDArray[np.float32]"


def quantise(vectors: Floats) -> Int8s:
    """Return int8 rows of the same shape; what is not a number counts as zero."""
    finite = np.where(np.isfinite(vectors), vectors, np.float32(0))
    largest = np.abs(finite).max(axis=1, keepdims=True, initial=0.0)
    factor = np.divide(127.0, largest, out=np.zeros_like(largest), where=largest > 0)
    rows: Int8s = np.rint(finite * factor).astype(np.int8)
    return rows


def scales(rows: Int8s) -> Floats:
    """Return what gives each row unit length, 0 for a row of zeros; shape ``(len(rows),)``."""
    wide = rows.astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    factors: Floats = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return factors


def restore(data: bytes) -> Floats:
    """Return the unit vector of one stored row."""
    row = np.frombuffer(data, dtype=np.int8)
    vector: Floats = row.astype(np.float32) * scales(row[None, :])[0]
    return vector
