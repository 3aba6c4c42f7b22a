"""What is the embedded store's own: compaction, collection of vectors, the change log, sharing."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from store_factories import ON_DISK, entry, open_embedded, vector_of

from quaestor.stores import Where
from quaestor.stores.embedded import Thresholds
from quaestor.stores.embedded.lexical import LexicalBase
from quaestor.stores.embedded.matrix import MatrixBase
from quaestor.stores.embedded.store import EmbeddedStore
from quaestor.stores.embedded.vectors import planes_of


def put(store: EmbeddedStore, path: str, *texts: str) -> None:
    with store.writing() as writer:
        entry(path, texts).put(writer)


def count(folder: Path, table: str) -> int:
    connection = sqlite3.connect(folder / "index.sqlite3")
    (found,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    connection.close()
    return int(found)


@pytest.fixture
def store(tmp_path: Path) -> EmbeddedStore:
    return open_embedded(tmp_path, ON_DISK)


def test_worn_files_are_compacted(tmp_path: Path) -> None:
    with closing(open_embedded(tmp_path, ON_DISK._replace(worn=10))) as store:
        put(store, "kept.py", *(f"kept number{number}" for number in range(20)))
        for round_ in range(8):
            put(store, "changing.py", *(f"changing round{round_} number{number}" for number in range(5)))
        base, lexical = MatrixBase.load(tmp_path, 8), LexicalBase.load(tmp_path)
        assert base is not None
        assert lexical is not None
        assert base.serial > 1
        assert len(base.rows.ids) < 60
        assert lexical.statistics.chunks < 60
        assert [place.name for place in tmp_path.glob("vectors-*")] == [f"vectors-{base.serial}"]
        assert len(store.lexical(["kept"], 100)) == 20
        assert len(store.lexical(["changing"], 100)) == 5
        assert len(store.dense(vector_of("kept number1"), 100)) == 25


def test_many_vectors_are_found_by_their_signs_and_stay_right(tmp_path: Path) -> None:
    """With small figures in place of the real ones: grown, thinned, filtered, compacted."""
    sizes = ON_DISK._replace(worn=40, exact=30, scored=10)
    texts: dict[str, list[str]] = {}
    for round_ in range(8):
        path = f"folder{round_ % 3}/m{round_ % 6}.py"
        texts[path] = [f"round{round_} number{number}" for number in range(25)]
        with closing(open_embedded(tmp_path, sizes)) as store:
            put(store, path, *texts[path])
        with closing(open_embedded(tmp_path, sizes)) as store:
            for path, own in texts.items():
                assert len(store.dense(vector_of(own[3]), 20)) == 20
                assert len(store.dense(vector_of(own[3]), 500)) == 25 * len(texts)
                [(chunk, score)] = store.dense(vector_of(own[3]), 1)
                assert score > 0.98
                assert store.get([chunk])[chunk].chunk.text == own[3]
                where = Where(paths=(path,))
                assert len(store.dense(vector_of(own[3]), 25, where)) == 25
    base = MatrixBase.load(tmp_path, 8)
    assert base is not None
    assert all(np.array_equal(*both) for both in zip(base.rows.planes, planes_of(base.rows.data), strict=True))


@pytest.mark.parametrize("rounds", [20, pytest.param(60, marks=pytest.mark.slow)])
def test_an_open_index_does_not_grow_by_being_refreshed(tmp_path: Path, rounds: int) -> None:
    """By its log above all, which nobody shortens while the index is open."""
    with closing(open_embedded(tmp_path / "index")) as store, closing(open_embedded(tmp_path / "clean")) as clean:
        for round_ in range(rounds):
            texts = [f"round{round_} number{number} {'filler ' * 300}" for number in range(200)]
            put(store, f"m{round_ % 3}.py", *texts)
            store.lexical(["filler"], 3)
        put(clean, "m.py", *texts)
        assert store.stats().store_bytes < 3 * 3 * clean.stats().store_bytes


def test_unused_vectors_are_collected_past_a_share(tmp_path: Path) -> None:
    store = open_embedded(tmp_path, Thresholds(loose=10))
    put(store, "a.py", *(f"first{number}" for number in range(10)))
    put(store, "a.py", "x")
    assert count(tmp_path, "vectors") == 11, "kept for a branch to come back to"
    put(store, "a.py", *(f"second{number}" for number in range(10)))
    assert count(tmp_path, "vectors") == 10
    store.close()


def test_equal_texts_share_a_vector(store: EmbeddedStore, tmp_path: Path) -> None:
    put(store, "a.py", "same", "same", "other")
    put(store, "b.py", "same")
    assert count(tmp_path, "vectors") == 2
    assert len(store.dense(vector_of("same"), 10)) == 4
    store.close()


def test_the_change_log_is_trimmed(store: EmbeddedStore, tmp_path: Path) -> None:
    for round_ in range(10):
        put(store, "a.py", f"round{round_}")
    assert count(tmp_path, "removed") <= 2
    assert count(tmp_path, "contents") <= 3
    store.close()


def test_a_trimmed_log_does_not_strand_an_open_reader(store: EmbeddedStore, tmp_path: Path) -> None:
    put(store, "a.py", "round0")
    reader = open_embedded(tmp_path, ON_DISK)
    assert len(reader.lexical(["round0"], 5)) == 1
    for round_ in range(1, 6):
        put(store, "a.py", f"round{round_}")
    assert len(reader.lexical(["round5"], 5)) == 1
    assert len(reader.dense(vector_of("round5"), 5)) == 1
    reader.close()
    store.close()


def test_a_history_that_was_cut_apart_is_noticed(store: EmbeddedStore, tmp_path: Path) -> None:
    """After a loss of power SQLite may be older than what was derived from its lost end."""
    put(store, "a.py", "before")
    store.close()
    saved = (tmp_path / "index.sqlite3").read_bytes()
    store = open_embedded(tmp_path, ON_DISK)
    put(store, "a.py", "lost")
    store.close()
    (tmp_path / "index.sqlite3").write_bytes(saved)
    store = open_embedded(tmp_path, ON_DISK)
    assert store.lexical(["lost"], 5) == []
    assert len(store.lexical(["before"], 5)) == 1
    put(store, "a.py", "other")
    assert store.lexical(["lost", "before"], 5) == []
    assert len(store.lexical(["other"], 5)) == len(store.dense(vector_of("other"), 5)) == 1
    store.close()


def test_a_publication_that_fails_leaves_a_right_store(store: EmbeddedStore, tmp_path: Path) -> None:
    put(store, "a.py", "before")
    in_the_way = tmp_path / "lexical" / "state.new"
    in_the_way.mkdir()
    put(store, "a.py", "after")
    assert len(store.lexical(["after"], 5)) == 1, "searched in memory while it cannot be written"
    assert store.lexical(["before"], 5) == []
    in_the_way.rmdir()
    assert len(store.lexical(["after"], 5)) == 1
    put(store, "b.py", "more")
    assert len(store.lexical(["after", "more"], 5)) == 2
    store.close()


def test_scores_in_memory_are_those_on_disk(tmp_path: Path) -> None:
    texts = [f"alpha {'beta ' * (number % 4)}{'filler ' * (number % 7)}" for number in range(60)]
    scores = []
    for overlay in (0, 1000):
        store = open_embedded(tmp_path / str(overlay), Thresholds(overlaid=overlay))
        put(store, "src/a.py", *texts)
        scores.append(dict(store.lexical(["alpha", "beta", "src", "beta"], 100)))
        store.close()
    assert scores[0].keys() == scores[1].keys()
    for chunk, score in scores[0].items():
        assert scores[1][chunk] == pytest.approx(score, rel=1e-5)


def test_filters_over_many_documents(store: EmbeddedStore) -> None:
    with store.writing() as writer:
        for number in range(300):
            folder = "rare" if number % 30 == 0 else "often"
            entry(f"{folder}/m{number}.py", ["x retry" + " retry" * (folder == "often")]).put(writer)
    assert len(store.lexical(["retry"], 8, Where(paths=("rare/**",)))) == 8
    assert len(store.lexical(["retry"], 50, Where(paths=("rare/**",)))) == 10
    assert len(store.lexical(["retry"], 500, Where(languages=("python",)))) == 300
    store.close()


def test_threads_share_a_store(store: EmbeddedStore) -> None:
    put(store, "a.py", *(f"word{number}" for number in range(50)))
    failures: list[BaseException] = []

    def search(seed: int) -> None:
        try:
            for number in range(seed, seed + 20):
                assert len(store.lexical([f"word{number}"], 5)) == 1
                assert store.dense(vector_of(f"word{number}"), 1)[0][1] > 0.98
                assert len(store.get(range(1, 10))) == 9
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=search, args=(seed,)) for seed in range(0, 30, 5)]
    for thread in threads:
        thread.start()
    for round_ in range(5):
        put(store, "b.py", f"other{round_}")
    for thread in threads:
        thread.join()
    assert failures == []
    store.close()


def test_large_transactions_are_written_in_batches(tmp_path: Path) -> None:
    store = open_embedded(tmp_path, Thresholds(written=7))
    with store.writing() as writer:
        for number in range(20):
            entry(f"m{number % 10}.py", [f"word{number} part{part}" for part in range(3)]).put(writer)
        writer.remove("m0.py")
    assert store.stats().chunks == 27
    assert len(store.lexical(["part1"], 100)) == 9
    assert np.isclose(store.dense(vector_of("word15 part1"), 1)[0][1], 1, atol=0.01)
    assert store.lexical(["word5"], 5) == []
    store.close()


@pytest.mark.parametrize("dimensions", [1, 7, 64, 384, 1536, 3072])
@pytest.mark.parametrize("exact", [32_768, 10], ids=["all are scored", "by signs first"])
def test_vectors_of_any_length_are_kept_mapped_and_found(tmp_path: Path, dimensions: int, exact: int) -> None:
    rows = np.random.default_rng(dimensions).standard_normal((60, dimensions)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    sizes = ON_DISK._replace(exact=exact)
    with closing(
        EmbeddedStore.open(tmp_path, embedder="any", dimensions=dimensions, create=True, sizes=sizes)
    ) as store:
        made = entry("a.py", [f"text{number}" for number in range(60)])
        with store.writing() as writer:
            writer.put(store.pack(made.document, made.chunks, rows, made.terms, made.keys))
        base = MatrixBase.load(tmp_path, dimensions)
        assert base is not None
        assert (base.rows.data.shape, len(base.rows.planes)) == ((60, dimensions), -(-dimensions // 64))
        places = {one.id: one.position for one in store.chunks_of("a.py")}
        for number in (0, 31, 59):
            best, score = store.dense(rows[number], 60)[0]
            assert score == pytest.approx(1, abs=0.02)
            np.testing.assert_allclose(rows[places[best]] @ rows[number], 1, atol=0.02)
