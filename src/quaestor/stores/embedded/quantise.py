"""Unit vectors as int8, a quarter of their size, and as the signs of their components, a bit each.

A row is divided by its largest component and multiplied by 127. The scale is not kept: rows have unit length, so ``row
/ |row|`` gives the vector back. Quantising twice changes nothing.

The signs select the rows whose exact cosine is computed: the angle between two vectors shows in the number of
dimensions in which their signs differ (after Charikar, 2002, "Similarity estimation techniques from rounding
algorithms", who takes random directions; a static embedder's dimensions serve as well).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


Int8s: TypeAlias = "NDArray[np.int8]"
Floats: TypeAlias = "NDArray[np.float32]"

Plane: TypeAlias = "NDArray[np.uint64]"
"""The signs of 64 dimensions of every row; shape ``(rows,)``."""

Differing: TypeAlias = "NDArray[np.uint8] | NDArray[np.uint16]"

_DIMENSIONS = 64
_SAMPLED = 64  # of so many rows, one
_MARGIN = 2  # by which the sample hardly ever errs among very many rows
_BLOCK_ROWS = 1 << 16  # of a plane 512 KiB: fewer would cost more calls, more would leave the cache of one core


def quantise(vectors: Floats) -> Int8s:
    """Return int8 rows of the same shape; NaN counts as zero."""
    finite = np.where(np.isfinite(vectors), vectors, np.float32(0))
    largest = np.abs(finite).max(axis=1, keepdims=True, initial=0.0)
    factor = np.divide(127.0, largest, out=np.zeros_like(largest), where=largest > 0)
    rows: Int8s = np.rint(finite * factor).astype(np.int8)
    return rows


def scales(rows: Int8s) -> Floats:
    """Return the factor that gives each row unit length, 0 for a row of zeros; shape ``(len(rows),)``."""
    wide = rows.astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    factors: Floats = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return factors


def restore(data: bytes) -> Floats:
    """Return the unit vector of one stored row."""
    row = np.frombuffer(data, dtype=np.int8)
    vector: Floats = row.astype(np.float32) * scales(row[None, :])[0]
    return vector


def plane_count(dimensions: int) -> int:
    """Return how many planes hold the signs of vectors of so many dimensions."""
    return -(-dimensions // _DIMENSIONS)


def planes_of(rows: Int8s | Floats) -> list[Plane]:
    """Return the signs of each row of ``rows``, shape ``(n, dimensions)``: 1 above zero; first dimensions first."""
    missing = plane_count(rows.shape[1]) * _DIMENSIONS - rows.shape[1]
    bits = np.packbits(np.pad(rows > 0, ((0, 0), (0, missing))), axis=1)
    return list(np.ascontiguousarray(bits.view(np.uint64).T))


def most_alike(
    planes: Sequence[Plane],
    query: Floats,
    searchable: NDArray[np.bool_],
    count: int,
    block_rows: int = _BLOCK_ROWS,
) -> NDArray[np.intp]:
    """Return the places of the ``count`` searchable rows whose signs differ least from the query's, ascending.

    All rows that differ as much as the last of them are there too; fewer if there are no more.
    """
    differing = _differing(planes, [int(plane[0]) for plane in planes_of(query[None, :])], block_rows)
    whole = bool(searchable.all())
    most = min(len(planes) * _DIMENSIONS, int(np.iinfo(differing.dtype).max))
    if not whole:
        differing[~searchable] = most
    # A sample tells nearly how much the last one differs, and one look at all rows then which ones differ no more.
    sample = np.sort(differing[::_SAMPLED])
    limit = min(int(sample[min(count // _SAMPLED, len(sample) - 1)]) + _MARGIN, most)
    near = np.flatnonzero(differing <= limit)
    while len(near) < count and limit < most:
        limit = min(limit + _MARGIN, most)
        near = np.flatnonzero(differing <= limit)
    if not whole:
        near = near[searchable[near]]
    own = differing[near]
    reached = np.cumsum(np.bincount(own, minlength=most + 1))
    return near[own <= np.searchsorted(reached, min(count, len(near)))]


def _differing(planes: Sequence[Plane], query: Sequence[int], block_rows: int) -> Differing:
    """Return in how many dimensions the signs of each row are not the query's."""
    rows = len(planes[0])
    # Of four planes the sum can be 256 once in an age, for the opposite of a vector: it is scored exactly like others.
    total: NDArray[Any] = np.empty(rows, dtype=np.uint8 if len(planes) <= 4 else np.uint16)
    differs, counts = np.empty(block_rows, dtype=np.uint64), np.empty(block_rows, dtype=np.uint8)
    for start in range(0, rows, block_rows):
        part = total[start : start + block_rows]
        for number, (plane, signs) in enumerate(zip(planes, query, strict=True)):
            np.bitwise_xor(plane[start : start + block_rows], np.uint64(signs), out=differs[: len(part)])
            if number:
                np.bitwise_count(differs[: len(part)], out=counts[: len(part)])
                np.add(part, counts[: len(part)], out=part)
            else:
                np.bitwise_count(differs[: len(part)], out=part)
    return total
