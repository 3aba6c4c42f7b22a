"""Remembering counts by text, so that a long conversation is counted once."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Generic, TypeVar

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
