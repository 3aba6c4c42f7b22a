"""Which files a repository tracks, by git's index; a tracked file is wanted even if a pattern ignores it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from struct import Struct

from quaestor.files.git_folder import git_folder, read_small

_LARGEST_INDEX = 1 << 28
_HEADER = Struct(">4sII")
_FLAGS = Struct(">H")
_FIXED = 60
"""Bytes of an entry before its flags: times, device, inode, mode, owner, size and hash (SHA-1)."""

_EXTENDED = 0x4000
_LONGEST_OFFSET = 10
"""Bytes that a number of 64 bits takes."""


def index_file(repository: Path) -> Path:
    """Return where the index of a repository's work tree lies, which need not exist."""
    return git_folder(repository / ".git") / "index"


class Tracked:
    """The files that a repository tracks; read when first asked for.

    Args:
        repository: the folder that holds ``.git``.
        inside: the path of the walk's root within it, empty or ending with ``/``.
        prefix: the path of the repository within the walk's root, empty or ending with ``/``.
    """

    def __init__(self, repository: Path, inside: str = "", prefix: str = "") -> None:
        self.prefix = prefix
        self.file = index_file(repository)
        self._inside = inside
        self._names: list[bytes] | None = None

    def has(self, path: str, *, folder: bool) -> bool:
        """Return whether a file is tracked, or a folder holds one; ``path`` is from the walk's root."""
        if self._names is None:
            self._names = sorted(tracked_names(read_small(self.file, _LARGEST_INDEX)))
        name = f"{self._inside}{path[len(self.prefix) :]}".encode("utf-8", "surrogateescape")
        if folder:
            name += b"/"
        # The folders are not kept: those of one long path would take the square of its length.
        at = bisect_left(self._names, name)
        found = self._names[at] if at < len(self._names) else b""
        return found.startswith(name) if folder else found == name


def tracked_names(index: bytes) -> Iterator[bytes]:
    """Yield the paths in an index of version 2, 3 or 4; those before the damage in a damaged one.

    They take no more room together than an index may take: in version 4 each can repeat the whole path before it.
    """
    if len(index) < _HEADER.size:
        return
    mark, version, count = _HEADER.unpack_from(index)
    if mark != b"DIRC" or version not in (2, 3, 4):
        return
    at, name, room = _HEADER.size, b"", _LARGEST_INDEX
    for _ in range(count):
        start = at
        at += _FIXED
        if at + _FLAGS.size > len(index):
            return
        (flags,) = _FLAGS.unpack_from(index, at)
        at += _FLAGS.size + (2 if flags & _EXTENDED else 0)
        kept = b""
        if version == 4:
            cut, at = _offset(index, at)
            kept = name[: max(len(name) - cut, 0)]
        end = index.find(b"\0", at)
        if end < 0:
            return
        room -= len(kept) + end - at
        if room < 0:
            return
        name = kept + index[at:end]
        yield name
        # Versions 2 and 3 fill an entry up with one to eight NULs.
        at = end + 1 if version == 4 else start + ((end - start) // 8 + 1) * 8


def _offset(index: bytes, at: int) -> tuple[int, int]:
    """Return git's variable-width number at ``at`` and where it ends."""
    value = -1
    for byte in index[at : at + _LONGEST_OFFSET]:
        at += 1
        value = ((value + 1) << 7) | (byte & 0x7F)
        if not byte & 0x80:
            break
    return max(value, 0), at
