"""What the store in PostgreSQL does when its server is killed, lags, is full, or does not answer."""

from __future__ import annotations

import os
import pwd
import random
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from postgres_proxy import CuttingProxy
from postgres_server import PostgresServer, server_folder

pytest.importorskip("psycopg")

import psycopg
from postgres_parts import IN_SEGMENTS, Opened, found_texts, put, several
from store_factories import entry

from quaestor.core.errors import IndexUnusableError, LimitError
from quaestor.stores.postgres import Thresholds


def test_a_server_that_is_killed_while_it_is_written_has_all_or_nothing_of_each_transaction(opened: Opened) -> None:
    with server_folder() as folder:
        server = PostgresServer.created(folder, settings=())
        try:
            store = opened("killed", address=server.address("postgres"), sizes=IN_SEGMENTS)
            acknowledged: set[int] = set()
            stopped = threading.Event()

            def write() -> None:
                for number in range(1000):
                    try:
                        put(store, entry(f"{number}.py", ["x retry"] * 3), entry(f"with {number}.py", ["y"]))
                    except IndexUnusableError:
                        break
                    acknowledged.add(number)
                stopped.set()

            thread = threading.Thread(target=write)
            thread.start()
            while len(acknowledged) < 5 and not stopped.is_set():
                stopped.wait(0.01)
            server.kill()
            thread.join()
            server.start()
            documents = set(store.documents())
            assert {f"{number}.py" for number in acknowledged} <= documents
            assert {name for name in documents if not name.startswith("with")} == {
                name.removeprefix("with ") for name in documents if name.startswith("with")
            }
            assert store.check() == []
            put(store, entry("after.py", ["z retry"]))
            assert "z retry" in found_texts(store, "retry")
        finally:
            server.stop()


@pytest.mark.parametrize("others_write", [False, True], ids=["alone", "others write meanwhile"])
@pytest.mark.parametrize("lose_answer", [True, False], ids=["answer lost", "commit lost"])
def test_a_commit_whose_answer_is_lost_is_told_from_one_that_failed(
    opened: Opened, postgres_server: PostgresServer, postgres_address: str, lose_answer: bool, others_write: bool
) -> None:
    other = opened("commits")
    with closing(CuttingProxy(postgres_server.port, lose_answer=lose_answer)) as proxy:
        store = opened("commits", address=proxy.before(postgres_address))

        def write() -> None:
            with store.writing() as writer:
                entry("mine.py", ["x"]).put(writer)
                meanwhile = partial(put, other, *several(1)) if others_write else None
                proxy.cut_commit(lose_answer=lose_answer, meanwhile=meanwhile)

        if lose_answer:
            write()
        else:
            with pytest.raises(IndexUnusableError, match="cannot be reached"):
                write()
        expected = {"mine.py"} if lose_answer else set()
        assert set(store.documents()) == expected | ({"1.py"} if others_write else set())


def test_an_index_that_a_deadlock_ends_is_built_again(opened: Opened, postgres_server: PostgresServer) -> None:
    """Somebody analyses the table in a transaction that the index waits for; the server ends the building."""
    with postgres_server.database("waits") as address:
        store = opened(address=address, sizes=Thresholds(exact=-1))
        put(store, *several(1))
        postgres_server.run_sql("ALTER DATABASE waits SET deadlock_timeout = '2s'")
        store.close()
        store = opened(address=address, sizes=Thresholds(exact=-1))
        with psycopg.connect(address) as somebody, ThreadPoolExecutor(1) as thread:
            somebody.execute("SET deadlock_timeout = '1h'")
            somebody.commit()
            somebody.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            somebody.execute("SELECT")
            settled = thread.submit(store.settle)
            while not postgres_server.run_sql("SELECT 1 FROM pg_locks WHERE locktype = 'virtualxid' AND NOT granted"):
                time.sleep(0.02)
            somebody.execute("ANALYZE quaestor.vectors")
            somebody.commit()
            settled.result(600)
        [(whole,)] = postgres_server.run_sql(
            "SELECT indisvalid FROM pg_index WHERE indexrelid::regclass::text ~ 'hnsw'", "waits"
        )
        assert whole


@contextmanager
def small_disk() -> Iterator[Path]:
    """Yield a folder of the server's own on a disk of 32 MB; skips the test where nobody may make one."""
    with server_folder() as folder:
        options = f"size=32m,mode=700,uid={pwd.getpwnam('nobody').pw_uid}"
        mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        mounted = subprocess.run(mount, capture_output=True, check=False)
        if mounted.returncode or os.geteuid():
            pytest.skip("only root makes a disk that is full")
        try:
            yield folder
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_leaves_what_was_committed_and_room_mends_it(
    opened: Opened, postgres_server: PostgresServer
) -> None:
    with small_disk() as folder:
        postgres_server.run_sql(f"CREATE TABLESPACE small LOCATION '{folder}'")
        postgres_server.run_sql("CREATE DATABASE small TABLESPACE small")
        try:
            store = opened(address=postgres_server.address("small"))
            put(store, *several(1))
            draw = random.Random(1)
            with pytest.raises(LimitError, match="no room on the disk"):
                for number in range(100):
                    put(store, entry(f"large{number}.py", [draw.randbytes(500_000).hex() for _ in range(4)]))
            whole = set(store.documents())
            assert "1.py" in whole
            assert store.check() == []
            assert found_texts(store, "retry") == {"x retry 1"}
            subprocess.run(["mount", "-o", "remount,size=128m", str(folder)], check=True)
            put(store, *several(2))
            assert set(store.documents()) == {*whole, "2.py"}
        finally:
            postgres_server.run_sql("DROP DATABASE small WITH (FORCE)")
            postgres_server.run_sql("DROP TABLESPACE small")


@pytest.mark.postgres
def test_a_standby_that_lags_is_passed_over_for_what_was_seen(opened: Opened) -> None:
    with server_folder() as folder, server_folder() as beside:
        server = PostgresServer.created(folder)
        standby = server.follow(beside)
        try:
            address = server.address("postgres", further=f",127.0.0.1:{standby.port}")
            store = opened("lag", address=address)
            put(store, *several(1))
            written = server.run_sql("SELECT pg_current_wal_insert_lsn()")[0][0]
            taken_in = f"SELECT pg_last_wal_replay_lsn() >= '{written}'"
            while standby.run_sql(taken_in) != [(True,)]:
                time.sleep(0.05)
            standby.run_sql("SELECT pg_wal_replay_pause()")
            put(store, *several(2))
            assert set(store.documents()) == {"1.py", "2.py"}
            assert len(found_texts(store, "retry")) == 2
            server.kill()
            assert set(opened("lag", address=standby.address("postgres")).documents()) == {"1.py"}
        finally:
            standby.stop()
            server.stop()
