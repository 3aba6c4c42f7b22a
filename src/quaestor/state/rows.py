"""The database protocol for sessions, users, ledger, rates and claims: the same statements for two engines.

The statements keep to what SQLite and PostgreSQL both understand: ``?`` and ``:name`` stand for values, only numbers,
texts and bytes are stored, and a row that may exist already is written with ``on conflict``. ``sqlite3.Connection``
follows the protocol as it is. ``SharedFile`` is a small database that the threads and processes of one server share; it
ends with the server.
"""

from __future__ import annotations

import sqlite3
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

Values = Sequence[Any] | Mapping[str, Any]

_BUSY_SECONDS = 5.0
_TABLES = (
    "buckets (what text, key text, level real not null, at real not null, primary key (what, key)) without rowid",
    "claims (name text primary key, holder text not null, said text not null, until real) without rowid",
    "turn_events (turn text not null, number integer not null, piece blob not null, primary key (turn, number))",
    "turn_stops (turn text primary key) without rowid",
)


class RowsRefusedError(Exception):
    """Rows break a rule of the tables: a duplicate key, a missing foreign key, or a wrong type."""


class Cursor(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int:
        """The number of rows that it changed."""

    @property
    def description(self) -> Any:
        """A tuple for each column, its name first; None for a statement that returns nothing."""

    def fetchone(self) -> Any:
        """Return the next row, or None after the last."""

    def fetchall(self) -> list[Any]:
        """Return the remaining rows."""

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """Runs statements inside a transaction."""

    def execute(self, sql: str, values: Values = (), /) -> Cursor:
        """Run a statement."""

    def executemany(self, sql: str, values: Iterable[Values], /) -> object:
        """Run a statement for each of several rows."""


class Database(Protocol):
    """Holds users and ledger: a file, or a schema of a server that several processes and machines use."""

    @property
    def name(self) -> str:
        """The path or address, without a password, for messages."""

    def reading(self) -> AbstractContextManager[Connection | None]:
        """Return a context with a connection for reading, or with None if nothing was ever written.

        Raises:
            AccountsUnusableError: it cannot be read.
        """

    def writing(self) -> AbstractContextManager[Connection]:
        """Return a context with a connection within a transaction, one writer at a time; an exception rolls it back.

        Raises:
            AccountsUnusableError: it cannot be written.
        """

    def close(self) -> None:
        """Close its connections; they are opened again when needed."""


class Shared(Protocol):
    """A database that the processes of one server, or of several, share."""

    def step(self, name: str) -> AbstractContextManager[Connection]:
        """Return a context with a connection in a transaction, one at a time for each name; an error rolls it back."""

    def now(self, connection: Connection) -> float:
        """Return monotonic seconds that are the same for all processes that share this."""


class SharedFile:
    """A ``Shared`` of one machine. Threads may share it; each process opens its own.

    It uses a write-ahead log, so that a process killed in the middle of a step leaves nothing of it behind. Nothing is
    flushed to the disk, because nothing in it outlives the machine.

    Args:
        path: the file; None keeps it to this process.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._lock = threading.Lock()
        place = ":memory:" if path is None else str(path)
        self._connection = sqlite3.connect(place, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._connection.close)
        self._connection.execute("pragma journal_mode = wal")
        self._connection.execute("pragma synchronous = off")
        with self.step("tables") as connection:
            for table in _TABLES:
                connection.execute(f"create table if not exists {table}")

    @contextmanager
    def step(self, name: str) -> Iterator[sqlite3.Connection]:
        """Yield a connection within a transaction; all transactions run one after the other, whatever their names."""
        with self._lock:
            self._connection.execute("begin immediate")
            try:
                yield self._connection
                self._connection.execute("commit")
            except BaseException:
                self._connection.execute("rollback")
                raise

    def close(self) -> None:
        """Close the file, for good."""
        self._connection.close()

    def now(self, connection: object) -> float:
        """Return seconds since the machine started."""
        return time.monotonic()
