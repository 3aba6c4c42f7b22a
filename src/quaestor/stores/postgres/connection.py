"""One database: its connection pool, transactions with time-outs for everything, and retries of what is safe to repeat.

Nothing here or above it leaves anything in a session, so that a pooler in transaction mode works: no
prepared statements, no ``SET`` but a ``LOCAL`` one, no lock that outlives its transaction. The pool says at once why
it cannot connect; psycopg's own connects in a thread and reports a wrong password as a time-out.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias, TypeVar

import psycopg

from quaestor.core.errors import IndexBusyError, IndexUnusableError
from quaestor.stores.postgres.failures import UNDONE, Address, code_of, is_passing, translate_failures

__all__ = ["Connection", "Database"]

_T = TypeVar("_T")

OLDEST_SERVER = 14
READ_SECONDS = 30.0
WRITE_SECONDS = 600.0
"""Seconds that one statement may take, by default."""
LOCK_SECONDS = 60.0
"""Seconds to wait for a lock, by default."""

_ONE_STATE = "ISOLATION LEVEL REPEATABLE READ READ ONLY"
_REPEAT_SECONDS = 15.0
_MOST_CONNECTIONS = 10

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

_CONNECT_SECONDS = 10
_WAIT_SECONDS = 30.0


class Database:
    """A database of a team; threads may share it.

    Attributes:
        address: where it is.
    """

    def __init__(self, address: Address, *, most: int = _MOST_CONNECTIONS) -> None:
        """Connect nothing yet; at most ``most`` connections are held for writing, and as many to standbys."""
        self.address = address
        self._primary = _Pool(address.uri, "read-write" if address.standbys else "any", most)
        self._standby = _Pool(address.uri, "prefer-standby", most) if address.standbys else self._primary
        self._patience = 0.0  # a server that never answered is not waited for

    @classmethod
    def open(cls, uri: str) -> Database:
        """Return the database at an address that answers and is new enough.

        Raises:
            UsageError: it is not an address.
            IndexUnusableError: it cannot be reached, or is too old.
        """
        database = cls(Address.read(uri))
        version = database.read(lambda connection: connection.info.server_version)
        try:
            check_server(version, database.address)
        except BaseException:
            database.close()
            raise
        return database

    def close(self) -> None:
        """Close the connections that are not in use."""
        self._primary.forget()
        self._standby.forget()

    @contextmanager
    def writing(self, *, seconds: float = WRITE_SECONDS, lock_seconds: float = LOCK_SECONDS) -> Iterator[Connection]:
        """Hold a transaction on the primary; it commits at the end of the block, and is undone if the block raises.

        Args:
            seconds: time limit of each statement.
            lock_seconds: time limit of waiting for a lock.

        Raises:
            QuaestorError: see ``failures.translate_failures``.
        """
        with translate_failures(self.address):
            connection, _ = self._retry(self._primary, lambda: self._begin(self._primary, seconds, lock_seconds))
            with _commit_at_end(self._primary, connection):
                yield connection

    def write(self, work: Callable[[Connection], _T], *, seconds: float = WRITE_SECONDS) -> _T:
        """Return the result of ``work`` in a transaction of its own; repeat it if a deadlock or a conflict undid it.

        Other failures are not repeated, because the transaction may have been committed.
        """

        def once() -> _T:
            with self.writing(seconds=seconds) as connection:
                return work(connection)

        return self._retry(self._primary, once, lambda error: code_of(error) in UNDONE)

    def read(self, work: Callable[[Connection], _T], *, seconds: float = READ_SECONDS, primary: bool = False) -> _T:
        """Return what ``work`` reads of one state of the database; repeat it if the connection is lost.

        Args:
            work: called with a transaction that sees one state and cannot write; perhaps more than once.
            seconds: time limit of each statement.
            primary: ask the primary even where there is a standby, which may lag behind.
        """
        return self.read_after("", lambda connection, _: work(connection), seconds=seconds, primary=primary)

    def read_after(
        self,
        first: str,
        work: Callable[[Connection, Sequence[Any] | None], _T],
        *,
        seconds: float = READ_SECONDS,
        primary: bool = False,
    ) -> _T:
        """Do as ``read``, and give ``work`` the first row of a statement that is sent with the transaction's beginning.

        So reading the state takes no round trip of its own.
        """
        pool = self._primary if primary else self._standby

        def once() -> _T:
            connection, row = self._begin(pool, seconds, LOCK_SECONDS, _ONE_STATE, first)
            with _commit_at_end(pool, connection):
                return work(connection, row)

        with translate_failures(self.address):
            return self._retry(pool, once)

    def look(self, statement: str) -> Sequence[Any] | None:
        """Return the first row of one statement, of a transaction in a single round trip; repeated as ``read``."""
        message = f"BEGIN {_ONE_STATE}; {_limits(READ_SECONDS, LOCK_SECONDS)}; {statement}; COMMIT".encode()

        def once() -> Sequence[Any] | None:
            connection, row = self._standby.take(), None
            try:
                cursor = connection.execute(message)
                more: bool | None = True
                while more:
                    row = cursor.fetchone() if cursor.description else row
                    more = cursor.nextset()
            except BaseException:
                connection.close()
                raise
            finally:
                self._standby.give(connection)
            return row

        with translate_failures(self.address):
            return self._retry(self._standby, once)

    def run_outside(self, statement: str) -> None:
        """Run a statement outside of any transaction, such as ``VACUUM``, without a time limit."""
        with translate_failures(self.address):
            connection = self._primary.take()
            try:
                connection.execute(statement.encode())
            finally:
                self._primary.give(connection)

    def _begin(
        self, pool: _Pool, seconds: float, lock_seconds: float, kind: str = "", first: str = ""
    ) -> tuple[Connection, Sequence[Any] | None]:
        """Return a connection in a transaction with its limits, and the first row of a statement; in one message."""
        connection = pool.take()
        try:
            cursor = connection.execute(f"BEGIN {kind}; {_limits(seconds, lock_seconds)}; {first}".encode())
            while cursor.nextset():
                pass
            row = cursor.fetchone() if first else None
        except BaseException:
            connection.close()
            pool.give(connection)
            raise
        self._patience = _REPEAT_SECONDS
        return connection, row

    def _retry(
        self, pool: _Pool, once: Callable[[], _T], may_repeat: Callable[[BaseException], bool] | None = None
    ) -> _T:
        """Return the result of ``once``; retry passing failures for some seconds."""
        began, pause = time.monotonic(), 0.05
        while True:
            try:
                return once()
            except (psycopg.Error, IndexUnusableError) as error:
                if not (may_repeat or is_passing)(error) or time.monotonic() + pause > began + self._patience:
                    raise
            pool.forget()
            time.sleep(pause)
            pause = min(2 * pause, 1.0)


def check_server(version: int, address: Address) -> None:
    """Refuse a server that is too old; ``version`` as libpq says it, such as 160004.

    Raises:
        IndexUnusableError: it is.
    """
    if version // 10000 < OLDEST_SERVER:
        raise IndexUnusableError(
            f"The server of the store {str(address)!r} is PostgreSQL {version // 10000}; {OLDEST_SERVER} or newer is "
            "needed: upgrade it."
        )


@contextmanager
def _commit_at_end(pool: _Pool, connection: Connection) -> Iterator[None]:
    """Commit at the end of the block, undo everything if it raises, and give the connection back."""
    try:
        try:
            yield
        except BaseException:
            with suppress(psycopg.Error):
                connection.rollback()
            raise
        connection.commit()
    finally:
        pool.give(connection)


def _limits(seconds: float, lock_seconds: float) -> str:
    """Return the settings that limit one transaction's statements and the time between them."""
    limits = {
        "statement_timeout": seconds,
        "lock_timeout": lock_seconds,
        "idle_in_transaction_session_timeout": max(seconds, WRITE_SECONDS),
    }
    return "; ".join(f"SET LOCAL {name} = {int(limit * 1000)}" for name, limit in limits.items())


class _Pool:
    """Connections to the hosts of an address that are of one kind; threads may share it.

    Args:
        uri: the address.
        attributes: which hosts will do, as libpq's ``target_session_attrs`` says it.
        most: connections that are held at most.
    """

    def __init__(self, uri: str, attributes: str, most: int) -> None:
        self._uri = uri
        self._attributes = attributes
        self._idle: list[Connection] = []
        self._mutex = threading.Lock()
        self._free = threading.BoundedSemaphore(most)

    def take(self) -> Connection:
        """Return a connection for the caller alone; ``give`` returns it.

        Raises:
            IndexBusyError: all of them stayed in use until the time to wait was over.
            psycopg.Error: the server refuses the connection.
        """
        if not self._free.acquire(timeout=_WAIT_SECONDS):
            raise IndexBusyError("Every connection to the store is in use: try again.")
        try:
            with self._mutex:
                if self._idle:
                    return self._idle.pop()
            return self._open_connection()
        except BaseException:
            self._free.release()
            raise

    def give(self, connection: Connection) -> None:
        """Take a connection back; one in the middle of something is closed."""
        usable = not connection.closed and connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        if usable:
            with self._mutex:
                self._idle.append(connection)
        else:
            connection.close()
        self._free.release()

    def forget(self) -> None:
        """Close idle connections: their server may be gone."""
        with self._mutex:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _open_connection(self) -> Connection:
        return psycopg.connect(
            self._uri,
            autocommit=True,  # transactions are begun with their limits, in one message
            prepare_threshold=None,
            target_session_attrs=self._attributes,
            connect_timeout=_CONNECT_SECONDS,
            fallback_application_name="quaestor",
            client_encoding="UTF8",
        )
