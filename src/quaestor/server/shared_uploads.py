"""Stores a user's uploads in PostgreSQL; each server copies them to a folder of its own and indexes that."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from quaestor.core.private_folders import make_private
from quaestor.server.uploads import FileOnShelf, files_in, temporary_file
from quaestor.state.postgres import StateConnection, StateTables

_SIZES = "select name, octet_length(data), changed from uploads where owner = ?"
_SEEN: dict[Path, tuple[int, int]] = {}
# The state that was last copied to each folder: the number of documents and the latest of their times.
_BRINGING = threading.Lock()


class SharedShelf:
    """A ``Shelf`` that all servers share.

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

    def all(self) -> list[FileOnShelf]:
        """Return all documents, in any order."""
        with self._tables.reading() as connection:
            return self._read_files(connection)

    def add(self, names: Iterable[str], data: bytes, check: Callable[[list[FileOnShelf]], None]) -> FileOnShelf:
        """Store a document, and copy it to the folder at once."""
        with self._tables.step(f"uploads {self._owner}") as connection:
            there = self._read_files(connection)
            check(there)
            taken = {one.name for one in there}
            name = next(one for one in names if one not in taken)
            # Later than the user's other documents, so that every change alters the number of documents or the latest
            # time.
            after = max((one.changed for one in there), default=0) + 1
            changed = max(after, int(self._tables.now(connection) * 1e6))
            connection.execute(
                "insert into uploads (owner, name, data, changed) values (?, ?, ?, ?)",
                (self._owner, name, data, changed),
            )
        self.sync()
        return FileOnShelf(name, len(data), changed)

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
        with _BRINGING:
            if state != _SEEN.get(self.folder):
                self._copy()
                _SEEN[self.folder] = state

    def _copy(self) -> None:
        stored, here = set(self.all()), set(files_in(self.folder))
        for name in {one.name for one in here} - {one.name for one in stored}:
            (self.folder / name).unlink(missing_ok=True)
        if stored:
            make_private(self.folder)
        for lacking in stored - here:
            self._fetch(lacking)

    def _fetch(self, file: FileOnShelf) -> None:
        with self._tables.reading() as connection:
            row = connection.execute(
                "select data from uploads where owner = ? and name = ?", (self._owner, file.name)
            ).fetchone()
        if row is None:
            return  # it was removed meanwhile; the next call of `sync` removes the copy
        with temporary_file(self._incoming, row[0]) as place:
            os.utime(place, ns=(file.changed * 1000, file.changed * 1000))
            place.replace(self.folder / file.name)

    def _read_files(self, connection: StateConnection) -> list[FileOnShelf]:
        return [FileOnShelf(*row) for row in connection.execute(_SIZES, (self._owner,))]
