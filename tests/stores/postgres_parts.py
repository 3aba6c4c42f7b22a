"""Corpora in PostgreSQL that tests of its store open and fill."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from store_factories import DIMENSIONS, Entry, entry

from quaestor.stores import Store
from quaestor.stores.postgres.connection import Database
from quaestor.stores.postgres.postgres_sizes import Sizes
from quaestor.stores.postgres.postgres_store import PostgresStore

IN_SEGMENTS = Sizes(written=2, overlaid=2, gathered=3, worn=1)

Opened = Callable[..., PostgresStore]


@contextmanager
def opener(postgres_address: str, folder: Path) -> Iterator[Opened]:
    """Yield what opens corpora of the test's own; several with the same name are the same one."""
    databases: list[Database] = []

    def opened(name: str = "corpus", *, address: str = "", embedder: str = "test", **options: object) -> PostgresStore:
        database = Database.open(address or postgres_address)
        options = {"dimensions": DIMENSIONS, "create": True, **options}
        databases.append(database)
        return PostgresStore.open(database, f"{folder}/{name}", embedder=embedder, **options)  # type: ignore[arg-type]

    yield opened
    for database in databases:
        database.close()


def put(store: Store, *entries: Entry) -> None:
    with store.writing() as writer:
        for one in entries:
            one.put(writer)


def found_texts(store: Store, term: str) -> set[str]:
    return {one.chunk.text for one in store.get(store.lexical([term], 50).best(50)).values()}


def several(*numbers: int) -> list[Entry]:
    return [entry(f"{number}.py", [f"x retry {number}", f"y other {number}"]) for number in numbers]
