"""Several processes take one folder into a database: each document once, whichever of them are killed meanwhile."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

pytest.importorskip("psycopg")

from test_index_kill import write_version

from fault_rounds import Trial
from postgres_server import PostgresServer
from quaestor import Index
from quaestor.core.config import Settings
from quaestor.core.documents import Chunk
from shared_state import copied_database

INDEXER = Path(__file__).with_name("shared_indexer.py")
CROWD = 3
LEASE_SECONDS = 1.0
LONG_AGO = 1_700_000_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "corpus"
    write_version(root, 0)
    for file in root.rglob("*.*"):
        os.utime(file, (LONG_AGO, LONG_AGO))  # what was written just now may be written again: it is read twice
    return root


def begun(root: Path, home: Path, store: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(INDEXER), str(root), str(home), store, str(LEASE_SECONDS)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True)


def held_of(index: Index) -> Mapping[str, tuple[str, list[Chunk]]]:
    documents = index.store.documents()
    return {path: (documents[path].sha256, [one.chunk for one in index.store.chunks_of(path)]) for path in documents}


def check_whole(root: Path, home: Path, store: str) -> None:
    """Assert that the index is as one process alone makes it, and that nothing is left to be done."""
    with (
        Index.open(root, settings=Settings(home=str(home / "0"), store=store, corpus="shared")) as index,
        Index.build(root, settings=Settings(home=str(home / "alone"))) as alone,
    ):
        assert index.store.check() == []
        with index.store.sharing() as work:
            assert work.count_remaining(()) == 0
        assert not index.refresh().any
        assert held_of(index) == held_of(alone)


@pytest.mark.slow
def test_each_document_is_taken_in_by_one(server_with_tables: PostgresServer, root: Path, tmp_path: Path) -> None:
    with copied_database(server_with_tables) as store:
        crowd = [begun(root, tmp_path / str(number), store) for number in range(CROWD)]
        told = [json.loads(process.communicate()[0]) for process in crowd]
        assert [process.returncode for process in crowd] == [0] * CROWD
        added = [path for paths in told for path in paths]
        assert sorted(added) == sorted(path.relative_to(root).as_posix() for path in root.rglob("*.*"))
        check_whole(root, tmp_path, store)


@pytest.mark.fault("kill -9 of some of several processes that index one folder into a database", few=1, many=60)
def test_those_who_are_left_finish_it(
    trial: Trial, server_with_tables: PostgresServer, root: Path, tmp_path: Path
) -> None:
    draw, took = random.Random(11), 2.0
    for number in trial.rounds():
        with trial.counted(f"round {number}"), copied_database(server_with_tables) as store:
            home = tmp_path / f"round {number}"
            crowd = [begun(root, home / str(one), store) for one in range(CROWD)]
            began = time.monotonic()
            for process in crowd[1:]:
                with process:
                    time.sleep(draw.uniform(0.0, 0.5 * took))
                    process.kill()
            assert crowd[0].wait() == 0
            crowd[0].communicate()
            took = time.monotonic() - began
            check_whole(root, home, store)
