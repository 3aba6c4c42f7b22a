"""Opening files under one root through descriptors of their folders, so that no link is ever followed.

Each folder on the way is opened from the one above it and refused if it is a link. Files are then read or renamed as
entries of that very folder, even if names were moved or swapped meanwhile.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from quaestor.core.errors import UsageError
from quaestor.edits.plans import Kind

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
LARGEST = 8_000_000
"""Bytes of the largest file that is edited."""


class PlaceError(Exception):
    """A path that cannot be reached, or is not an editable file.

    Attributes:
        kind: the refusal's kind.
    """

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind: Kind = kind


@dataclass(frozen=True, slots=True)
class Content:
    """A regular file as it was read.

    Attributes:
        data: its bytes.
        mode: permission bits.
        uid: owner.
        gid: group.
    """

    data: bytes
    mode: int
    uid: int
    gid: int


class Folders:
    """Open folders under a root; use it as a context.

    Args:
        root: real path of the folder that nothing leads out of.
    """

    def __init__(self, root: Path) -> None:
        if os.open not in os.supports_dir_fd:
            raise UsageError(
                "This system cannot open files from their folder, which safe edits need. Use --patch FILE."
            )
        self._root = root
        self._open: dict[str, int] = {}

    def __enter__(self) -> Self:
        self._open[""] = os.open(self._root, _FOLDER)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open.clear()

    def parent(self, path: str) -> int:
        """Return a descriptor of the folder that contains ``path``.

        Raises:
            FileNotFoundError: there is no such folder.
            PlaceError: a part of the way is a link or no folder.
        """
        return self._folder(path.rpartition("/")[0])

    def missing_folders(self, path: str) -> list[str]:
        """Return the folders above ``path`` that do not exist, outermost first."""
        parts = path.split("/")[:-1]
        for depth in range(len(parts)):
            try:
                self._folder("/".join(parts[: depth + 1]))
            except FileNotFoundError:
                return ["/".join(parts[: end + 1]) for end in range(depth, len(parts))]
        return []

    def make(self, folder: str) -> None:
        """Create one folder, unless it exists."""
        with suppress(FileExistsError):
            os.mkdir(_name(folder), dir_fd=self.parent(folder))

    def remove_empty(self, folder: str) -> None:
        """Remove a folder if it exists and is empty."""
        with suppress(OSError, PlaceError):
            os.rmdir(_name(folder), dir_fd=self.parent(folder))
            os.close(self._open.pop(folder, -1))

    def read(self, path: str) -> Content | None:
        """Return a file; None if nothing is there.

        Raises:
            PlaceError: there is something else than a regular file, or the file is too large.
            OSError: it cannot be read.
        """
        try:
            parent = self.parent(path)
        except FileNotFoundError:
            return None
        try:
            descriptor = os.open(_name(path), _FILE, dir_fd=parent)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise _is_link(path) from None
            raise
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            os.close(descriptor)
            raise PlaceError("not a file", f"{path!r} is not a regular file; name one")
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            if state.st_size > LARGEST:
                raise PlaceError("too large", f"{path!r} has {state.st_size:,} bytes; the limit is {LARGEST:,}")
            data = file.readall() or b""
        return Content(data, stat.S_IMODE(state.st_mode), state.st_uid, state.st_gid)

    def is_unmoved(self, path: str) -> bool:
        """Return whether the folder of ``path`` is still the one that was opened."""
        folder = path.rpartition("/")[0]
        with Folders(self._root) as afresh:
            try:
                now = os.fstat(afresh._folder(folder))
            except (OSError, PlaceError):
                return False
        before = os.fstat(self._folder(folder))
        return (now.st_dev, now.st_ino) == (before.st_dev, before.st_ino)

    def sync(self) -> None:
        """Have the system write the entries of all open folders to disk."""
        for descriptor in self._open.values():
            with suppress(OSError):  # some file systems cannot
                os.fsync(descriptor)

    def _folder(self, folder: str) -> int:
        if folder in self._open:
            return self._open[folder]
        above, _, name = folder.rpartition("/")
        parent = self._folder(above)
        try:
            descriptor = os.open(name, _FOLDER, dir_fd=parent)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR):
                raise
            state = os.stat(name, dir_fd=parent, follow_symlinks=False)
            if stat.S_ISLNK(state.st_mode):
                raise _is_link(folder) from None
            raise PlaceError("not a file", f"{folder!r} is a file, not a folder") from None
        self._open[folder] = descriptor
        return descriptor


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _is_link(path: str) -> PlaceError:
    return PlaceError("link", f"{path!r} is a symbolic link, which edits do not follow; name its target")
