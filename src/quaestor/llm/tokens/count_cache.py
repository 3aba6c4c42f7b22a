"""Remembering counts by text, cut where no token can lie across.

A long conversation is counted once, a growing text only where it is new.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Generic, TypeVar

_BOUNDARY = re.compile(r"\n(?![/\r\n])(?=[^\S\r\n]*\S)")
# Shorter ones cost more to look up than to count.
_LEAST = 200


def segments(text: str) -> Iterator[str]:
    """Yield a text in pieces whose counts by OpenAI's encodings add up; what is put behind it changes the last only."""
    start = 0
    while found := _BOUNDARY.search(text, start + _LEAST):
        yield text[start : found.end()]
        start = found.end()
    yield text[start:]


_SHORT = 256
_ENTRIES = 1 << 16

SEGMENTS = 1 << 13
"""Entries for pieces of texts: enough for what is put together and taken apart while one window is composed."""

CountT = TypeVar("CountT")


class CountCache(Generic[CountT]):
    """Counts by text, oldest dropped first.

    Long texts are remembered by their digest: a tool result of 10 MB must not stay alive because it was counted.
    """

    def __init__(self, count: Callable[[str], CountT], entries: int = _ENTRIES) -> None:
        self._count = count
        self._entries = entries
        self._known: dict[str | bytes, CountT] = {}

    def __call__(self, text: str) -> CountT:
        """Return the count of ``text``, counting it if it is new."""
        key = text if len(text) <= _SHORT else _digest(text)
        known = self._known.get(key)
        if known is None:
            known = self._count(text)
            if len(self._known) >= self._entries:
                # Another thread may have dropped the same entry.
                self._known.pop(next(iter(self._known)), None)
            self._known[key] = known
        return known


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
