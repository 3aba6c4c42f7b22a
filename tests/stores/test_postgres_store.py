"""What the store in PostgreSQL does beyond the contract of all stores."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from postgres_server import PostgresServer

pytest.importorskip("psycopg")

from postgres_parts import IN_SEGMENTS, Opened, found_texts, put, put_with, several
from store_factories import DIMENSIONS, entry, vector_of

from quaestor.core.errors import EmbedderChangedError, IndexBusyError, IndexUnusableError
from quaestor.stores import Where
from quaestor.stores.copy_index import copy_store, digest_of
from quaestor.stores.postgres import Thresholds, stored_rows
from quaestor.stores.postgres.connection import Connection, Database
from quaestor.stores.postgres.corpus_states import TABLES, erase_corpus, list_corpora
from quaestor.stores.postgres.nearest import ask_index, index_name, part_of
from quaestor.stores.postgres.postgres_store import PostgresStore
from quaestor.stores.postgres.stored_rows import escape, unescape
from quaestor.stores.shared_store import keep
from shared_state import earlier_version

_Read = TypeVar("_Read")


@pytest.mark.parametrize("text", ["plain", "naïve", "\x00", "a\x00b\ud800c", "\U0010fffe000000", "\udcff\U0010fffe"])
def test_any_text_comes_back_from_what_a_database_can_hold(text: str) -> None:
    assert unescape(escape(text)) == text
    assert "\x00" not in escape(text)
    escape(text).encode()


class Explaining:
    """A connection that notes how each statement is run.

    Attributes:
        plans: in the order of the statements.
    """

    def __init__(self, connection: Connection) -> None:
        self.plans: list[str] = []
        self._connection = connection

    def execute(self, query: bytes, values: Sequence[object] = ()) -> object:
        if query.startswith((b"SELECT", b"WITH")):
            rows = self._connection.execute(b"EXPLAIN " + query, values)
            self.plans.append("\n".join(line for (line,) in rows))
        return self._connection.execute(query, values)


def explained(address: str, ask: Callable[[Connection], _Read]) -> tuple[_Read, str]:
    """Return what was asked of a database, and the plan of its one statement."""
    database = Database.open(address)

    def read(connection: Connection) -> tuple[_Read, str]:
        explaining = Explaining(connection)
        found = ask(explaining)  # type: ignore[arg-type]
        [plan] = explaining.plans
        return found, plan

    try:
        return database.read(read)
    finally:
        database.close()


def test_a_path_is_found_by_its_end_without_looking_at_all_others(opened: Opened, postgres_address: str) -> None:
    store = opened()
    put(store, *(entry(f"lib{number}/file{number}.py", ["text"]) for number in range(2000)))
    store.settle()
    found, plan = explained(
        postgres_address, lambda connection: stored_rows.paths_ending(connection, store._corpus, "FILE7.py")
    )
    assert [path for path, _ in found] == ["lib7/file7.py"]
    assert "documents_by_last_name" in plan and "Seq Scan" not in plan


def test_vectors_of_before_they_lay_in_parts_keep_their_indexes(
    opened: Opened, postgres_server: PostgresServer
) -> None:
    texts = [f"word{number}" for number in range(500)]
    sizes = Thresholds(exact=100)
    with postgres_server.database("undivided") as address:
        with earlier_version(address, 5):
            before = {}
            for name in ("one", "two"):
                store = opened(name, address=address, sizes=sizes)
                put(store, *(entry(f"{name}/{text}.py", [text]) for text in texts))
                store._database.run_outside(  # as that version did
                    f"CREATE INDEX vectors_hnsw_{store._corpus}_{DIMENSIONS} ON quaestor.vectors USING hnsw "
                    f"((embedding::halfvec({DIMENSIONS})) halfvec_cosine_ops) "
                    f"WHERE corpus_id = {store._corpus} AND vector_dims(embedding) = {DIMENSIONS}"
                )
                before[name] = list(store.dense(vector_of("word7"), 10))
        for name in ("one", "two"):
            store = opened(name, address=address, sizes=sizes)
            assert list(store.dense(vector_of("word7"), 10)) == before[name]
            number, query = store._corpus, vector_of("word7")
            _, plan = explained(address, lambda connection, n=number, q=query: ask_index(connection, n, q, 10, None))  # type: ignore[misc]
            assert f"vectors_hnsw_{number}_{DIMENSIONS}" in plan
            assert store.check() == []
        of_parts = "SELECT tablename FROM pg_indexes WHERE indexname LIKE 'vectors\\_hnsw%'"
        assert all(table.startswith("vectors_") for (table,) in postgres_server.run_sql(of_parts, "undivided"))  # type: ignore[attr-defined]


def test_corpora_of_one_database_know_nothing_of_each_other(opened: Opened) -> None:
    one, two = opened("one"), opened("two")
    put(one, entry("a.py", ["x retry"]))
    put(two, entry("a.py", ["y retry"]), entry("b.py", ["z retry"]))
    assert found_texts(one, "retry") == {"x retry"}
    assert len(one.dense(vector_of("x retry"), 10)) == 1
    assert list(one.defining(["z"], 5)) == []
    with one.writing() as writer:
        writer.remove("b.py")
    assert set(two.documents()) == {"a.py", "b.py"}


def test_who_writes_is_waited_for_and_other_corpora_are_not(opened: Opened) -> None:
    one, same, other = opened("one"), opened("one"), opened("other")
    with one.writing() as writer:
        entry("a.py", ["x"]).put(writer)
        with pytest.raises(IndexBusyError, match="busy for too long"), same.writing(timeout=0.2):
            pass
        put(other, entry("b.py", ["y"]))
    assert set(same.documents()) == {"a.py"}


def test_many_who_put_the_same_new_documents_double_nothing(opened: Opened) -> None:
    stores = [opened("crowd", sizes=IN_SEGMENTS) for _ in range(4)]

    def write(store: PostgresStore) -> None:
        for number in range(6):
            put(store, *several(number))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, stores))
    store = stores[0]
    assert len(store.documents()) == 6
    assert store.stats().chunks == len(store.lexical(["retry", "other"], 100)) == 12
    assert store.check() == []


def test_another_embedder_is_noticed_by_who_has_it_open(opened: Opened) -> None:
    store, other = opened("embedders", sizes=Thresholds(exact=-1)), opened("embedders")
    one = entry("a.py", ["x"])
    put(store, one)
    store.settle()
    longer = np.ones((1, 3 * DIMENSIONS), dtype=np.float32)
    with store.writing() as writer:
        writer.set_embedder("better", 3 * DIMENSIONS)
        writer.put(store.pack(one.document, one.chunks, longer, one.terms, (b"of another embedder",)))
    with pytest.raises(EmbedderChangedError, match="open it again"):
        other.dense(vector_of("x"), 5)
    with pytest.raises(EmbedderChangedError), other.writing():
        pass
    with pytest.raises(IndexUnusableError, match="made with the embedder 'better'"):
        opened("embedders")
    again = opened("embedders", embedder="better", dimensions=3 * DIMENSIONS, sizes=Thresholds(exact=-1))
    again.settle()
    assert len(again.dense(longer[0], 5)) == 1
    again.vacuum()
    assert again.known_vectors(one.keys) == {}
    assert again.check() == []


def test_segments_are_made_merged_and_made_anew_without_what_is_gone(opened: Opened) -> None:
    store = opened("segments", sizes=IN_SEGMENTS)
    for number in range(9):
        put(store, *several(number))
    assert len(found_texts(store, "retry")) == 9
    for number in range(1, 9):
        with store.writing() as writer:
            writer.remove(f"{number}.py")
        assert len(found_texts(store, "retry")) == 9 - number
    [[rows]] = store._database.read(
        lambda connection: connection.execute(
            "SELECT sum(chunk_count) FROM quaestor.segments WHERE corpus_id = %s", (store._corpus,)
        ).fetchall()
    )
    assert rows <= 6, "nearly all of the eighteen chunks are gone"
    assert store.check() == []


def test_words_on_this_machine_that_were_changed_are_fetched_anew(opened: Opened, tmp_path: Path) -> None:
    writer = opened("cached", sizes=IN_SEGMENTS)
    put(writer, *several(*range(5)))
    cache = tmp_path / "cache"
    assert len(found_texts(opened("cached", cache=cache), "retry")) == 5
    [file] = cache.rglob("*.postings")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))
    assert len(found_texts(opened("cached", cache=cache), "retry")) == 5
    [file] = cache.rglob("*.postings")
    file.write_bytes(b"")
    assert len(found_texts(opened("cached", cache=cache), "retry")) == 5
    put(writer, *several(*range(20, 30)))
    assert len(found_texts(opened("cached", cache=cache), "retry")) == 15
    assert file not in set(cache.rglob("*.postings"))


def kept_in(store: PostgresStore) -> list[bytes]:
    """Return the bytes of all contents that a corpus has."""
    query = "SELECT data FROM quaestor.contents WHERE corpus_id = %s"
    rows = store._database.read(lambda connection: connection.execute(query, (store._corpus,)).fetchall())
    return sorted(zlib.decompress(data) for (data,) in rows)


def test_equal_bytes_are_kept_once_and_go_with_the_last_document_that_has_them(opened: Opened) -> None:
    store, other = opened("kept", sizes=IN_SEGMENTS), opened("other")
    put_with(store, {"a.py": b"same", "b.py": b"same", "empty.py": b"", "c.py": None})
    put_with(other, {"a.py": b"same"})
    assert [store.bytes_of(path) for path in ("a.py", "b.py", "empty.py")] == [b"same", b"same", b""]
    assert store.bytes_of("c.py") is store.bytes_of("unknown.py") is None
    assert list(store.unkept_paths()) == ["c.py"]
    assert kept_in(store) == [b"", b"same"]
    with store.writing() as writer:
        writer.remove("a.py")
    assert kept_in(store) == [b"", b"same"]
    put_with(store, {"b.py": b"new", "empty.py": None})
    assert kept_in(store) == [b"new"]
    with store.writing() as writer:  # as a rename is: gone, and there again under another path
        writer.remove("b.py")
        for number in range(4):
            entry(f"{number}.py", ["x", "y"]).put(writer)
        one = entry("d.py", ["x"])
        packed = store.pack(one.document, one.chunks, one.vectors, one.terms, one.keys)
        writer.put(packed._replace(kept=keep(b"new")))
    assert (kept_in(store), store.bytes_of("d.py")) == ([b"new"], b"new")
    assert kept_in(other) == [b"same"], "no corpus shares bytes with another one"
    assert store.check() == other.check() == []


def test_bytes_are_added_to_the_documents_that_they_are_of_alone(opened: Opened) -> None:
    store = opened("added")
    put_with(store, {"a.py": None, "b.py": None, "c.py": b"own", "d.py": None})
    documents = store.documents()
    changed = documents["b.py"]._replace(sha256="of another version")
    given = {documents["a.py"]: keep(b"a"), changed: keep(b"b"), documents["c.py"]: keep(b"c")}
    before = [chunk.id for path in documents for chunk in store.chunks_of(path)]
    store.add_bytes({**given, entry("gone.py", ["x"]).document: keep(b"gone")})
    assert set(store.unkept_paths()) == {"b.py", "d.py"}
    assert kept_in(store) == [b"a", b"own"]
    assert [chunk.id for path in documents for chunk in store.chunks_of(path)] == before
    assert store.documents() == documents


def test_a_copy_takes_the_bytes_along_and_those_alone_that_the_other_lacks(opened: Opened) -> None:
    source, target = opened("from"), opened("to")
    put_with(source, {"a.py": b"a", "b.py": b"b", "c.py": None})
    put_with(target, {"a.py": b"a", "b.py": None, "c.py": b"not in the source"})
    copied = copy_store(source, target, lambda *_: None)
    assert (copied.documents, copied.written) == (3, 2)
    assert [target.bytes_of(path) for path in ("a.py", "b.py", "c.py")] == [b"a", b"b", None]
    assert kept_in(target) == [b"a", b"b"]
    assert target.check() == []
    source._database.write(
        lambda connection: connection.execute(
            "UPDATE quaestor.contents SET data = %s WHERE corpus_id = %s AND data = %s",
            (keep(b"x").data, source._corpus, keep(b"a").data),
        )
    )
    with pytest.raises(IndexUnusableError, match=r"'a\.py' .* do not match their hash"):
        copy_store(source, target, lambda *_: None)


def test_bytes_that_nothing_refers_to_go_with_a_vacuum(opened: Opened) -> None:
    """A process of an earlier version, which was running when the tables were changed, leaves such."""
    store = opened("loose")
    put_with(store, {"a.py": b"a", "b.py": b"b"})
    store._database.write(
        lambda connection: connection.execute(
            "UPDATE quaestor.documents SET content_hash = NULL WHERE corpus_id = %s AND path = 'b.py'",
            (store._corpus,),
        )
    )
    assert store.check() == ["1 bytes of no document"]
    store.vacuum()
    assert (store.check(), kept_in(store)) == ([], [b"a"])


def test_check_tells_what_is_wrong(opened: Opened, postgres_server: PostgresServer) -> None:
    damages = {
        "UPDATE quaestor.chunks SET text = 'other' WHERE {} AND text = 'x retry 1'": "do not match their checks",
        "DELETE FROM quaestor.chunks WHERE {} AND text = 'x retry 1'": "documents whose chunks are not all there",
        "DELETE FROM quaestor.documents WHERE {} AND path = '1.py'": "chunks of no document",
        "DELETE FROM quaestor.vectors WHERE {}": "chunks without a vector",
        "DELETE FROM quaestor.terms WHERE {}": "documents whose words are missing",
        "DELETE FROM quaestor.removed WHERE {}": "the packed words are of",
        "UPDATE quaestor.segments SET data = '\\x00' WHERE {}": "words of chunks 1 to",
        "UPDATE quaestor.contents SET data = '\\x00' WHERE {}": "the bytes of 1 document do not match their hash",
        "UPDATE quaestor.contents SET hash = '\\x00' WHERE {}": "1 bytes of no document",
        "DELETE FROM quaestor.contents WHERE {}": "1 documents whose bytes are missing",
    }
    for number, (damage, said) in enumerate(damages.items()):
        store = opened(f"damaged {number}", sizes=IN_SEGMENTS._replace(worn=100))
        put(store, *several(*range(5)))
        put_with(store, {"5.py": b"bytes"})
        with store.writing() as writer:
            writer.remove("4.py")
        assert store.check() == []
        postgres_server.run_sql(damage.format(f"corpus_id = {store._corpus}"), "corpora")
        assert any(said in one for one in store.check()), damage


def test_a_copy_that_was_broken_off_goes_on_where_it_was(opened: Opened) -> None:
    source, target = opened("from"), opened("to", sizes=IN_SEGMENTS)
    put(source, *several(*range(203)))

    def interrupt(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_store(source, target, interrupt)
    assert len(target.documents()) == 200
    assert copy_store(source, target, lambda *_: None).written == 3
    assert digest_of(source) == digest_of(target)


def test_erasing_a_corpus_leaves_nothing_of_it(opened: Opened, postgres_server: PostgresServer) -> None:
    store, other = opened("erased", sizes=Thresholds(exact=-1)), opened("other")
    for one in (store, other):
        put(one, *several(1, 2))
    store.settle()
    PostgresStore.erase(store._database, store._name)
    left = {
        table: postgres_server.run_sql(
            f"SELECT count(*) FROM quaestor.{table} WHERE corpus_id = {store._corpus}", "corpora"
        )
        for table in ("corpora", *TABLES)
    }
    assert set(map(tuple, (row for rows in left.values() for row in rows))) == {(0,)}
    assert other._name in {one.name for one in store._database.read(list_corpora)}
    assert store._name not in {one.name for one in store._database.read(list_corpora)}
    with pytest.raises(IndexUnusableError, match="was deleted"):
        store.documents()
    with pytest.raises(IndexUnusableError, match="no corpus"):
        opened("erased", create=False)
    assert len(found_texts(other, "retry")) == 2


def test_a_corpus_is_erased_while_others_of_its_part_are_indexed_and_searched(
    opened: Opened, postgres_server: PostgresServer
) -> None:
    """Who builds an index there holds a lock; if dropping one waited for it alone, searches would wait behind that."""
    store = opened("erased", sizes=Thresholds(exact=-1))
    put(store, *several(1))
    store.settle()
    database, part = store._database, store._database.read(lambda connection: part_of(connection, store._corpus))
    with ThreadPoolExecutor(1) as thread:
        with database.writing() as builder:
            builder.execute(f"LOCK TABLE {part} IN SHARE UPDATE EXCLUSIVE MODE".encode())
            erased = thread.submit(PostgresStore.erase, opened("erased")._database, store._name)
            while not database.look(f"SELECT 1 FROM pg_locks WHERE relation = '{part}'::regclass AND NOT granted"):
                time.sleep(0.02)
            assert database.look(f"SELECT count(*) FROM {part}")
        erased.result(600)
    assert index_names_of(postgres_server, store) == []


def index_names_of(server: PostgresServer, store: PostgresStore) -> list[str]:
    found = server.run_sql(f"SELECT indexname FROM pg_indexes WHERE indexname ~ 'hnsw_{store._corpus}_'", "corpora")
    return [str(name) for (name,) in found]


def test_an_index_whose_corpus_went_in_a_killed_process_goes_with_a_vacuum(
    opened: Opened, postgres_server: PostgresServer
) -> None:
    store, other = (opened(name, sizes=Thresholds(exact=-1)) for name in ("erased", "other"))
    for one in (store, other):
        put(one, *several(1))
        one.settle()
    store._database.write(lambda connection: erase_corpus(connection, store._corpus))  # and then the process is killed
    assert index_names_of(postgres_server, store)
    other.vacuum()
    assert index_names_of(postgres_server, store) == []
    assert index_names_of(postgres_server, other)


@pytest.mark.parametrize("options", ["ef_construction = 64", "m = 16"], ids=["earlier version", "cut off"])
def test_a_vacuum_builds_an_index_of_vectors_of_an_earlier_version_anew(
    opened: Opened, postgres_server: PostgresServer, options: str
) -> None:
    store = opened("earlier", sizes=Thresholds(exact=-1))
    put(store, *several(1))
    store.settle()
    name = f"quaestor.{index_name(store._corpus, DIMENSIONS)}"
    built = f"SELECT relfilenode, reloptions FROM pg_class WHERE oid = '{name}'::regclass"
    [now] = postgres_server.run_sql(built, "corpora")
    store.vacuum()
    assert postgres_server.run_sql(built, "corpora") == [now]
    postgres_server.run_sql(f"ALTER INDEX {name} SET ({options})", "corpora")
    store.vacuum()
    [(file, built_with)] = postgres_server.run_sql(built, "corpora")
    assert (file != now[0], built_with) == (True, now[1])
    assert len(index_names_of(postgres_server, store)) == 1
    assert len(store.dense(vector_of("x"), 5))


def test_an_index_of_vectors_that_another_process_builds_after_a_search_is_used(opened: Opened) -> None:
    """It is built after the last commit, so that nothing else changes."""
    builder, searcher = (opened("late", sizes=Thresholds(exact=1)) for _ in range(2))
    put(builder, *several(1, 2))
    searcher.dense(vector_of("x"), 5)
    assert not searcher._read(searcher._has_index)
    builder.settle()
    assert searcher._read(searcher._has_index)
    assert len(searcher.dense(vector_of("x"), 5))


@pytest.mark.postgres
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_the_index_of_vectors_finds_the_nearest(opened: Opened, share: float) -> None:
    """Recall of ten among 6,000 vectors around 300 centres, also where a filter lets through a part of them."""
    numbers = np.random.default_rng(0)
    dimensions, documents, each = 64, 300, 20
    centres = numbers.normal(size=(documents, dimensions))
    store = opened("recall", dimensions=dimensions, sizes=Thresholds(exact=1000))
    rows = []
    with store.writing() as writer:
        for number in range(documents):
            language = "python" if number < share * documents else "text"
            made = entry(f"{number}.py", [f"x {number} {at}" for at in range(each)], language)
            vectors = centres[number] + 0.6 * numbers.normal(size=(each, dimensions))
            vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
            rows.append(vectors if language == "python" else np.zeros_like(vectors))
            writer.put(store.pack(made.document, made.chunks, vectors, made.terms, made.keys))
    store.settle()
    matrix, found, asked = np.concatenate(rows), 0, 50
    for number in range(asked):
        query = (centres[number % int(share * documents)] + 0.6 * numbers.normal(size=dimensions)).astype(np.float32)
        scores = store.dense(query, 10, Where(languages=("python",)) if share < 1 else None)
        least = np.sort(matrix @ query / np.linalg.norm(query))[-10] - 0.01
        found += sum(score >= least for _, score in scores)
    assert found / (10 * asked) >= 0.97


def test_sequences_of_writers_and_readers_see_whole_states(opened: Opened) -> None:
    """Readers meet no document without its chunks, and no chunk of an earlier version, while it is replaced."""
    writer, reader = opened("states", sizes=IN_SEGMENTS), opened("states", sizes=IN_SEGMENTS)
    put(writer, replace(entry("a.py", ["version 0"] * 3)))
    over = threading.Event()

    def write() -> None:
        for number in range(1, 25):
            put(writer, entry("a.py", [f"version {number}"] * (1 + number % 4)))
        over.set()

    seen: list[Sequence[str]] = []
    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(write)
        while not over.is_set() and not done.done():
            seen.append([one.chunk.text for one in reader.chunks_of("a.py")])
            assert reader.lexical(["version"], 10)
        done.result()
    for texts in seen:
        number = int(texts[0].split()[1])
        assert texts == [f"version {number}"] * (3 if number == 0 else 1 + number % 4)
