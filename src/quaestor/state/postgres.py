"""State in PostgreSQL: connections that run the same statements as SQLite, each with its transaction's own settings.

Nothing is left in a server's session, so that a pooler in transaction mode works: search path, settings and locks all
belong to the transaction.
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
from quaestor.stores.postgres.connection import number_of

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
        with _translate_refusals():
            return self._raw.execute(_with_placeholders(statement), _storable_values(values))

    def executemany(self, statement: str, values: Iterable[Values], /) -> None:
        """Run a statement for each of several rows.

        Raises:
            RowsRefusedError: the rows break a rule of the tables.
        """
        with _translate_refusals(), self._raw.cursor() as cursor:
            cursor.executemany(_with_placeholders(statement), map(_storable_values, values))


class StateTables:
    """The tables of one schema on a server: a ``Database`` and a ``Shared``; threads may share it.

    Args:
        server: a server with tables that are up to date.
        unusable: the error to raise if the server cannot be reached or used; None raises the server's own.
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
        """Yield a connection for reading, to the primary: a standby learns later that a token was revoked."""
        with self._failures_renamed(), transaction(self._server, STATE, writes=False) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[StateConnection]:
        """Yield a connection within a transaction; one transaction at a time writes users and ledger."""
        with self._failures_renamed(), transaction(self._server, STATE, alone="accounts") as connection:
            yield connection

    @contextmanager
    def step(self, name: str) -> Iterator[StateConnection]:
        """Yield a connection within a transaction; transactions of one name run one after the other."""
        with self._failures_renamed(), transaction(self._server, STATE, alone=f"step {name}") as connection:
            yield connection

    def now(self, connection: Any) -> float:
        """Return the server's time in seconds since the epoch."""
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
    """Yield a connection within a transaction on the primary; an exception rolls it back.

    Args:
        server: the server on which it runs.
        schema: the schema in which tables are looked up.
        alone: a name; transactions of this name run one after the other. None locks nothing.
        settings: the settings of the transaction, by name.
        writes: whether it may write; if the answer to its commit is lost, the server is asked whether it was committed.
    """
    number: str | None = None
    try:
        with server.writing(seconds=_SECONDS, lock_seconds=_LOCK_SECONDS) as raw:
            raw.execute(_begin_statements(schema, alone, settings or {}))
            yield StateConnection(raw)
            if writes:
                number = number_of(raw)
    except QuaestorError as error:
        # A connection that is lost while it commits does not tell whether it did: who is primary then does.
        if number is None or not error.retryable or not server.was_committed(number):
            raise


def _begin_statements(schema: str, alone: str | None, settings: Mapping[str, str]) -> sql.Composed:
    """Return the statements that begin a transaction, as one message."""
    every = {"search_path": schema, **settings}
    steps = [sql.SQL("select set_config({}, {}, true)").format(name, value) for name, value in every.items()]
    if alone is not None:
        steps.append(sql.SQL("select pg_advisory_xact_lock(hashtextextended({}, 0))").format(f"quaestor {alone}"))
    return sql.SQL("; ").join(steps)


@contextmanager
def _translate_refusals() -> Iterator[None]:
    try:
        yield
    except (psycopg.IntegrityError, psycopg.DataError, psycopg.errors.DatatypeMismatch) as error:
        raise RowsRefusedError(str(error).split("\n", maxsplit=1)[0]) from error


@lru_cache(maxsize=512)
def _with_placeholders(statement: str) -> bytes:
    """Return a statement with psycopg's placeholders."""

    def replace(match: re.Match[str]) -> str:
        if match[0] == "%":
            return "%%"
        return f"%({match[1]})s" if match[1] else "%s"

    return _VALUE.sub(replace, statement).encode()


def _storable_values(values: Values) -> Values:
    """Return values that PostgreSQL can store: numbers for booleans, and texts without NUL."""
    if isinstance(values, Mapping):
        return {name: _storable_value(value) for name, value in values.items()}
    return [_storable_value(value) for value in values]


def _storable_value(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return value.replace("\0", "\u2400") if isinstance(value, str) else value
