"""What docs/deployment.md says of backups and upgrades, done: dumped, restored elsewhere, and everything is there."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from postgres_server import PASSWORD, PostgresServer, binaries
from quaestor import Index
from quaestor.accounts import Purpose
from quaestor.accounts.ledger import Ledger
from quaestor.accounts.limits import Limits
from quaestor.accounts.money import Amount
from quaestor.accounts.users import Users
from quaestor.assemble.stores_by_name import open_database
from quaestor.core.config import Settings
from quaestor.core.messages import Message
from quaestor.sessions.records import Ending, Feedback

pytest.importorskip("psycopg", reason="the extra 'postgres' is not installed")

from quaestor.sessions.shared_sessions import SharedSessions
from quaestor.state.postgres import StateTables
from quaestor.stores.copy_index import copy_store
from quaestor.stores.postgres import migrations
from quaestor.stores.postgres.connection import Database
from quaestor.stores.postgres.postgres_store import PostgresStore
from shared_state import earlier_version

GUIDE = "# Kitchen guide\n\n## Sourdough\n\nThe dough rests for eighteen hours in the refrigerator.\n"
QUESTION = "how long does the dough rest?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "kitchen"
    folder.mkdir()
    (folder / "guide.md").write_text(GUIDE, encoding="utf-8")
    return folder


@pytest.fixture
def addresses(postgres_server: PostgresServer) -> Iterator[tuple[str, str]]:
    """Two databases, of which nothing is in the second, as a user sees them who is no administrator but owns them."""
    names = ("before", "after")
    postgres_server.run_sql(f"CREATE ROLE keeper LOGIN PASSWORD '{PASSWORD}'")
    with postgres_server.database("before"), postgres_server.database("after"):
        for name in names:
            postgres_server.run_sql(f"ALTER DATABASE {name} OWNER TO keeper")
            postgres_server.run_sql("CREATE EXTENSION vector", name)
        before, after = (postgres_server.address(name, user="keeper") for name in names)
        yield before, after
        for address in (before, after):
            open_database(address).close()
    postgres_server.run_sql("DROP ROLE keeper")


def program(name: str, *arguments: str) -> None:
    subprocess.run([str(binaries() / name), *arguments], check=True, capture_output=True)


def searched(folder: Path, home: Path, address: str) -> list[str]:
    settings = Settings(home=str(home), store=address, corpus="kitchen")
    with Index.ready(folder, settings=settings) as index:
        return [hit.path for hit in index.search(QUESTION)]


def copied(folder: Path, home: Path, address: str) -> None:
    """Put the index of this machine into a database, as every version can."""
    with Index.ready(folder, settings=Settings(home=str(home))) as index:
        made_by: dict[str, Any] = {"embedder": index.embedder.name, "dimensions": index.embedder.dimensions}
        with closing(PostgresStore.open(Database.open(address), "kitchen", **made_by, create=True)) as target:
            copy_store(index.store, target, lambda *_: None)


def told(database: Database) -> dict[str, Any]:
    """Return all that is kept beside the index."""
    tables = StateTables(database)
    sessions = SharedSessions(database)
    with sessions.open("one") as transcript:
        session = transcript.dump()
    return {
        "users": Users(tables).list(),
        "usage": Ledger(tables).usage("user"),
        "session": session,
        "list": sessions.list(),
    }


def filled(database: Database) -> str:
    """Put something of everything there, and return a user's token."""
    tables = StateTables(database)
    _, token = Users(tables).add("anna")
    ledger = Ledger(tables)
    ledger.settle(
        ledger.reserve(Purpose(user="anna"), "m", Amount(9, 9, 9, "USD"), Limits()), Amount(3, 2, 1, "USD"), "done"
    )
    with SharedSessions(database).begin(name="one", owner="anna") as transcript:
        number, _ = transcript.begin(Message("user", QUESTION))
        transcript.end(number, Ending("done", (Message("assistant", "Eighteen hours."),)))
    return token


def test_what_was_dumped_is_restored_whole(addresses: tuple[str, str], folder: Path, tmp_path: Path) -> None:
    before, after = addresses
    found = searched(folder, tmp_path / "home", before)
    assert found == ["guide.md"]
    with closing(Database.open(before)) as database:
        token = filled(database)
        expected = told(database)
    dump = tmp_path / "quaestor.dump"
    program("pg_dump", "--format=custom", f"--file={dump}", f"--dbname={before}")
    program("pg_restore", "--exit-on-error", "--no-comments", f"--dbname={after}", str(dump))
    with closing(Database.open(after)) as database:
        assert told(database) == expected
        tables = StateTables(database)
        user = Users(tables).by_token(token)
        assert user is not None
        assert user.name == "anna"
        # And it goes on: numbers that the database gives begin behind those that were restored.
        filled_again = Ledger(tables).reserve(Purpose(), "m", Amount(1, 1, 1, "USD"), Limits())
        assert filled_again > 1
        with SharedSessions(database).begin(name="two") as transcript:
            transcript.begin(Message("user", "and now?"))
        assert SharedSessions(database).names() == ["one", "two"]
    # On a machine that has nothing of its own yet, and then on one that has no files either.
    assert searched(folder, tmp_path / "elsewhere", after) == found
    (tmp_path / "empty").mkdir()
    settings = Settings(home=str(tmp_path / "empty home"), store=after, corpus="kitchen")
    with Index.ready(tmp_path / "empty", settings=settings) as index:
        assert [hit.path for hit in index.search(QUESTION)] == found
        assert (index.freshness.checked_against, index.read("guide.md")) == ("bytes", GUIDE.encode())


def test_a_database_of_the_last_release_is_upgraded_without_loss(addresses: tuple[str, str]) -> None:
    """Release 0.1.0 knew two steps; what a release knew is never changed, only added to."""
    address, _ = addresses
    assert [step.name for step in migrations.steps()[:2]] == ["0001_index", "0002_state"]
    with closing(Database.open(address)) as database:
        with earlier_version(address, 2):
            token = filled(database)
        migrations.migrate(database)
        user = Users(StateTables(database)).by_token(token)
        assert user is not None
        assert [row.requests for row in Ledger(StateTables(database)).usage("user")] == [1]
        with SharedSessions(database).open("one") as transcript:
            transcript.record_feedback(1, Feedback(True, "helpful"))
            [turn] = transcript.turns()
        assert (turn.question, turn.feedback) == (QUESTION, Feedback(True, "helpful"))


def test_each_table_of_sessions_has_a_view_of_all_its_columns(addresses: tuple[str, str]) -> None:
    address, _ = addresses
    columns = (
        "SELECT table_name, array_agg(column_name::text ORDER BY ordinal_position) FROM information_schema.columns "
        "WHERE table_schema = %s AND column_name <> 'session_key' AND table_name NOT IN ('session', 'sessions') "
        "GROUP BY table_name ORDER BY table_name"
    )
    with closing(Database.open(address)) as database:
        migrations.migrate(database)
        tables, views = (
            database.read(lambda connection, of=schema: connection.execute(columns, (of,)).fetchall())  # type: ignore[misc]
            for schema in ("quaestor_sessions", "quaestor_session")
        )
    assert len(tables) > 15
    assert tables == views


def test_a_database_of_before_there_was_state_is_upgraded_without_loss(
    addresses: tuple[str, str], folder: Path, tmp_path: Path
) -> None:
    address, _ = addresses
    found = searched(folder, tmp_path / "home", "embedded")
    with earlier_version(address, 1):
        copied(folder, tmp_path / "home", address)
    with closing(Database.open(address)) as database:
        assert database.read(migrations.reached_step) == 1
        migrations.migrate(database)
        assert database.read(migrations.reached_step) == len(migrations.steps())
        filled(database)
        assert told(database)["list"][0].turns == 1
    assert searched(folder, tmp_path / "home", address) == found
