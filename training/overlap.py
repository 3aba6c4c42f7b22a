"""Finds passages that an evaluation corpus also holds: vendored or copied code that the list of names cannot show."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

_LONG = 30  # characters of a stripped line
_SHARED = 4


def long_lines(text: str) -> set[int]:
    """Return the checksums of the long lines of ``text``."""
    stripped = (line.strip() for line in text.splitlines())
    return {zlib.crc32(line.encode()) for line in stripped if len(line) >= _LONG}


def lines_of_folders(folders: Iterable[Path]) -> frozenset[int]:
    """Return the checksums of every long line under ``folders``."""
    found: set[int] = set()
    for folder in folders:
        for file in folder.rglob("*"):
            if file.is_file() and file.stat().st_size < 1_000_000 and ".git" not in file.parts:
                found |= long_lines(file.read_text("utf-8", "replace"))
    return frozenset(found)


def overlaps(text: str, judged: frozenset[int]) -> bool:
    """Whether ``text`` shares four long lines with the judged corpora."""
    return len(long_lines(text) & judged) >= _SHARED
