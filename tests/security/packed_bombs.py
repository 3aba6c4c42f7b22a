"""Answers that are small on the wire and more than a machine holds when they are unpacked."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

_BLOCK = 16 << 20


def packed(megabytes: int, begin: bytes = b"", wbits: int = 31) -> bytes:
    """Return gzip (or with other ``wbits`` zlib or deflate) of blanks; made in no time, for its blocks are alike."""
    return b"".join(_pieces(megabytes, begin, wbits))


def _pieces(megabytes: int, begin: bytes, wbits: int) -> Iterator[bytes]:
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    yield packer.compress(begin) + packer.flush(zlib.Z_FULL_FLUSH)
    # After a full flush nothing refers to what was before: the same bytes mean the same again.
    block = packer.compress(b" " * _BLOCK) + packer.flush(zlib.Z_FULL_FLUSH)
    yield block * (megabytes * (1 << 20) // _BLOCK)
    yield packer.flush()
