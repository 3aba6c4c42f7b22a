"""Vectors between the stores' int8 rows and pgvector's half precision, which holds their numbers exactly."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HEAD = struct.Struct(">hh")  # dimensions, and two bytes that are not used


def sent(rows: NDArray[np.int8]) -> Iterator[bytes | None]:
    """Yield each row as ``COPY`` takes a ``halfvec`` in binary form; None for a row without direction.

    Args:
        rows: shape ``(n, dimensions)``.
    """
    head = _HEAD.pack(rows.shape[1], 0)
    directed: list[bool] = np.any(rows, axis=1).tolist()
    for row, given in zip(rows.astype(">f2"), directed, strict=True):
        yield head + row.tobytes() if given else None


def received(data: bytes | None, dimensions: int) -> bytes:
    """Return the int8 row that a ``halfvec`` in binary form holds."""
    if data is None:
        return bytes(dimensions)
    return np.frombuffer(data, ">f2", offset=_HEAD.size).astype(np.int8).tobytes()


def literal(vector: NDArray[np.float32]) -> str:
    """Return a vector as pgvector reads it in a query."""
    return f"[{','.join(map(repr, vector.tolist()))}]"
