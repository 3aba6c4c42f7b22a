"""Where the documents lie that a user uploaded: a folder of files that is indexed like any other."""

from __future__ import annotations

import errno
import os
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class Lying(NamedTuple):
    """A document on a shelf: its name, its bytes, and when it was put there, in microseconds since the epoch."""

    name: str
    size: int
    changed: int


class Shelf(Protocol):
    """One user's documents by their names."""

    @property
    def folder(self) -> Path:
        """Where they lie as files, or are copied to; made by the first of them."""

    def all(self) -> list[Lying]:
        """Return all of them, in any order."""

    def add(self, names: Iterable[str], data: bytes, check: Callable[[list[Lying]], None]) -> Lying:
        """Put a document there as a whole or not at all, under the first of some names that is free.

        Args:
            names: to choose from.
            data: its bytes.
            check: called with what is there, while nobody else adds anything; what it raises ends it.

        Raises:
            OSError: there is no room on the disk.
        """

    def remove(self, name: str) -> None:
        """Remove one, if it is there."""

    def bring(self) -> None:
        """Bring the folder up to what lies on the shelf."""


class FolderShelf:
    """A ``Shelf`` that is its folder.

    Args:
        folder: of the user's own.
        incoming: a folder of the same disk, where files are written before they are there.
    """

    # Two uploads at once would find the same room, and no link tells names apart on disks that know none.
    _adding = threading.Lock()

    def __init__(self, folder: Path, incoming: Path) -> None:
        self.folder = folder
        self._incoming = incoming

    def all(self) -> list[Lying]:
        """Return all of them, in any order."""
        return lying_in(self.folder)

    def add(self, names: Iterable[str], data: bytes, check: Callable[[list[Lying]], None]) -> Lying:
        """Write a file elsewhere, and move it to where no other is."""
        with self._adding:
            check(self.all())
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with written(self._incoming, data) as place:
                free = (name for name in names if not os.path.lexists(self.folder / name))
                name = next(one for one in free if _moved(place, self.folder / one))
        return _lying(self.folder / name)

    def remove(self, name: str) -> None:
        """Remove one, if it is there."""
        (self.folder / name).unlink(missing_ok=True)

    def bring(self) -> None:
        """Do nothing: what lies there is what there is."""


def lying_in(folder: Path) -> list[Lying]:
    """Return the files of a folder; there need be none."""
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return []
    return [_lying(Path(entry.path)) for entry in entries if entry.is_file(follow_symlinks=False)]


def _lying(path: Path) -> Lying:
    found = path.lstat()
    return Lying(path.name, found.st_size, found.st_mtime_ns // 1000)


@contextmanager
def written(folder: Path, data: bytes) -> Iterator[Path]:
    """Give a file with some bytes that only this user may read, under a name of its own; it is gone afterwards."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    place = folder / secrets.token_hex(8)
    try:
        with os.fdopen(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(data)
        yield place
    finally:
        place.unlink(missing_ok=True)


def _moved(place: Path, target: Path) -> bool:
    """Give a file another place, unless that was taken meanwhile; return whether it has it."""
    try:
        # Unlike a move, this never takes the place of a file that another process has just put there.
        os.link(place, target)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        place.replace(target)
    return True
