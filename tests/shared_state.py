"""Databases of a real PostgreSQL with our tables, one for each test that requests it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from postgres_server import PostgresServer
from quaestor.accounts.database import AccountsUnusableError

if TYPE_CHECKING:
    from quaestor.state.postgres import StateTables
    from quaestor.stores.postgres.connection import Database

TABLES = "with_tables"


@pytest.fixture(scope="session")
def server_with_tables(postgres_server: PostgresServer) -> Iterator[PostgresServer]:
    """A server with a database that others are copies of."""
    from quaestor.stores.postgres.connection import Database  # noqa: PLC0415 - needs the extra
    from quaestor.stores.postgres.migrations import migrate  # noqa: PLC0415

    with postgres_server.database(TABLES) as uri:
        database = Database.open(uri)
        migrate(database)
        database.close()
        yield postgres_server


@pytest.fixture
def state_uri(server_with_tables: PostgresServer) -> Iterator[str]:
    """The address of a database of the test's own, with empty tables."""
    with copied_database(server_with_tables) as uri:
        yield uri


@contextmanager
def copied_database(server: PostgresServer) -> Iterator[str]:
    """Give the address of a new database with empty tables."""
    name = f"state_{secrets.token_hex(4)}"
    server.create_database(name, TABLES)
    yield server.address(name)
    server.run_sql(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def open_database(state_uri: str) -> Iterator[Callable[[], Database]]:
    """Opens one database, each time over connections of its own, as another process would."""
    from quaestor.stores.postgres.connection import Database  # noqa: PLC0415 - needs the extra

    with ExitStack() as stack:
        yield lambda: stack.enter_context(closing(Database.open(state_uri)))


@pytest.fixture
def database(open_database: Callable[[], Database]) -> Database:
    """A database of the test's own, with empty tables."""
    return open_database()


@pytest.fixture
def open_tables(open_database: Callable[[], Database]) -> Callable[[], StateTables]:
    """Opens the tables of state of one database, each time over connections of their own."""
    from quaestor.state.postgres import StateTables  # noqa: PLC0415 - needs the extra

    return lambda: StateTables(open_database(), AccountsUnusableError)


@contextmanager
def earlier_version(uri: str, steps: int) -> Iterator[None]:
    """Fill the tables of a version that knew so many steps: what the writer of today needs besides goes afterwards."""
    from quaestor.stores.postgres import migrations  # noqa: PLC0415 - needs the extra
    from quaestor.stores.postgres.connection import Database  # noqa: PLC0415

    every = migrations.steps()
    with closing(Database.open(uri)) as database, pytest.MonkeyPatch.context() as older:
        older.setattr(migrations, "steps", lambda: every[:steps])
        migrations.migrate(database)
        [contents] = [step.sql for step in every if step.name == "0007_contents"]
        database.write(lambda connection: connection.execute(contents.encode()))
        yield
        database.write(
            lambda connection: connection.execute(
                b"DROP TABLE quaestor.contents; ALTER TABLE quaestor.documents DROP COLUMN content_hash"
            )
        )
