"""Death, crowding and a full disk: the store is at every moment in a state that was committed."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from store_factories import DIMENSIONS, ON_DISK, entry, open_embedded, vector_of

from fault_rounds import Trial
from quaestor.core.errors import IndexUnusableError, LimitError
from quaestor.stores import Store
from quaestor.stores.embedded import Thresholds
from quaestor.stores.embedded.lock import WriteLock
from quaestor.stores.embedded.store import EmbeddedStore

WRITER = Path(__file__).with_name("store_writer.py")


def start(folder: Path, name: str, first: int, count: int, overlay: int, *more: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), str(folder), name, *map(str, (first, count, overlay, *more))]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def check_whole(store: Store, name: str) -> int:
    """Assert that the documents of ``name`` are those of one transaction, everywhere; returns its number."""
    number = int(store.metadata(name) or -1)
    if number < 0:
        return number
    expected = {f"{name} version{number} part{part}" for part in range(number % 5 + 2)}
    for place in "abc":
        assert {found.chunk.text for found in store.chunks_of(f"{name}/{place}.py")} == expected
    return number


def check_searches(store: Store, name: str, number: int) -> None:
    """Assert, while nobody writes, that both searches find transaction ``number`` and no other."""
    expected = [f"{name} version{number} part{part}" for part in range(number % 5 + 2)] * 3
    found = store.get(chunk for chunk, _ in store.lexical([name], 1000))
    assert sorted(stored.chunk.text for stored in found.values()) == sorted(expected)
    assert len(store.lexical([f"version{number - 1}"], 1000)) == 0
    near = store.dense(vector_of(expected[0]), 1000)
    assert set(store.get(chunk for chunk, _ in near)) == {chunk for chunk, _ in near}
    assert sum(score > 0.99 for _, score in near) == 3


@pytest.mark.fault("kill -9 of who writes to a store", few=5, many=10)
@pytest.mark.parametrize("overlay", [0, 20])
def test_killed_at_any_moment(trial: Trial, tmp_path: Path, overlay: int) -> None:
    """At moments spread over start-up, writing, committing and deriving."""
    folder = tmp_path / "index"
    number = -1
    for round_ in trial.over(range(10)):
        trial.done += 1
        process = start(folder, "killed", number + 1, 10_000, overlay)
        assert process.stdout is not None
        if round_ % 5:
            process.stdout.readline()
        time.sleep(0.013 * round_)
        process.kill()
        printed, _ = process.communicate()
        store = open_embedded(folder, Thresholds(overlaid=overlay))
        found = check_whole(store, "killed")
        announced = [int(line) for line in printed.split()]
        assert found >= max(announced, default=number), "a committed transaction is gone"
        if found >= 0:
            check_searches(store, "killed", found)
        store.close()
        number = found
    assert number > 0, "the writer never got far enough to be interrupted"


def test_two_writers_and_readers(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    open_embedded(folder).close()
    writers = [start(folder, name, 0, 40, overlay) for name, overlay in (("left", 0), ("right", 15))]
    reader = open_embedded(folder)
    seen = {"left": -1, "right": -1}
    reads = 0
    while any(writer.poll() is None for writer in writers):
        for name, last in seen.items():
            hits = reader.lexical([name], 100)
            stored = reader.get(chunk for chunk, _ in hits)
            # Between two calls a transaction may end; within one call nothing is torn.
            assert len({chunk for chunk, _ in hits}) == len(hits)
            assert len({found.chunk.text.split()[1] for found in stored.values()}) <= 1
            assert len(hits) in {0, 6, 9, 12, 15, 18}, "half a transaction"
            number = int(reader.metadata(name) or -1)
            assert number >= last, "time ran backwards"
            seen[name] = number
            reads += 1
    assert [writer.wait() for writer in writers] == [0, 0], [writer.communicate() for writer in writers]
    for writer in writers:
        writer.communicate()
    assert reads > 10
    for name in seen:
        assert check_whole(reader, name) == 39
        check_searches_among(reader, name)
    assert reader.generation() == 80
    assert set(reader.documents()) == {f"{name}/{place}.py" for name in seen for place in "abc"}
    reader.close()


def check_searches_among(store: Store, name: str) -> None:
    assert len(store.lexical([name], 1000)) == 3 * (39 % 5 + 2)


@pytest.mark.parametrize("overlay", [0, 1000])
def test_a_full_disk(tmp_path: Path, overlay: int) -> None:
    """A limit on the size of files stands in for the disk: writes fail half-way, and reading goes on."""
    folder = tmp_path / "index"
    store = open_embedded(folder, Thresholds(overlaid=overlay))
    with store.writing() as writer:
        for place in "abc":
            entry(f"full/{place}.py", ["full version0 part0", "full version0 part1"]).put(writer)
        writer.set_metadata("full", "0")
    limit = 400_000
    process = start(folder, "full", 1, 10_000, overlay, limit)
    printed, message = process.communicate(timeout=600)
    assert process.returncode == LimitError.exit_code, message
    assert "could not be written" in message
    assert "Traceback" not in message
    last = max(map(int, printed.split()), default=0)
    assert check_whole(store, "full") == last
    check_searches(store, "full", last)
    with store.writing() as writer:
        entry("full/d.py", ["now there is space"]).put(writer)
    assert len(store.lexical(["space"], 5)) == 1
    store.close()


def test_a_writer_waits_for_another_and_then_says_so(tmp_path: Path) -> None:
    store = EmbeddedStore.open(tmp_path, embedder="test", dimensions=DIMENSIONS, create=True)
    with (
        WriteLock(tmp_path).hold(1),
        pytest.raises(IndexUnusableError, match="locked by process"),
        store.writing(timeout=0.1),
    ):
        pass
    with store.writing(timeout=0.1) as writer:
        entry("a.py", ["now"]).put(writer)
    store.close()


def test_an_index_of_another_embedder_is_refused(tmp_path: Path) -> None:
    open_embedded(tmp_path).close()
    for embedder, dimensions in (("other", DIMENSIONS), ("test", 16)):
        for create in (True, False):
            with pytest.raises(IndexUnusableError, match=r"(?s)made with .*quaestor index --rebuild"):
                EmbeddedStore.open(tmp_path, embedder=embedder, dimensions=dimensions, create=create)


def test_a_missing_index_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusableError, match="There is no index"):
        EmbeddedStore.open(tmp_path / "none", embedder="test", dimensions=DIMENSIONS, create=False)
    assert not (tmp_path / "none").exists()
    (tmp_path / "index.sqlite3").touch()
    with pytest.raises(IndexUnusableError, match="There is no index"):
        EmbeddedStore.open(tmp_path, embedder="test", dimensions=DIMENSIONS, create=False)


@pytest.mark.parametrize("version", [0, 99])
def test_another_schema_version_is_refused(tmp_path: Path, version: int) -> None:
    open_embedded(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "index.sqlite3")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    with pytest.raises(IndexUnusableError, match=r"version of Quaestor.*quaestor index --rebuild"):
        open_embedded(tmp_path)


def test_a_corrupt_index_is_refused_and_can_be_erased(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("not the index's", encoding="utf-8")
    store = open_embedded(tmp_path)
    with store.writing() as writer:
        entry("a.py", ["kept"] * 500).put(writer)
    store.close()
    (tmp_path / "index.sqlite3").write_bytes(b"nonsense" * 4096)
    with pytest.raises(IndexUnusableError, match=r"quaestor index --rebuild"):
        open_embedded(tmp_path)
    EmbeddedStore.erase(tmp_path)
    store = open_embedded(tmp_path)
    assert store.documents() == {}
    store.close()
    assert (tmp_path / "mine.txt").exists()


def test_someone_elses_database_is_left_alone(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "index.sqlite3")
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(IndexUnusableError, match="not an index"):
        open_embedded(tmp_path)


@pytest.mark.parametrize("damage", ["delete", "truncate", "garbage"])
@pytest.mark.parametrize("part", ["lexical", "vectors.state", "vectors-1"])
def test_damaged_derived_files_are_made_anew(tmp_path: Path, part: str, damage: str) -> None:
    store = open_embedded(tmp_path, ON_DISK)
    with store.writing() as writer:
        entry("a.py", [f"kept part{number}" for number in range(20)]).put(writer)
    store.close()
    spoil(tmp_path / part, damage)
    store = open_embedded(tmp_path, ON_DISK)
    assert len(store.lexical(["kept"], 50)) == 20
    assert len(store.dense(vector_of("kept part7"), 50)) == 20
    with store.writing() as writer:
        entry("b.py", ["kept more"]).put(writer)
    assert len(store.lexical(["kept"], 50)) == 21
    assert len(store.dense(vector_of("kept part7"), 50)) == 21
    store.close()


def spoil(path: Path, damage: str) -> None:
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    if damage == "delete":
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        return
    for file in files:
        data = file.read_bytes()
        file.write_bytes(data[: len(data) // 2] if damage == "truncate" else b"\xff" * len(data))
