"""Connections to PostgreSQL are lost in the middle of everything: at one statement after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from postgres_proxy import CuttingProxy
from postgres_server import PostgresServer

pytest.importorskip("psycopg")

from postgres_parts import IN_SEGMENTS, Opened, put, several, use_everything
from store_factories import DIMENSIONS

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.core.errors import QuaestorError
from quaestor.stores.postgres.connection import Database
from quaestor.stores.postgres.postgres_store import PostgresStore

pytestmark = pytest.mark.postgres

STEP = 5  # one statement of so many, for time
CONNECTING = 5  # messages after which a server has answered; one that never did is not tried again


@pytest.fixture(params=[False, True], ids=["message lost", "answer lost"])
def proxy(postgres_server: PostgresServer, request: pytest.FixtureRequest) -> Iterator[CuttingProxy]:
    with closing(CuttingProxy(postgres_server.port, lose_answer=request.param)) as proxy:
        yield proxy


@contextmanager
def corpus(address: str, name: str) -> Iterator[PostgresStore]:
    """Open a corpus that uses all ways of working, and close its connections."""
    with closing(Database.open(address)) as database:
        sizes = IN_SEGMENTS._replace(exact=-1)
        yield PostgresStore.open(database, name, embedder="test", dimensions=DIMENSIONS, create=True, sizes=sizes)


def test_whatever_is_cut_off_is_told_or_done_and_leaves_a_whole_corpus(
    proxy: CuttingProxy, postgres_address: str
) -> None:
    address = proxy.before(postgres_address)
    number = told = 0
    while proxy.sent >= number:
        number += STEP
        proxy.cut(number)
        try:
            with corpus(address, f"cut {number}") as store:
                use_everything(store)
        except QuaestorError as error:
            told += 1
            assert "cannot be reached" in str(error), number
        with corpus(postgres_address, f"cut {number}") as store:
            assert store.check() == [], number
            use_everything(store)
            PostgresStore.erase(store._database, store._name)
    assert told > 1
    assert number > 50


def test_what_was_acknowledged_is_there_whenever_a_connection_was_cut(
    opened: Opened, proxy: CuttingProxy, postgres_address: str
) -> None:
    address = proxy.before(postgres_address)
    store, direct = opened("kept", address=address), opened("kept")
    store.documents()
    for number in range(1, 30):
        proxy.cut(number)
        with suppress(QuaestorError):
            put(store, *several(number))
            assert f"{number}.py" in direct.documents()
        proxy.cut(0)
        put(store, *several(number))
        assert f"{number}.py" in direct.documents()
        assert direct.check() == []


def test_an_index_is_made_though_its_database_goes_away_in_the_middle(
    proxy: CuttingProxy, postgres_address: str, tmp_path: Path
) -> None:
    address = proxy.before(postgres_address)
    root = tmp_path / "notes"
    root.mkdir()
    for number in range(30):
        (root / f"{number}.md").write_text(f"# Note {number}\n\nWords of number {number}.\n")
    settings = Settings(home=str(tmp_path / "home"))
    number = CONNECTING
    while proxy.sent >= number or number == CONNECTING:
        number += STEP
        proxy.cut(number)
        here = settings._replace(store=address, corpus=f"{proxy.port} {number}")
        with Index.build(root, settings=here) as index:
            assert len(index.store.documents()) == 30, number
            assert index.store.check() == []  # type: ignore[attr-defined]
