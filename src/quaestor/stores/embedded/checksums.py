"""Checksums of derived files and of the database's rows, by which damage is noticed before the data is used.

A state file is checked as a whole. Files that are read whole are checked when they are opened; of vectors and postings,
a search checks the rows and blocks that it reads, each once.

SQLite keeps no checksums, so each row of the database carries its own, checked when it is read. A missing row is
noticed by totals: the numbers of documents and chunks, and sums over all names in a bucket and over all metadata.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from mmap import mmap
from typing import TYPE_CHECKING, Any, TypeAlias
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


BLOCK_BYTES = 1 << 16

DamageHandler: TypeAlias = Callable[[str], None]
"""Called with the name of a damaged derived file."""

Sums: TypeAlias = "NDArray[np.uint32]"

_SEAL_BYTES = 8
_ROWS_AT_ONCE = 1 << 12
# Odd, so that no changed bit is lost in a sum; from the golden ratio, so that neighbours have different weights.
_WEIGHT = 0x9E3779B97F4A7C15

WRAP = 0xFFFFFFFF
"""Sums of checksums are kept modulo this number plus one."""

_BUCKETS = 1 << 16
_WORD = (1 << 64) - 1
# Odd, so that no changed bit is lost in a product; from the golden ratio and XXH64, so that they differ widely.
_WEIGHTS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)
_FIRST, _SECOND, _THIRD, _FOURTH = _WEIGHTS


class DamagedError(ValueError):
    """A derived file does not match its checksum."""


def ignore(_: str) -> None:
    """Do nothing about a damaged file."""


def seal(body: bytes) -> bytes:
    """Return ``body`` with its checksum in front."""
    return b"%08x\n" % crc32(body) + body


def unseal(data: bytes) -> bytes:
    """Return the body of what ``seal`` returned.

    Raises:
        DamagedError: the body does not match the checksum.
    """
    body = data[_SEAL_BYTES + 1 :]
    if data[: _SEAL_BYTES + 1] != b"%08x\n" % crc32(body):
        raise DamagedError("a state file does not match its checksum")
    return body


def check_array(part: NDArray[Any], checksum: int, name: str) -> NDArray[Any]:
    """Return an array after checking it.

    Raises:
        DamagedError: the array does not match the checksum.
    """
    if crc32(np.ascontiguousarray(part).data) != checksum:
        raise DamagedError(f"{name} does not match its checksum")
    return part


def block_sums(body: bytes) -> Sums:
    """Return the checksum of each block of ``BLOCK_BYTES`` of a file."""
    view = memoryview(body)
    sums = [crc32(view[start : start + BLOCK_BYTES]) for start in range(0, len(body), BLOCK_BYTES)]
    return np.array(sums, dtype=np.uint32)


class Blocks:
    """A mapped file whose blocks are checked when they are first read.

    Args:
        data: the file.
        size: the number of its bytes that have checksums.
        sums: what ``block_sums`` returned.
    """

    def __init__(self, data: bytes | mmap, size: int, sums: Sums) -> None:
        self._data = data
        self._size = size
        self._sums = sums.tolist()
        self._known = bytearray(len(self._sums))

    def check(self, start: int, end: int) -> None:
        """Check the blocks that hold the bytes from ``start`` to ``end``.

        Raises:
            DamagedError: a block does not match its checksum.
        """
        first, after = start // BLOCK_BYTES, -(-end // BLOCK_BYTES)
        if start >= end or self._known.find(0, first, after) < 0:
            return
        with memoryview(self._data) as view:
            for block in range(first, after):
                at = block * BLOCK_BYTES
                if not self._known[block] and crc32(view[at : min(at + BLOCK_BYTES, self._size)]) != self._sums[block]:
                    raise DamagedError("a block of postings does not match its checksum")
                self._known[block] = 1


class RowSums:
    """Vectors whose rows are checked when they are first read.

    Args:
        data: int8 rows; shape ``(n, dimensions)``.
        sums: what ``row_sums`` returned; shape ``(n,)``.
    """

    def __init__(self, data: NDArray[np.int8], sums: Sums) -> None:
        self._data = data
        self._sums = sums
        self._known = np.zeros(len(sums), dtype=np.bool_)

    def check(self, places: NDArray[np.intp]) -> None:
        """Check the rows at ``places``.

        Raises:
            DamagedError: a row does not match its checksum.
        """
        unread = places[~self._known[places]]
        for start in range(0, len(unread), _ROWS_AT_ONCE):
            some = unread[start : start + _ROWS_AT_ONCE]
            run = int(some[-1]) + 1 - int(some[0]) == len(some)  # places ascend
            rows = self._data[some[0] : some[-1] + 1] if run else self._data.take(some, axis=0)
            if (row_sums(rows) != self._sums[some]).any():
                raise DamagedError("a vector does not match its checksum")
        self._known[unread] = True


def row_sums(rows: NDArray[np.int8]) -> Sums:
    """Return a checksum of each row, shape ``(n,)``; any changed bit of a row changes it."""
    word = next(word for word in (np.uint64, np.uint32, np.uint16, np.uint8) if not rows.shape[1] % word().itemsize)
    words = np.ascontiguousarray(rows).view(word).astype(np.uint64, copy=False)
    weights = (2 * np.arange(words.shape[1], dtype=np.uint64) + 1) * np.uint64(_WEIGHT)
    sums: Sums = (np.einsum("ij,j->i", words, weights) >> np.uint64(32)).astype(np.uint32)
    return sums


class DamagedRowError(sqlite3.DatabaseError):
    """A row does not match its checksum, or is missing."""


def require(holds: bool, what: str) -> None:
    """Check a condition on a checksum or a number of rows.

    Raises:
        DamagedRowError: the condition does not hold.
    """
    if not holds:
        raise DamagedRowError(f"{what} does not match its checksum")


def row_sum(row: Sequence[Any]) -> int:
    """Return the checksum of a row's values."""
    # Not their `repr`, because the characters that it escapes depend on the version of Python.
    return crc32("\0".join(map(str, row)).encode())


def text_sum(fields: Sequence[Any], text: str | bytes) -> int:
    """Return the checksum of a row that ends with a long text."""
    return crc32(text.encode() if isinstance(text, str) else text, row_sum(fields))


def link_sum(first: int, second: int = 0, third: int = 0, fourth: int = 0) -> int:
    """Return the checksum of up to four numbers."""
    # Without a loop, because it is called some hundred times per query.
    return ((first * _FIRST + second * _SECOND + third * _THIRD + fourth * _FOURTH) & _WORD) >> 32


def link_sums(*columns: Numbers) -> Numbers:
    """Return ``link_sum`` of each row of some columns, shape ``(n,)``."""
    total = np.zeros(len(columns[0]), dtype=np.uint64)
    for column, weight in zip(columns, _WEIGHTS, strict=False):
        total += column.astype(np.uint64) * np.uint64(weight)
    return (total >> np.uint64(32)).astype(np.int64)


def vector_sums(ids: Numbers, rows: NDArray[np.int8]) -> Numbers:
    """Return the checksums of vectors with their identifiers, shape ``(n,)``."""
    return row_sums(rows).astype(np.int64) ^ link_sums(ids)


def data_sum(data: bytes, *numbers: int) -> int:
    """Return the checksum of a row of some numbers and bytes."""
    return crc32(data, link_sum(*numbers))


def bucket_of(name: str | bytes) -> int:
    """Return a name's bucket."""
    return crc32(name.encode() if isinstance(name, str) else name) % _BUCKETS


def name_sum(name: str | bytes, chunk: int) -> int:
    """Return the number that a defined name adds to its bucket's sum."""
    return crc32(name.encode() if isinstance(name, str) else name, chunk & WRAP)
