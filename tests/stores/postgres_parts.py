"""Corpora in PostgreSQL for the tests of its store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from store_factories import DIMENSIONS, Entry, entry, vector_of

from quaestor.stores import Store, Where
from quaestor.stores.postgres import Thresholds
from quaestor.stores.postgres.connection import Database
from quaestor.stores.postgres.postgres_store import PostgresStore
from quaestor.stores.shared_store import keep

IN_SEGMENTS = Thresholds(written=2, overlaid=2, gathered=3, worn=1)

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


def put_with(store: PostgresStore, contents: Mapping[str, bytes | None]) -> None:
    """Put documents of one chunk with their bytes."""
    with store.writing() as writer:
        for path, data in contents.items():
            one = entry(path, [f"x retry {path}"])
            packed = store.pack(one.document, one.chunks, one.vectors, one.terms, one.keys)
            writer.put(packed._replace(kept=None if data is None else keep(data)))


def use_everything(store: PostgresStore) -> None:
    """Do with a corpus whatever can be done with it."""
    put(store, *several(1, 2, 3, 4))
    put(store, *several(2, 3))
    put_with(store, {"3.py": b"bytes", "4.py": b"bytes"})
    store.add_bytes({several(2)[0].document: keep(b"other")})
    assert store.bytes_of("3.py")
    assert store.unkept_paths()
    with store.writing() as writer:
        writer.remove("3.py")
        writer.remove("1.py")
        writer.touch(entry("2.py", []).document._replace(stamp=8))
        writer.set_metadata("root", "here")
    store.settle()
    where = Where(paths=("*.py",), languages=("python",), since="")
    for filters in (None, where):
        store.lexical(["retry"], 5, filters)
        store.dense(vector_of("x"), 5, filters)
        store.defining(["x"], 5, filters)
        store.paths_ending("2.py", 5, filters)
        store.bylines(filters)
    ids = store.lexical(["retry"], 5).best(5)
    assert store.get(ids)
    assert store.paths_of(ids)
    assert store.chunks_of("2.py")
    assert store.document("2.py")
    store.known_vectors([b"key"])
    store.stats()
    store.packed_documents(["2.py"])
    store.all_metadata()
    store.metadata("root")
    assert store.documents()
    assert store.check() == []
    store.vacuum()
