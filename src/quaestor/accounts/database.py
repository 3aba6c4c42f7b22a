"""The SQLite file of users and ledger, opened on first use and shared by threads and processes.

A transaction that decides (is there room under the limit?) takes the write lock before it reads, so that no two
processes decide by the same numbers. With a write-ahead log, ``kill -9`` loses no committed transaction; a power cut
may lose the last ones, but damages nothing. Syncing each transaction would make every request wait for the disk.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from quaestor.core.config import make_private
from quaestor.core.errors import QuaestorError

_APPLICATION = 0x51416363
_VERSION = 1
_BUSY_SECONDS = 5.0

_TABLES = """
create table if not exists users (
    id text primary key, name text not null unique collate nocase, token blob not null unique,
    created text not null, revoked text
);
create table if not exists requests (
    id integer primary key, at integer not null, user text not null, source text not null, session text not null,
    model text not null, kind text not null, request text not null, state text not null,
    prompt_tokens integer not null, completion_tokens integer not null, reported integer not null,
    cost integer, currency text not null, settled integer
);
create index if not exists requests_by_time on requests (at);
create index if not exists requests_by_user on requests (user, at);
create index if not exists requests_open on requests (at) where state = 'reserved';
create table if not exists totals (
    period text not null, user text not null, currency text not null,
    tokens integer not null, cost integer not null,
    primary key (period, user, currency)
) without rowid;
"""


class AccountsUnusableError(QuaestorError):
    """The file of users and ledger cannot be read or written."""

    exit_code = 4
    http_status = 503
    code = "accounts"


class AccountsFile:
    """The SQLite ``Database`` of accounts.

    Args:
        path: the file's path; the first write creates it and its folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.RLock()

    @property
    def name(self) -> str:
        """The file's path."""
        return str(self.path)

    def close(self) -> None:
        """Close the file; the next use opens it again. Garbage collection closes it, too."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """Yield a connection for reading; None if the file does not exist yet.

        Raises:
            AccountsUnusableError: the file cannot be read.
        """
        with self._lock, self._failures_explained():
            yield self._open() if self._connection or self.path.exists() else None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection within a transaction that holds the write lock; an exception rolls it back.

        Raises:
            AccountsUnusableError: the file cannot be written.
        """
        with self._lock, self._failures_explained():
            connection = self._open()
            connection.execute("begin immediate")
            try:
                yield connection
                connection.execute("commit")
            except BaseException:
                # If the disk is full, SQLite has already rolled the transaction back.
                with suppress(sqlite3.Error):
                    connection.execute("rollback")
                raise

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = self._open_connection()
            # Commands need not close the file explicitly; without this, Python would warn of the open connection.
            weakref.finalize(self, connection.close)
            self._connection = connection
        return self._connection

    def _open_connection(self) -> sqlite3.Connection:
        new = not self.path.exists()
        if new:
            make_private(self.path.parent)
            # Usage is private. SQLite gives its other files the same permissions.
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("pragma synchronous = normal")
        if self._version(connection) < _VERSION:
            connection.execute("begin immediate")
            # Another process may have created the tables while this one waited.
            if self._version(connection) < _VERSION:
                for statement in (*_TABLES.split(";"), f"pragma application_id = {_APPLICATION}"):
                    connection.execute(statement)
                connection.execute(f"pragma user_version = {_VERSION}")
            connection.execute("commit")
        with suppress(sqlite3.OperationalError):
            # If another process has locked the file now, the next process that opens it sets this.
            connection.execute("pragma journal_mode = wal")

    def _version(self, connection: sqlite3.Connection) -> int:
        """Return the version of the file's tables, 0 for a new file.

        Raises:
            AccountsUnusableError: the file is from another program or a newer version.
        """
        # One statement, so that all values are from the same moment.
        version, application, tables = connection.execute(
            "select user_version, application_id, (select count(*) from sqlite_master)"
            " from pragma_user_version, pragma_application_id"
        ).fetchone()
        if application != _APPLICATION and (application or tables):
            raise self._damage_error("it is not a file of Quaestor's accounts")
        if version > _VERSION:
            raise AccountsUnusableError(
                f"The accounts in {str(self.path)!r} were written by a newer version of Quaestor (format {version},"
                f" this one reads {_VERSION}). Upgrade Quaestor."
            )
        return int(version)

    @contextmanager
    def _failures_explained(self) -> Iterator[None]:
        name = repr(str(self.path))
        try:
            yield
        except sqlite3.OperationalError as error:
            text = str(error)
            if "locked" in text or "busy" in text:
                raise AccountsUnusableError(
                    f"The accounts in {name} are busy in another process. Try again."
                ) from error
            raise self._unwritable(text) from error
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise
        except sqlite3.DatabaseError as error:
            raise self._damage_error(str(error)) from error
        except OSError as error:
            raise self._unwritable(error.strerror or str(error)) from error

    def _unwritable(self, detail: str) -> AccountsUnusableError:
        return AccountsUnusableError(
            f"The accounts in {str(self.path)!r} cannot be used ({detail}). Free some space, or make that"
            " folder writable."
        )

    def _damage_error(self, detail: str) -> AccountsUnusableError:
        return AccountsUnusableError(
            f"The accounts in {str(self.path)!r} are damaged ({detail}). Restore the file from a copy, or move it away:"
            " a new one begins with no users and nothing spent."
        )
