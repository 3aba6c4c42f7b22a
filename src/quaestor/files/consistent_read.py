"""Reading a file so that its bytes and its hash agree, and checking whether it is still the indexed one.

File names become text that can be stored, printed and sent, whatever their bytes: invalid UTF-8 is written as
``\\xNN``, which ``on_disk`` converts back.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from quaestor.core.documents import Document
from quaestor.core.light_imports import NamedTuple

RACY_NS = 2_000_000_000
"""Nanoseconds: a file modified less than this before it was read may change without a new modification time."""

UNTRUSTED = 0
"""The stamp to store if the real one proves nothing; the next check compares the hash."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)

_ESCAPE = re.compile(r"\\x([89a-f][0-9a-f])")


class NotRegularError(OSError):
    """The path no longer leads to a regular file."""


class Snapshot(NamedTuple):
    """A file's bytes with what was known about it when they were read.

    Attributes:
        data: its bytes.
        sha256: their hash, lower-case hex.
        stamp: the file's; ``UNTRUSTED`` if other bytes could have the same stamp.
        steady: whether the file did not change while it was read.
    """

    data: bytes
    sha256: str
    stamp: int
    steady: bool


def read_snapshot(place: str, limit: int | None = None, *, root: str = "") -> Snapshot:
    """Return a file's bytes, read once more if it changed meanwhile.

    Args:
        place: absolute path; a symbolic link is not followed, and a pipe does not block.
        limit: read at most one byte more than this.
        root: the real path of a folder above; no link in its place or below is followed, even if it is put there
            meanwhile.

    Raises:
        OSError: it cannot be read; ``NotRegularError`` if it is not a regular file.
    """
    from hashlib import sha256  # noqa: PLC0415 - loads OpenSSL, and most searches read no file

    data, before, after = _read(place, limit, root)
    if not _is_unchanged(before, after, len(data), limit):
        data, before, after = _read(place, limit, root)
    steady = _is_unchanged(before, after, len(data), limit)
    trusted = steady and not is_racy(after.st_mtime_ns, time.time_ns())
    return Snapshot(data, sha256(data).hexdigest(), stamp_of(after) if trusted else UNTRUSTED, steady)


def stamp_of(state: os.stat_result) -> int:
    """Return a number that changes when a file is written, set back in time or replaced.

    The modification time alone does not suffice, because programs that unpack or copy files set it: reproducible
    archives give all files of all versions the same time. Two files of one size that were checked out in the same
    instant can change places. So, as in git, the change time and the inode count, too; Windows has neither.
    """
    if sys.platform == "win32":
        return state.st_mtime_ns
    return hash((state.st_mtime_ns, state.st_ctime_ns, state.st_ino))


def is_racy(mtime_ns: int, now_ns: int) -> bool:
    """Return whether a file with this time, read now, might change without a change of the time.

    A time far in the future is not racy: the next write sets it back to the present.
    """
    return abs(now_ns - mtime_ns) < RACY_NS


def _read(place: str, limit: int | None, root: str) -> tuple[bytes, os.stat_result, os.stat_result]:
    descriptor = _open_below(root, place) if root and os.open in os.supports_dir_fd else os.open(place, _FLAGS)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise NotRegularError(f"{place!r} is not a regular file")
        data = file.read() if limit is None else _read_up_to(file.fileno(), limit + 1)
        return data, before, os.fstat(descriptor)


def _open_below(root: str, place: str) -> int:
    """Open a file folder by folder, each relative to the previous one."""
    *folders, name = place.removeprefix(root).strip("/").split("/")
    here = os.open(root, _FOLDER)
    try:
        for folder in folders:
            below = os.open(folder, _FOLDER, dir_fd=here)
            os.close(here)
            here = below
        return os.open(name, _FLAGS, dir_fd=here)
    finally:
        os.close(here)


def _read_up_to(descriptor: int, count: int) -> bytes:
    parts = []
    while count > 0 and (part := os.read(descriptor, min(count, 1 << 20))):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _is_unchanged(before: os.stat_result, after: os.stat_result, length: int, limit: int | None) -> bool:
    whole = length == after.st_size or (limit is not None and length > limit)
    return whole and (before.st_size, stamp_of(before)) == (after.st_size, stamp_of(after))


State = Literal["fresh", "changed", "missing"]
"""``fresh``: the bytes on disk are the indexed ones. ``missing``: no such file, or it cannot be read."""


def check(root: Path, documents: Iterable[Document]) -> Mapping[str, State]:
    """Return each document's state by path.

    Args:
        root: the folder that paths are relative to.
        documents: the documents as indexed; usually those of a few hits. Each is checked once.
    """
    place = str(root)
    return {path: check_one(place, document) for path, document in {d.path: d for d in documents}.items()}


def check_one(root: str, document: Document) -> State:
    """Return one document's state; the file is read only if its size and stamp prove nothing."""
    place = on_disk(root, document.path)
    try:
        state = os.lstat(place)
        if not stat.S_ISREG(state.st_mode):
            return "missing"
        if state.st_size != document.size:
            return "changed"
        if document.stamp != UNTRUSTED and document.stamp == stamp_of(state):
            return "fresh"
        return "fresh" if read_snapshot(place, document.size, root=root).sha256 == document.sha256 else "changed"
    except OSError:
        return "missing"


def storable(name: str) -> str:
    r"""Return a name or path from the file system with undecodable bytes as ``\xNN``."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return name


def on_disk(root: str, path: str) -> str:
    """Return the path on disk of a document under ``root``."""
    place = os.path.join(root, path)  # noqa: PTH118 - hot, and pathlib would normalise
    if "\\x" not in path or os.path.lexists(place):
        return place
    raw = _ESCAPE.sub(lambda match: chr(0xDC00 + int(match[1], 16)), path)
    return os.path.join(root, raw)  # noqa: PTH118
