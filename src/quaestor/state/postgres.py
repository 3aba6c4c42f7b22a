"""State in PostgreSQL: connections that take the one wording of SQL, each with its transaction's own settings.

Nothing is left in a server's session, so that a pooler in transaction mode may stand in between: the tables in sight,
the session and the locks are all of the transaction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import sql

from quaestor.core.errors import QuaestorError
from quaestor.state.rows import RowsRefusedError, Values
from quaestor.stores.postgres.connection import Connection as Raw
from quaestor.stores.postgres.connection import Database as Server

STATE = "quaestor_state"
SESSION = "quaestor_session"

_SECONDS = 30.0
_LOCK_SECONDS = 10.0
_VALUE = re.compile(r"\?|:([a-z_]+)|%")


class StateConnection:
    """A connection that takes SQL as ``sqlite3`` does."""

    def __init__(self, raw: Raw) -> None:
        self._raw = raw

    def execute(self, statement: str, values: Values = (), /) -> psycopg.Cursor[tuple[Any, ...]]:
        """Run a statement.

        Raises:
            RowsRefusedError: the rows break a rule of the tables.
        """
        with _refusals_told():
            return self._raw.execute(_in_their_words(statement), _storable(values))

    def executemany(self, statement: str, values: Iterable[Values], /) -> None:
        """Run a statement for each of several rows.

        Raises:
            RowsRefusedError: the rows break a rule of the tables.
        """
        with _refusals_told(), self._raw.cursor() as cursor:
            cursor.executemany(_in_their_words(statement), map(_storable, values))


class StateTables:
    """The tables of one schema on a server: a ``Database`` and a ``Shared``; threads may share it.

    Args:
        server: with tables that are up to date.
        unusable: what to raise where it cannot be reached or used; None: what the server's failures are anyway.
    """

    def __init__(self, server: Server, unusable: type[QuaestorError] | None = None) -> None:
        self._server = server
        self._unusable = unusable

    @property
    def name(self) -> str:
        """The server's address without a password."""
        return str(self._server.address)

    def close(self) -> None:
        """Close the connections that are not in use."""
        self._server.close()

    @contextmanager
    def reading(self) -> Iterator[StateConnection]:
        """Give a connection to read with; always of the primary, for a standby knows of what was revoked only later."""
        with self._failures_renamed(), transaction(self._server, STATE, writes=False) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[StateConnection]:
        """Give a connection inside a transaction that no other writer of users and ledger runs beside."""
        with self._failures_renamed(), transaction(self._server, STATE, alone="accounts") as connection:
            yield connection

    @contextmanager
    def step(self, name: str) -> Iterator[StateConnection]:
        """Give a connection inside a transaction that no other of this name runs beside."""
        with self._failures_renamed(), transaction(self._server, STATE, alone=f"step {name}") as connection:
            yield connection

    def now(self, connection: Any) -> float:
        """Return the server's seconds since the epoch."""
        return float(connection.execute("select extract(epoch from clock_timestamp())").fetchone()[0])

    @contextmanager
    def _failures_renamed(self) -> Iterator[None]:
        try:
            yield
        except QuaestorError as error:
            if self._unusable is None or not isinstance(error.__cause__, psycopg.Error):
                raise
            renamed = self._unusable(str(error))
            renamed.retryable = error.retryable
            raise renamed from error


@contextmanager
def transaction(
    server: Server,
    schema: str,
    *,
    alone: str | None = None,
    settings: Mapping[str, str] | None = None,
    writes: bool = True,
) -> Iterator[StateConnection]:
    """Give a connection inside a transaction on the primary; an exception takes all of it back.

    Args:
        server: whose.
        schema: whose tables are in sight.
        alone: no other transaction of this name runs beside; None: any may.
        settings: of the transaction, by name.
        writes: whether it may write; if so, it is looked up where the answer to its commit was lost.
    """
    number: str | None = None
    try:
        with server.writing(seconds=_SECONDS, lock_seconds=_LOCK_SECONDS) as raw:
            raw.execute(_opening(schema, alone, settings or {}))
            yield StateConnection(raw)
            if writes:
                [number] = raw.execute("select pg_current_xact_id_if_assigned()::text").fetchone() or (None,)
    except QuaestorError as error:
        # A connection that is lost while it commits does not tell whether it did: who is primary then does.
        if number is None or not error.retryable or not _came_through(server, number):
            raise


def _came_through(server: Server, number: str) -> bool:
    """Return whether a transaction was committed, by its number; not of one that a new primary never heard of."""
    try:
        [(became,)] = server.read(
            lambda raw: raw.execute("select pg_xact_status(%s::xid8)", (number,)).fetchall(), primary=True
        )
    except QuaestorError:
        return False
    return bool(became == "committed")


def _opening(schema: str, alone: str | None, settings: Mapping[str, str]) -> sql.Composed:
    """Return what a transaction begins with, as one message."""
    every = {"search_path": schema, **settings}
    steps = [sql.SQL("select set_config({}, {}, true)").format(name, value) for name, value in every.items()]
    if alone is not None:
        steps.append(sql.SQL("select pg_advisory_xact_lock(hashtextextended({}, 0))").format(f"quaestor {alone}"))
    return sql.SQL("; ").join(steps)


@contextmanager
def _refusals_told() -> Iterator[None]:
    try:
        yield
    except (psycopg.IntegrityError, psycopg.DataError, psycopg.errors.DatatypeMismatch) as error:
        raise RowsRefusedError(str(error).split("\n", maxsplit=1)[0]) from error


@lru_cache(maxsize=512)
def _in_their_words(statement: str) -> bytes:
    """Return a statement as psycopg takes it."""

    def replaced(found: re.Match[str]) -> str:
        if found[0] == "%":
            return "%%"
        return f"%({found[1]})s" if found[1] else "%s"

    return _VALUE.sub(replaced, statement).encode()


def _storable(values: Values) -> Values:
    """Return values as PostgreSQL can hold them: numbers for truths, and no NUL in texts, which it knows none in."""
    if isinstance(values, Mapping):
        return {name: _one(value) for name, value in values.items()}
    return [_one(value) for value in values]


def _one(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return value.replace("\0", "\u2400") if isinstance(value, str) else value
