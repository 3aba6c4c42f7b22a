"""An index with a tuned embedder is searched, refreshed, noticed by other processes, and changed back."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fault_rounds import Trial
from quaestor import Index
from quaestor.assemble import index_folder
from quaestor.assemble.tuned_index import keep_tuned, tuning_of, undo_tuned
from quaestor.core.config import Settings
from quaestor.core.errors import IndexUnusableError
from quaestor.embedding.static import StaticEmbedder
from quaestor.embedding.tuning_names import file_of, is_tuned
from quaestor.indexing.pending_vectors import texts_of
from tuned_words import alike

BUNDLED = StaticEmbedder.bundled()


def quiet(done: int, total: int) -> None:
    assert done <= total


@pytest.fixture
def corpus(tmp_path: Path) -> tuple[Path, Settings]:
    root = tmp_path / "corpus"
    root.mkdir()
    (root / "pond.md").write_text("# Pond\n\nThe heron waits for fish in the water.\n")
    (root / "oven.md").write_text("# Oven\n\nBread is baked from flour and yeast.\n")
    settings = Settings(home=str(tmp_path / "home"))
    Index.build(root, settings=settings).close()
    return root, settings


def first(index: Index, query: str) -> str:
    return index.search(query, 1, mode="dense")[0].path


def test_a_tuned_index_searches_by_the_tuned_words_until_that_is_undone(corpus: tuple[Path, Settings]) -> None:
    root, settings = corpus
    with Index.open(root, settings=settings) as index:
        before = [(hit.path, round(hit.score, 4)) for hit in index.search("zeppelin", 2, mode="dense")]
    count = keep_tuned(root, settings, alike("zeppelin", "bread"), 1.5, {"gain": 0.1}, quiet)
    with Index.open(root, settings=settings) as index:
        assert count == index.stats().chunks
        assert is_tuned(index.embedder.name) and index.stats().embedder == index.embedder.name
        assert first(index, "zeppelin") == "oven.md"
        assert tuning_of(index.store).trust == 1.5 and tuning_of(index.store).figures == {"gain": 0.1}
        (root / "kitchen.md").write_text("# Kitchen\n\nA loaf of bread, and more bread, and bread again.\n")
        assert first(index, "zeppelin") == "kitchen.md", "what is taken in later is embedded alike"
        (root / "kitchen.md").unlink()
    assert undo_tuned(root, settings, quiet) == 3
    with Index.open(root, settings=settings) as index:
        assert index.embedder.name == BUNDLED.name and not tuning_of(index.store).embedder
        assert [(hit.path, round(hit.score, 4)) for hit in index.search("zeppelin", 2, mode="dense")] == before
    assert not list(index_folder(root, settings).glob("tuned-*"))
    assert undo_tuned(root, settings, quiet) is None


def test_who_has_it_open_follows(corpus: tuple[Path, Settings]) -> None:
    root, settings = corpus
    with Index.open(root, settings=settings) as index:
        first(index, "zeppelin")
        keep_tuned(root, settings, alike("zeppelin", "bread"), 1.0, {}, quiet)
        assert first(index, "zeppelin") == "oven.md"
        keep_tuned(root, settings, alike("zeppelin", "fish"), 1.0, {}, quiet)
        (root / "new.md").write_text("# Stone\n\nGranite and basalt.\n")
        index.refresh()
        assert first(index, "zeppelin") == "pond.md"
        undo_tuned(root, settings, quiet)
        first(index, "zeppelin")
        assert index.embedder.name == BUNDLED.name and index.stats().documents == 3


def test_lost_rows_are_named_and_undone_all_the_same(corpus: tuple[Path, Settings]) -> None:
    root, settings = corpus
    keep_tuned(root, settings, alike("zeppelin", "bread"), 1.0, {}, quiet)
    with Index.open(root, settings=settings) as index:
        (index_folder(root, settings) / file_of(index.embedder.name)).unlink()
    with pytest.raises(IndexUnusableError, match="tune --undo"):
        Index.open(root, settings=settings)
    assert undo_tuned(root, settings, quiet) == 2
    Index.open(root, settings=settings).close()


def test_a_rebuilt_index_is_not_tuned(corpus: tuple[Path, Settings]) -> None:
    root, settings = corpus
    keep_tuned(root, settings, alike("zeppelin", "bread"), 1.0, {}, quiet)
    with Index.build(root, settings=settings, rebuild=True) as index:
        assert index.embedder.name == BUNDLED.name
    assert not list(index_folder(root, settings).glob("tuned-*"))


def test_no_index_has_nothing_to_undo(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusableError, match="no index"):
        undo_tuned(tmp_path, Settings(home=str(tmp_path / "home")), quiet)


SWITCHER = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from quaestor.assemble.tuned_index import keep_tuned, undo_tuned
from quaestor.core.config import Settings
from tuned_words import alike
root, settings = Path({root!r}), Settings(home={home!r})
print("ready", flush=True)
for round_ in range(10_000):
    keep_tuned(root, settings, alike("zeppelin", ("bread", "fish")[round_ % 2]), 1.0, {{}}, lambda done, total: None)
    undo_tuned(root, settings, lambda done, total: None)
"""


@pytest.mark.fault("kill -9 while an index goes over to a tuned embedder", few=4, many=12)
def test_killed_at_any_moment_it_is_the_one_or_the_other(trial: Trial, corpus: tuple[Path, Settings]) -> None:
    root, settings = corpus
    for number in range(60):
        (root / f"note{number}.md").write_text(f"# Note {number}\n\nAbout bread, fish and number {number}.\n")
    Index.build(root, settings=settings).close()
    code = SWITCHER.format(tests=str(Path(__file__).parents[1]), root=str(root), home=settings.home)
    for round_ in trial.over(range(12)):
        with trial.counted(round_):
            process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
            # At no set moment: after so many looks at a database that is being written.
            folder = index_folder(root, settings)
            for _ in range(40 * round_ + 1):
                with sqlite3.connect(folder / "index.sqlite3", timeout=600) as connection:
                    connection.execute("SELECT generation FROM state").fetchone()
                connection.close()
            process.kill()
            process.wait()
            process.stdout.close()
            with Index.open(root, settings=settings) as index:
                hits = index.search("zeppelin", 62, mode="dense")
                assert len(hits) == index.stats().documents == 62
                vectors = index.embedder.encode([hit.text for hit in hits])
                assert vectors.any(1).all()
                expected = index.embedder.encode(["zeppelin"])[0]
                assert hits[0].score == pytest.approx(_cosine(index, hits[0].path, expected), abs=0.01)


def _cosine(index: Index, path: str, query: np.ndarray) -> float:
    (stored,) = index.store.chunks_of(path)
    (text,) = texts_of(stored.document, [stored.chunk], index.indexer.settings)
    return float(index.embedder.encode([text])[0] @ query)
