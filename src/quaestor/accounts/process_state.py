"""What the threads and the processes of one server must know together, in a small SQLite database that ends with it."""

from __future__ import annotations

import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_BUSY_SECONDS = 5.0
_TABLES = (
    "buckets (what text, key text, level real not null, at real not null, primary key (what, key)) without rowid",
    "claims (name text primary key, holder text not null, said text not null, until real) without rowid",
    "turn_events (turn text not null, number integer not null, piece blob not null, primary key (turn, number))",
    "turn_stops (turn text primary key) without rowid",
)


class SharedFile:
    """One such database: a ``Shared`` of one machine. Threads may share it; each process opens its own.

    A write-ahead log, so that a process that is killed in the middle of a step leaves nothing of it behind. Nothing is
    flushed to the disk, for nothing in it outlives the machine.

    Args:
        path: the file; None: no other process is to know it.
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
        """Give a connection inside a transaction that no other runs beside, of whatever name."""
        with self._lock:
            self._connection.execute("begin immediate")
            try:
                yield self._connection
                self._connection.execute("commit")
            except BaseException:
                self._connection.execute("rollback")
                raise

    def now(self, connection: object) -> float:
        """Return seconds since the machine started."""
        return time.monotonic()
