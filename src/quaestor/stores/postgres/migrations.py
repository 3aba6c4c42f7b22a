"""Migrates a database's tables to this version, one process at a time, all or nothing.

Each step is a numbered file in ``sql/``; a database records the steps that were applied. A released step is never
changed; a further step corrects it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psycopg

from quaestor.core.errors import IndexUnusableError
from quaestor.core.light_imports import NamedTuple
from quaestor.stores.postgres.connection import LOCK_SECONDS, Connection, Database
from quaestor.stores.postgres.failures import Address, explain_failure

OLDEST_PGVECTOR = (0, 8)
_FOLDER = Path(__file__).parent / "sql"
_LOCK = 0x51554145  # any number that nobody else locks; the one that marks the embedded store's files
_SECONDS = 3600.0


class Step(NamedTuple):
    """A change of the tables; ``number`` counts from 1 without gaps."""

    number: int
    name: str
    sql: str


def steps() -> list[Step]:
    """Return all steps of this version, in order."""
    files = sorted(_FOLDER.glob("*.sql"))
    return [Step(int(file.stem[:4]), file.stem, file.read_text(encoding="utf-8")) for file in files]


def migrate(database: Database) -> None:
    """Bring the tables of a database up to date; a second process waits and then finds nothing to do.

    Raises:
        IndexUnusableError: pgvector is missing or too old, this user may not create the tables, or a newer version of
            Quaestor made them.
        IndexReadOnlyError: steps must be applied, but the database is read-only.
    """
    known = steps()
    reached = database.read(reached_step)
    if reached < len(known):
        # Another process may take as long for its migration; the locks of tables are waited for as usual.
        with database.writing(seconds=_SECONDS, lock_seconds=_SECONDS) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            connection.execute(f"SET LOCAL lock_timeout = {int(LOCK_SECONDS * 1000)}".encode())
            reached = reached_step(connection)
            if not reached:
                _prepare(connection, database.address)
            for step in known[reached:]:
                _apply(connection, step)
    check_reached(reached, database.address)


def check_reached(reached: int, address: Address) -> None:
    """Check that the tables are not those of a newer version.

    Raises:
        IndexUnusableError: they are.
    """
    if reached > len(steps()):
        raise IndexUnusableError(
            f"The tables of the store {str(address)!r} were made by a newer version of Quaestor (step "
            f"{reached}, known {len(steps())}): upgrade Quaestor here."
        )


def try_migration(database: Database) -> None:
    """Check that this user may create the tables in an empty database, by creating them and rolling that back.

    Raises:
        QuaestorError: as for ``migrate``.
    """
    with suppress(_UndoneError), database.writing(seconds=_SECONDS) as connection:
        _prepare(connection, database.address)
        raise _UndoneError


class _UndoneError(Exception):
    """Raised to roll back a transaction that was only a trial."""


def reached_step(connection: Connection) -> int:
    """Return the last step that was applied to a database; 0 if it has no tables of ours, or none can be read yet."""
    # Not `to_regclass`, whose answer may be cached from before a lock was waited for.
    [(exists,)] = connection.execute(
        "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'quaestor' AND tablename = 'migrations')"
    )
    if not exists:
        return 0
    try:
        [(reached,)] = connection.execute("SELECT coalesce(max(number), 0) FROM quaestor.migrations")
    except psycopg.errors.UndefinedTable:
        return 0  # just made, on a standby: a transaction sees it a moment before it finds it by its name
    return int(reached)


def _prepare(connection: Connection, address: Address) -> None:
    """Create the schema and the extension pgvector, unless they exist."""
    [(encoding,)] = connection.execute("SHOW server_encoding")
    if encoding != "UTF8":
        raise IndexUnusableError(
            f"The database of the store {str(address)!r} keeps text as {encoding}, which lacks letters of your files: "
            "make one with `createdb --encoding=UTF8 --template=template0` and name it."
        )
    _provide_pgvector(connection, address)
    try:
        connection.execute("CREATE SCHEMA IF NOT EXISTS quaestor")
    except psycopg.errors.InsufficientPrivilege as error:
        database, user = map(psycopg.sql.Identifier, (connection.info.dbname, connection.info.user))
        grant = psycopg.sql.SQL("GRANT CREATE ON DATABASE {} TO {}").format(database, user).as_string(connection)
        raise IndexUnusableError(
            f"The user of the store {str(address)!r} may not make tables there: let the database's owner run `{grant}`."
        ) from error
    connection.execute(
        "CREATE TABLE quaestor.migrations (number integer PRIMARY KEY, name text NOT NULL, "
        "applied timestamptz NOT NULL DEFAULT now())"
    )


def _provide_pgvector(connection: Connection, address: Address) -> None:
    if pgvector_version(connection, address) is None:
        _make_extension(connection, address)
        pgvector_version(connection, address)


def pgvector_version(connection: Connection, address: Address) -> str | None:
    """Return the version of pgvector in a database; None if the extension is missing.

    Raises:
        IndexUnusableError: the version is too old.
    """
    row = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    if row is not None and tuple(map(int, row[0].split(".")[:2])) < OLDEST_PGVECTOR:
        needed = ".".join(map(str, OLDEST_PGVECTOR))
        raise IndexUnusableError(
            f"The store {str(address)!r} has pgvector {row[0]}; {needed} or newer is needed: install it on the "
            "server and run `ALTER EXTENSION vector UPDATE`."
        )
    return None if row is None else str(row[0])


def _make_extension(connection: Connection, address: Address) -> None:
    try:
        connection.execute("CREATE EXTENSION vector")
    except psycopg.errors.InsufficientPrivilege as error:
        raise IndexUnusableError(
            f"The store {str(address)!r} lacks the extension pgvector, and its user may not add it: let an "
            "administrator run `CREATE EXTENSION vector` in that database."
        ) from error
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile) as error:
        raise IndexUnusableError(
            f"The server of the store {str(address)!r} lacks the extension pgvector: install it there "
            "(https://github.com/pgvector/pgvector)."
        ) from error
    except psycopg.Error as error:
        raise explain_failure(error, address) from error


def _apply(connection: Connection, step: Step) -> None:
    connection.execute(step.sql.encode())
    connection.execute("INSERT INTO quaestor.migrations (number, name) VALUES (%s, %s)", (step.number, step.name))
