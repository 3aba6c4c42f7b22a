"""Leases on the files of a corpus: each file belongs to one process at a time, and to another if that is silent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from postgres_server import PostgresServer

pytest.importorskip("psycopg")

from store_factories import DIMENSIONS, entry

from quaestor.stores.postgres import leased_work
from quaestor.stores.postgres.connection import Database
from quaestor.stores.postgres.postgres_store import PostgresStore
from quaestor.stores.shared_store import WorkItem

PATHS = [f"{number}.py" for number in range(5)]
ITEMS = [WorkItem(path, 10, 1) for path in PATHS]

Ask = Callable[[str], list[tuple[object, ...]]]


@pytest.fixture
def store(postgres_address: str, tmp_path: Path) -> Iterator[PostgresStore]:
    with closing(Database.open(postgres_address)) as database:
        yield PostgresStore.open(database, str(tmp_path), embedder="test", dimensions=DIMENSIONS, create=True)


@pytest.fixture
def ask(postgres_server: PostgresServer, store: PostgresStore) -> Ask:
    """Runs a statement about the corpus beside the store, as an administrator or a clock would."""
    return lambda sql: postgres_server.run_sql(sql.format(f"corpus_id = {store._corpus}"), "corpora")


def test_two_share_what_both_offer(store: PostgresStore) -> None:
    with store.sharing() as one, store.sharing() as other:
        one.offer(ITEMS)
        other.offer(list(reversed(ITEMS)))
        taken = [*one.take(2, ()), *other.take(2, ()), *one.take(2, ())]
        assert taken == PATHS
        assert (one.take(5, ()), other.take(5, ())) == ([], [])
        assert other.count_remaining(()) == len(PATHS)


def test_what_is_given_back_goes_to_another(store: PostgresStore) -> None:
    with store.sharing() as one, store.sharing() as other:
        one.offer(ITEMS)
        assert one.take(9, ()) == PATHS
        one.give_back(PATHS[:2])
        assert one.take(9, PATHS[:2]) == []
        assert other.take(9, ()) == PATHS[:2]
        assert other.count_remaining(PATHS[2:]) == 2


def test_an_item_goes_with_its_document_or_stays_without(store: PostgresStore) -> None:
    with store.sharing() as work:
        work.offer(ITEMS)
        work.take(9, ())
        with pytest.raises(KeyError), store.writing() as writer:
            entry(PATHS[0], ["x"]).put(writer)
            assert work.finish(writer, PATHS[:1]) == set(PATHS[:1])
            raise KeyError
        assert (work.count_remaining(()), set(store.documents())) == (5, set())
        with store.writing() as writer:
            work.finish(writer, PATHS[:1])
            entry(PATHS[0], ["x"]).put(writer)
        assert (work.count_remaining(()), set(store.documents())) == (4, {PATHS[0]})


def test_an_item_goes_though_its_file_is_refused(store: PostgresStore) -> None:
    generation = store.generation()
    with store.sharing() as work:
        work.offer(ITEMS)
        work.take(9, ())
        with store.writing() as writer:
            work.finish(writer, PATHS)
        assert (work.count_remaining(()), store.generation()) == (0, generation)


def test_a_lease_that_ran_out_is_another_process_s_and_no_longer_the_first_one_s(
    store: PostgresStore, ask: Ask
) -> None:
    with store.sharing() as slow, store.sharing() as other:
        slow.offer(ITEMS)
        slow.take(9, ())
        ask("UPDATE quaestor.work_items SET leased_until = '-infinity' WHERE {} AND path < '2'")
        assert other.take(9, ()) == PATHS[:2]
        with store.writing() as writer:
            assert slow.finish(writer, PATHS) == set(PATHS[2:])
        with store.writing() as writer:
            assert other.finish(writer, PATHS) == set(PATHS[:2])


def test_a_lease_is_renewed_while_its_process_lives(
    store: PostgresStore, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leased_work, "LEASE_SECONDS", 0.5)
    until = "SELECT max(leased_until) FROM quaestor.work_items WHERE {}"
    with store.sharing() as work:
        work.offer(ITEMS)
        work.take(9, ())
        first = ask(until)
        while ask(until) == first:
            threading.Event().wait(0.05)
    assert ask("SELECT count(*) FROM quaestor.work_items WHERE {} AND holder <> ''") == [(0,)]


def test_what_the_index_holds_by_now_is_not_taken_again(store: PostgresStore) -> None:
    held = entry(PATHS[0], ["x"])
    with store.writing() as writer:
        held.put(writer)
    items = [WorkItem(PATHS[0], held.document.size, held.document.stamp), *ITEMS[1:]]
    with store.sharing() as late:
        late.offer(items)
        assert late.take(1, ()) == PATHS[1:2]
        assert late.count_remaining(()) == 4


def test_what_nobody_does_is_dropped_when_the_store_is_put_in_order(store: PostgresStore) -> None:
    with store.sharing() as work:
        work.offer(ITEMS)
        work.take(2, ())
        store.vacuum()
        assert work.count_remaining(()) == 2


def test_two_who_make_the_index_of_vectors_at_once_make_one(store: PostgresStore, ask: Ask) -> None:
    store._sizes = store._sizes._replace(exact=-1)
    with store.writing() as writer:
        entry("a.py", ["x"]).put(writer)
    threads = [threading.Thread(target=store.settle) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    named = f"relname LIKE 'vectors_hnsw_{store._corpus}_%'"
    assert ask(f"SELECT indisvalid FROM pg_index JOIN pg_class ON oid = indexrelid WHERE {named}") == [(True,)]
    part = ask(f"SELECT indrelid FROM pg_index JOIN pg_class ON oid = indexrelid WHERE {named}")
    assert ask("SELECT tableoid FROM quaestor.vectors WHERE {} LIMIT 1") == part
