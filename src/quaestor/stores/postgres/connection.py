"""A database: its pool of connections, transactions with time limits, and retries of what can be repeated safely.

No code leaves state in a database session, so that a pooler in transaction mode works: there are no prepared
statements, no ``SET`` except ``SET LOCAL``, and no lock that outlives its transaction. The pool reports at once why it
cannot connect; psycopg's own pool connects in a thread and reports a wrong password as a time-out.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias, TypeVar

import psycopg

from quaestor.core.errors import IndexBusyError, IndexUnusableError, QuaestorError
from quaestor.stores.postgres.failures import UNDONE, Address, code_of, is_passing, translate_failures

__all__ = ["Connection", "Database"]

_T = TypeVar("_T")

OLDEST_SERVER = 14
READ_SECONDS = 30.0
WRITE_SECONDS = 600.0
"""The time limit of a statement in seconds, by default."""
LOCK_SECONDS = 60.0
"""Seconds to wait for a lock, by default."""

_ONE_STATE = "ISOLATION LEVEL REPEATABLE READ READ ONLY"
_REPEAT_SECONDS = 15.0
_MOST_CONNECTIONS = 10

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

# The limits of a connection, which an address may set otherwise. The system itself would wait for a machine that went
# away without a word for minutes if something was sent to it, and for hours if an answer is due.
_LIMITS = {"connect_timeout": 10, "keepalives_idle": 4, "keepalives_interval": 2, "keepalives_count": 3}
_SILENT_SECONDS, _SILENT_STANDBY_SECONDS = 60, 10
"""The longest silence. A primary that writes may take nothing in for a while, but reads are repeated elsewhere."""
# What a server gives up a writer's machine after, so that others get its locks: by default hours, or ten minutes if it
# waits for a statement. A pooler stands between and has limits of its own.
_WRITERS_MACHINE = {
    "tcp_keepalives_idle": 10,
    "tcp_keepalives_interval": 5,
    "tcp_keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
_WAIT_SECONDS = 30.0
_TRIES = 3


class Database:
    """A PostgreSQL database; threads may share it.

    Attributes:
        address: its address.
    """

    def __init__(self, address: Address, *, most: int = _MOST_CONNECTIONS) -> None:
        """Do not connect yet; hold at most ``most`` connections to the primary, and as many to standbys."""
        self.address = address
        self._primary = _Pool(address.uri, "read-write" if address.standbys else "any", most, _SILENT_SECONDS)
        self._standby = (
            _Pool(address.uri, "prefer-standby", most, _SILENT_STANDBY_SECONDS) if address.standbys else self._primary
        )
        self._patience = 0.0  # a server that has never answered is not tried again

    @classmethod
    def open(cls, uri: str) -> Database:
        """Return the database at an address after checking that its server answers and is new enough.

        Raises:
            UsageError: the address is malformed.
            IndexUnusableError: the server cannot be reached, or is too old.
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
        """Run a transaction on the primary, which commits at the end of the block, or rolls back if the block raises.

        Args:
            seconds: the time limit of each statement.
            lock_seconds: the time limit of waiting for a lock.

        Raises:
            QuaestorError: see ``failures.translate_failures``.
        """
        with translate_failures(self.address):
            limits = _limits(seconds, lock_seconds, **_WRITERS_MACHINE)
            connection, _ = self._retry(self._primary, lambda: self._begin(self._primary, limits))
            with _commit_at_end(self._primary, connection):
                yield connection

    def write(
        self, work: Callable[[Connection], _T], *, seconds: float = WRITE_SECONDS, repeatable: bool = False
    ) -> _T:
        """Return the result of ``work`` in a transaction of its own; repeat it after a deadlock or conflict.

        After a lost connection it is repeated only if it is ``repeatable``, because it may have been committed.
        """

        def once() -> _T:
            with self.writing(seconds=seconds) as connection:
                return work(connection)

        return self._retry(self._primary, once, None if repeatable else lambda error: code_of(error) in UNDONE)

    def read(self, work: Callable[[Connection], _T], *, seconds: float = READ_SECONDS, primary: bool = False) -> _T:
        """Return what ``work`` reads from one state of the database; repeat it if the connection is lost.

        Args:
            work: called, perhaps repeatedly, with a read-only transaction that sees one state.
            seconds: the time limit of each statement.
            primary: whether to read from the primary even if there is a standby, which may lag behind.
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
        """Read as ``read`` does, and pass ``work`` the first row of a statement that is sent with ``BEGIN``.

        This saves a round trip for reading the state.
        """
        pool = self._primary if primary else self._standby

        def once() -> _T:
            connection, row = self._begin(pool, _limits(seconds, LOCK_SECONDS), _ONE_STATE, first)
            with _commit_at_end(pool, connection):
                return work(connection, row)

        with translate_failures(self.address):
            return self._retry(pool, once)

    def look(self, statement: str) -> Sequence[Any] | None:
        """Return the first row of one statement, in a transaction of a single round trip; retry as ``read`` does."""
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

    def was_committed(self, number: str | None) -> bool:
        """Return whether the transaction of a number was committed; False if a new primary does not know it."""
        query = "SELECT pg_xact_status(%s::xid8)"
        try:
            became = self.read(lambda connection: connection.execute(query, (number,)).fetchone(), primary=True)
        except QuaestorError:
            return False
        return became == ("committed",)

    def run_outside(self, *statements: str) -> None:
        """Run statements such as ``VACUUM`` outside any transaction, without a time limit.

        All are run again if a deadlock ends one: building an index and the ANALYZE of another connection may wait for
        each other.
        """
        with translate_failures(self.address):
            connection = self._primary.take()
            try:
                for tries_left in reversed(range(_TRIES)):
                    try:
                        for statement in statements:
                            connection.execute(statement.encode())
                        return
                    except psycopg.Error as error:
                        if code_of(error) not in UNDONE or not tries_left:
                            raise
            finally:
                self._primary.give(connection)

    def _begin(
        self, pool: _Pool, limits: str, kind: str = "", first: str = ""
    ) -> tuple[Connection, Sequence[Any] | None]:
        """Begin a transaction with its limits and run a statement, in one message; return connection and first row."""
        connection = pool.take()
        try:
            cursor = connection.execute(f"BEGIN {kind}; {limits}; {first}".encode())
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
        """Return the result of ``once``; retry after transient failures for some seconds."""
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


def number_of(connection: Connection) -> str | None:
    """Return the number of a transaction, by which ``was_committed`` knows it; None if it has written nothing."""
    row = connection.execute("SELECT pg_current_xact_id_if_assigned()::text").fetchone()
    return row[0] if row else None


def check_server(version: int, address: Address) -> None:
    """Check that a server is new enough; ``version`` is libpq's number, such as 160004.

    Raises:
        IndexUnusableError: the server is too old.
    """
    if version // 10000 < OLDEST_SERVER:
        raise IndexUnusableError(
            f"The server of the store {str(address)!r} is PostgreSQL {version // 10000}; {OLDEST_SERVER} or newer is "
            "needed: upgrade it."
        )


@contextmanager
def _commit_at_end(pool: _Pool, connection: Connection) -> Iterator[None]:
    """Commit at the end of the block, or roll back if it raises; then return the connection to the pool."""
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


def _limits(seconds: float, lock_seconds: float, **further: int) -> str:
    """Return the settings that limit one transaction's statements and the time between them."""
    limits = {
        "statement_timeout": int(seconds * 1000),
        "lock_timeout": int(lock_seconds * 1000),
        "idle_in_transaction_session_timeout": int(max(seconds, WRITE_SECONDS) * 1000),
        **further,
    }
    return "; ".join(f"SET LOCAL {name} = {limit}" for name, limit in limits.items())


class _Pool:
    """A pool of connections to hosts of one kind at an address; threads may share it.

    Args:
        uri: the address.
        attributes: the kind of hosts, a value of libpq's ``target_session_attrs``.
        most: how many connections are held at most.
        silent: the seconds after which a silent machine is given up.
    """

    def __init__(self, uri: str, attributes: str, most: int, silent: int) -> None:
        self._uri = uri
        self._attributes = attributes
        parameters = psycopg.conninfo.conninfo_to_dict(uri)
        limits = {**_LIMITS, "tcp_user_timeout": 1000 * silent}
        self._limits: dict[str, Any] = {name: limit for name, limit in limits.items() if name not in parameters}
        self._idle: list[Connection] = []
        self._mutex = threading.Lock()
        self._free = threading.BoundedSemaphore(most)

    def take(self) -> Connection:
        """Return a connection for the caller alone; ``give`` puts it back.

        Raises:
            IndexBusyError: all connections stayed in use during the time limit.
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
        """Put a connection back; close it if it is in a transaction."""
        usable = not connection.closed and connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        if usable:
            with self._mutex:
                self._idle.append(connection)
        else:
            connection.close()
        self._free.release()

    def forget(self) -> None:
        """Close idle connections, because their server may be gone."""
        with self._mutex:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _open_connection(self) -> Connection:
        return psycopg.connect(
            self._uri,
            autocommit=True,  # `_begin` begins transactions together with their limits
            prepare_threshold=None,
            target_session_attrs=self._attributes,
            fallback_application_name="quaestor",
            client_encoding="UTF8",
            **self._limits,
        )
