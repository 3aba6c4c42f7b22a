"""Where a user's uploads are stored: in a folder, or in PostgreSQL, from where each server copies them to a folder.

A server indexes the folder in both cases.
"""

from __future__ import annotations

import errno
import os
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from quaestor.assemble import shared_tables
from quaestor.core.config import Settings, data_home, make_private

if TYPE_CHECKING:
    from quaestor.state.postgres import StateConnection, StateTables

_LOCAL = "local"
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_SIZES = "select name, octet_length(data), changed from uploads where owner = ?"
_COPIED: dict[Path, tuple[int, int]] = {}
# The state that was last copied to each folder: the number of documents and the latest of their times.
_COPYING = threading.Lock()


def upload_store_for(settings: Settings, user: str) -> UploadStore:
    """Return the store of a user's documents: in the data folder, or in PostgreSQL with copies in that folder.

    Raises:
        QuaestorError: the PostgreSQL server cannot be reached or used.
    """
    home = data_home(settings).resolve() / "documents"
    folder, incoming = home / (user or _LOCAL), home / ".incoming"
    tables = shared_tables(settings)
    if tables is None:
        return UploadFolder(folder, incoming)
    return UploadTable(tables, user, folder, incoming)


class UploadedFile(NamedTuple):
    """An uploaded document: its name, its size in bytes, and when it was stored, in microseconds since the epoch."""

    name: str
    size: int
    changed: int


class UploadStore(Protocol):
    """Stores one user's documents by their names."""

    @property
    def folder(self) -> Path:
        """The folder of the files or their copies; created with the first document."""

    def all(self) -> list[UploadedFile]:
        """Return all of them, in any order."""

    def add(self, names: Iterable[str], data: bytes, check: Callable[[list[UploadedFile]], None]) -> UploadedFile:
        """Store a document atomically, under the first free name.

        Args:
            names: the names to choose from, in order of preference.
            data: the document's bytes.
            check: called with the stored documents while no other upload runs; an exception from it cancels this one.

        Raises:
            OSError: the disk is full.
        """

    def remove(self, name: str) -> None:
        """Remove one, if it is there."""

    def sync(self) -> None:
        """Bring the folder up to date with the store."""


class UploadFolder:
    """An ``UploadStore`` that stores the files in its folder.

    Args:
        folder: the user's own folder.
        incoming: a folder on the same disk, in which files are written before they are moved to ``folder``.
    """

    # Otherwise two uploads at once could together exceed the limits, or, on disks without hard links, take one name.
    _adding = threading.Lock()

    def __init__(self, folder: Path, incoming: Path) -> None:
        self.folder = folder
        self._incoming = incoming

    def all(self) -> list[UploadedFile]:
        """Return all of them, in any order."""
        return _files_in(self.folder)

    def add(self, names: Iterable[str], data: bytes, check: Callable[[list[UploadedFile]], None]) -> UploadedFile:
        """Write the file to ``incoming``, then move it to the first free name."""
        with self._adding:
            check(self.all())
            make_private(self.folder)
            with _temporary_file(self._incoming, data) as place:
                free = (name for name in names if not os.path.lexists(self.folder / name))
                name = next(one for one in free if _move_if_free(place, self.folder / one))
        return _uploaded_file(self.folder / name)

    def remove(self, name: str) -> None:
        """Remove one, if it is there."""
        (self.folder / name).unlink(missing_ok=True)

    def sync(self) -> None:
        """Do nothing, because the folder itself holds the documents."""


class UploadTable:
    """An ``UploadStore`` that all servers share.

    Args:
        tables: the PostgreSQL server's tables.
        owner: the user's id.
        folder: the folder of the copies on this machine.
        incoming: a folder on the same disk, in which files are written before they are moved to ``folder``.
    """

    def __init__(self, tables: StateTables, owner: str, folder: Path, incoming: Path) -> None:
        self._tables = tables
        self._owner = owner
        self._incoming = incoming
        self.folder = folder

    def all(self) -> list[UploadedFile]:
        """Return all documents, in any order."""
        with self._tables.reading() as connection:
            return self._read_files(connection)

    def add(self, names: Iterable[str], data: bytes, check: Callable[[list[UploadedFile]], None]) -> UploadedFile:
        """Store a document, and copy it to the folder at once."""
        with self._tables.step(f"uploads {self._owner}") as connection:
            there = self._read_files(connection)
            check(there)
            used_names = {one.name for one in there}
            name = next(one for one in names if one not in used_names)
            # Later than the user's other documents, so that every change alters the number of documents or the latest
            # time.
            after = max((one.changed for one in there), default=0) + 1
            changed = max(after, int(self._tables.now(connection) * 1e6))
            connection.execute(
                "insert into uploads (owner, name, data, changed) values (?, ?, ?, ?)",
                (self._owner, name, data, changed),
            )
        self.sync()
        return UploadedFile(name, len(data), changed)

    def remove(self, name: str) -> None:
        """Remove a document, if it is there."""
        with self._tables.step(f"uploads {self._owner}") as connection:
            connection.execute("delete from uploads where owner = ? and name = ?", (self._owner, name))
        self.sync()

    def sync(self) -> None:
        """Bring the folder up to date with the database; without changes, this is one small query."""
        with self._tables.reading() as connection:
            [state] = connection.execute(
                "select count(*), coalesce(max(changed), 0) from uploads where owner = ?", (self._owner,)
            ).fetchall()
        with _COPYING:
            if state != _COPIED.get(self.folder):
                self._copy()
                _COPIED[self.folder] = state

    def _copy(self) -> None:
        stored, here = set(self.all()), set(_files_in(self.folder))
        for name in {one.name for one in here} - {one.name for one in stored}:
            (self.folder / name).unlink(missing_ok=True)
        if stored:
            make_private(self.folder)
        for lacking in stored - here:
            self._fetch(lacking)

    def _fetch(self, file: UploadedFile) -> None:
        with self._tables.reading() as connection:
            row = connection.execute(
                "select data from uploads where owner = ? and name = ?", (self._owner, file.name)
            ).fetchone()
        if row is None:
            return  # it was removed meanwhile; the next call of `sync` removes the copy
        with _temporary_file(self._incoming, row[0]) as place:
            os.utime(place, ns=(file.changed * 1000, file.changed * 1000))
            place.replace(self.folder / file.name)

    def _read_files(self, connection: StateConnection) -> list[UploadedFile]:
        return [UploadedFile(*row) for row in connection.execute(_SIZES, (self._owner,))]


def _files_in(folder: Path) -> list[UploadedFile]:
    """Return the files of a folder; none if the folder does not exist."""
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return []
    return [_uploaded_file(Path(entry.path)) for entry in entries if entry.is_file(follow_symlinks=False)]


def _uploaded_file(path: Path) -> UploadedFile:
    status = path.lstat()
    return UploadedFile(path.name, status.st_size, status.st_mtime_ns // 1000)


@contextmanager
def _temporary_file(folder: Path, data: bytes) -> Iterator[Path]:
    """Yield a temporary file with some bytes, readable only by this user; it is removed afterwards."""
    make_private(folder)
    place = folder / secrets.token_hex(8)
    try:
        with os.fdopen(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(data)
        yield place
    finally:
        place.unlink(missing_ok=True)


def _move_if_free(place: Path, target: Path) -> bool:
    """Move a file to a target path, unless that is taken; return whether it was moved."""
    try:
        # Unlike a move, a link never replaces a file that another process has just created.
        os.link(place, target)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        place.replace(target)
    return True
