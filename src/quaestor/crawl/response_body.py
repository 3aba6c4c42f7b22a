"""Reading the body of an answer: neither what is sent nor what it unpacks to may pass a limit, nor the time one."""

from __future__ import annotations

import http.client
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from quaestor.crawl.connections import FetchError

_BLOCK = 1 << 16
_DRAINED = 1 << 17


def read_body(response: http.client.HTTPResponse, encoding: str, largest: int, deadline: float) -> bytes:
    """Return a body, unpacked as it comes.

    Args:
        response: the answer.
        encoding: its ``Content-Encoding``.
        largest: bytes that may be sent, and that they may unpack to.
        deadline: moment of the monotonic clock by which it must be there.

    Raises:
        FetchError: it is too large, packed in a way that was not asked for, or ends too early.
        TimeoutError: it is not there in time.
    """
    unpack = _unpacker(encoding.strip().lower())
    parts: list[bytes] = []
    sent = size = 0
    while block := response.read1(_BLOCK):
        if time.monotonic() > deadline:
            raise TimeoutError
        sent += len(block)
        if sent > largest:
            raise FetchError("too large", f"more than {largest:,} bytes")
        while block:
            part, block = unpack(block)
            size += len(part)
            if size > largest:
                raise FetchError("too large", f"more than {largest:,} bytes")
            parts.append(part)
    if response.length:  # what was promised and never came
        raise FetchError("broken answer", "it ended too early", retryable=True)
    return b"".join(parts)


def drain(response: http.client.HTTPResponse) -> None:
    """Read a body that nobody wants, if it is short, so that the connection can serve again."""
    left = _DRAINED
    with suppress(OSError, http.client.HTTPException):
        while left > 0 and (block := response.read1(_BLOCK)):
            left -= len(block)


def is_read(response: http.client.HTTPResponse) -> bool:
    """Return whether an answer was read to its end and its connection stays open."""
    return not response.will_close and (response.isclosed() or response.length == 0)


def _unpacker(encoding: str) -> Callable[[bytes], tuple[bytes, bytes]]:
    """Return what turns a block into (a part of the body, what of the block is left), never much at once."""
    if encoding in ("", "identity"):
        return lambda block: (block, b"")
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise FetchError("broken answer", f"it is packed in a way that was not asked for: {encoding[:40]!r}")
    state: dict[str, Any] = {}

    def unpack(block: bytes) -> tuple[bytes, bytes]:
        if "packed" not in state:
            # 47: gzip or zlib by its head; servers also send deflate without any.
            raw = encoding == "deflate" and (block[0] & 0x0F) != 8
            state["packed"] = zlib.decompressobj(-zlib.MAX_WBITS if raw else zlib.MAX_WBITS | 32)
        packed = state["packed"]
        return packed.decompress(block, _BLOCK * 4), packed.unconsumed_tail

    return unpack
