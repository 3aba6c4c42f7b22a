"""Checksums of the database's rows: SQLite keeps none, so what a disk or another program changed is noticed here.

Each row is summed up when it is read. That a row is missing is told by what is known of the whole: how many documents
and chunks there are, and what all names of a bucket and all remembered strings sum up to.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from quaestor.stores.embedded.checksums import row_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]
    Sums = NDArray[np.int64]

WRAP = 0xFFFFFFFF
"""Sums of checksums are kept modulo this and one."""

_BUCKETS = 1 << 16
_WORD = (1 << 64) - 1
# Odd, so that no changed bit is lost in a product; of the golden ratio and of XXH64, so that all are unlike.
_WEIGHTS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)
_FIRST, _SECOND, _THIRD, _FOURTH = _WEIGHTS


class DamagedRowError(sqlite3.DatabaseError):
    """A row is not as it was written, or missing."""


def require(holds: bool, what: str) -> None:
    """Refuse what does not agree with its checksum or its number.

    Raises:
        DamagedRowError: it does not hold.
    """
    if not holds:
        raise DamagedRowError(f"{what} does not agree with its checksum")


def row_sum(row: Sequence[Any]) -> int:
    """Return the checksum of a row's values."""
    # Not their `repr`: which letters that escapes depends on the version of Python.
    return crc32("\0".join(map(str, row)).encode())


def text_sum(fields: Sequence[Any], text: str | bytes) -> int:
    """Return the checksum of a row that ends with a long text."""
    return crc32(text.encode() if isinstance(text, str) else text, row_sum(fields))


def link_sum(first: int, second: int = 0, third: int = 0, fourth: int = 0) -> int:
    """Return the checksum of up to four numbers."""
    # Written out: it is asked for some hundred times a query.
    return ((first * _FIRST + second * _SECOND + third * _THIRD + fourth * _FOURTH) & _WORD) >> 32


def link_sums(*columns: Ids) -> Sums:
    """Return ``link_sum`` of each row of some columns, shape ``(n,)``."""
    total = np.zeros(len(columns[0]), dtype=np.uint64)
    for column, weight in zip(columns, _WEIGHTS, strict=False):
        total += column.astype(np.uint64) * np.uint64(weight)
    return (total >> np.uint64(32)).astype(np.int64)


def vector_sums(ids: Ids, rows: NDArray[np.int8]) -> Sums:
    """Return the checksums of vectors with their identifiers, shape ``(n,)``."""
    return row_sums(rows).astype(np.int64) ^ link_sums(ids)


def data_sum(data: bytes, *numbers: int) -> int:
    """Return the checksum of a row of some numbers and bytes."""
    return crc32(data, link_sum(*numbers))


def bucket_of(name: str | bytes) -> int:
    """Return the bucket that a name lies in."""
    return crc32(name.encode() if isinstance(name, str) else name) % _BUCKETS


def name_sum(name: str | bytes, chunk: int) -> int:
    """Return what a name that a chunk defines adds to its bucket's sum."""
    return crc32(name.encode() if isinstance(name, str) else name, chunk & WRAP)
