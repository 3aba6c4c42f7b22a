"""An index that gets a transformer's vectors is searched by the bundled embedder until all of them are made."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.assemble import index_folder
from quaestor.assemble.transformer_upgrade import upgrade, upgrade_state
from quaestor.core.config import Settings
from quaestor.core.errors import IndexUnusableError, UsageError
from quaestor.corpus.corpus_json import search_object
from quaestor.embedding.static import StaticEmbedder
from quaestor.embedding.tuning_names import is_tuned
from quaestor.files.indexing_values import ProgressState
from tiny_transformer import DIMENSIONS, write_transformer
from tuned_words import alike

BUNDLED = StaticEmbedder.bundled().name


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "corpus"
    root.mkdir()
    (root / "pond.md").write_text("# Pond\n\nThe heron waits for fish in the water.\n")
    (root / "oven.md").write_text("# Oven\n\nBread is baked from flour and yeast.\n")
    return root


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_transformer(tmp_path / "model", alike={"zeppelin": "bread"})


@pytest.fixture
def settings(tmp_path: Path, model: Path) -> Settings:
    return Settings(home=str(tmp_path / "home"), embedder=f"onnx:{model}")


def first(index: Index, query: str) -> str:
    return index.search(query, 1, mode="dense")[0].path


def test_it_answers_at_once_and_says_by_what(root: Path, settings: Settings, model: Path) -> None:
    with Index.ready(root, settings=settings) as index:
        hits = index.search("fish")
        assert hits[0].path == "pond.md" and index.embedder.name == BUNDLED
        told = search_object("fish", hits, index, 0.0)["index"]
        assert told["embedder"] == BUNDLED and told["by_meaning"] == "all"
        assert told["coming"] == {"embedder": f"onnx:{model}", "done": 0, "total": 0, "busy": False}
        [remark] = index.meaning.remarks
        assert f"`quaestor index {root} --embedder onnx:{model}` makes the rest" in remark


def test_all_vectors_are_taken_in_at_once_and_whoever_searches_goes_over(root: Path, settings: Settings) -> None:
    states: list[ProgressState] = []
    with Index.ready(root, settings=settings) as open_before:
        assert open_before.search("fish") and open_before.embedder.name == BUNDLED
        with Index.build(root, settings=settings, progress=states.append) as index:
            assert index.embedder.name.startswith("onnx-") and index.embedder.dimensions == DIMENSIONS
            assert first(index, "zeppelin") == "oven.md"
            assert index.meaning.remarks == () and index.meaning.vector_progress is None
        assert [state[:2] for state in states if state.doing == "embedding"] == [(0, 2), (2, 2), (2, 2)]
        assert first(open_before, "zeppelin") == "oven.md" and open_before.embedder.name.startswith("onnx-")
    assert upgrade_state(root, settings) is None
    with Index.open(root, settings=settings._replace(embedder="auto")) as index:
        assert first(index, "zeppelin") == "oven.md"
        (root / "kitchen.md").write_text("# Kitchen\n\nA loaf of bread, zeppelin zeppelin.\n")
        assert len(index.search("zeppelin", mode="dense")) == 3
        assert index.last_changes.embedded == 1, "only what changed is embedded"


def test_what_was_begun_is_gone_on_with_by_whoever_indexes(root: Path, settings: Settings) -> None:
    Index.ready(root, settings=settings).close()

    def end(state: ProgressState) -> None:
        if state.doing == "taking in":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        upgrade(root, settings, end)
    auto = settings._replace(embedder="auto")
    with Index.open(root, settings=auto) as index:
        assert index.search("fish") and index.embedder.name == BUNDLED
        coming = index.meaning.vector_progress
        assert coming is not None and coming[:3] == (settings.embedder, 2, 2) and not coming.busy
    states: list[ProgressState] = []
    with Index.build(root, settings=auto, progress=states.append) as index:
        assert index.embedder.name.startswith("onnx-")
    assert [state[:2] for state in states if state.doing == "embedding"] == [(2, 2)], "nothing is made twice"


def test_what_a_crash_after_the_switch_leaves_is_cleared_away(root: Path, settings: Settings, tmp_path: Path) -> None:
    Index.ready(root, settings=settings).close()
    place = index_folder(root, settings) / "coming"

    def copy(state: ProgressState) -> None:
        if state.doing == "taking in":
            shutil.copytree(place, tmp_path / "left", dirs_exist_ok=True)

    upgrade(root, settings, copy)
    assert not place.exists()
    shutil.copytree(tmp_path / "left", place)
    with Index.open(root, settings=settings) as index:
        assert index.meaning.vector_progress is None and index.embedder.name.startswith("onnx-")
    Index.build(root, settings=settings._replace(embedder="auto")).close()
    assert not place.exists()


def test_another_model_is_refused_and_a_moved_one_is_the_same(root: Path, settings: Settings, model: Path) -> None:
    Index.build(root, settings=settings).close()
    other = write_transformer(model.parent / "other", seed=3)
    with pytest.raises(IndexUnusableError, match=rf"`quaestor index {root} --rebuild --embedder onnx:{other}`"):
        Index.open(root, settings=settings._replace(embedder=f"onnx:{other}"))
    with pytest.raises(IndexUnusableError, match="made with the embedder 'onnx-"):
        Index.open(root, settings=settings._replace(embedder="static"))
    moved = model.rename(model.parent / "moved")
    auto = settings._replace(embedder="auto")
    with Index.open(root, settings=auto) as index:
        assert index.search("fish")[0].path == "pond.md", "by words"
        assert index.meaning.reach == "none" and "There is no folder" in index.meaning.remarks[0]
    Index.build(root, settings=settings._replace(embedder=f"onnx:{moved}")).close()
    with Index.open(root, settings=auto) as index:
        assert first(index, "zeppelin") == "oven.md" and index.meaning.reach == "all"
    with Index.build(root, settings=auto, rebuild=True) as index:
        assert index.embedder.name.startswith("onnx-") and first(index, "zeppelin") == "oven.md"


def test_a_broken_model_costs_only_itself(root: Path, settings: Settings, model: Path) -> None:
    (model / "model.onnx").write_bytes(b"\x08\x08")
    with pytest.raises(UsageError, match=r"model.onnx' cannot be run"):
        Index.build(root, settings=settings)
    with Index.open(root, settings=settings) as index:
        assert index.search("fish")[0].path == "pond.md" and index.embedder.name == BUNDLED
    with Index.build(root, settings=settings._replace(embedder="static")) as index:
        assert index.meaning.vector_progress is None and not (index_folder(root, settings) / "coming").exists()


def test_a_tuned_index_may_be_given_a_transformer(root: Path, settings: Settings) -> None:
    from quaestor.assemble.tuned_index import keep_tuned, tuning_of  # noqa: PLC0415

    static = settings._replace(embedder="auto")
    Index.build(root, settings=static).close()
    keep_tuned(root, static, alike("zeppelin", "fish"), 1.5, {}, lambda done, total: None)
    with Index.open(root, settings=settings) as index:
        assert is_tuned(index.embedder.name) and index.meaning.vector_progress is not None
    with Index.build(root, settings=settings) as index:
        assert first(index, "zeppelin") == "oven.md" and not tuning_of(index.store).embedder
    assert not list(index_folder(root, settings).glob("tuned-*"))


def test_files_that_change_while_vectors_are_made_are_taken_in(root: Path, settings: Settings) -> None:
    Index.ready(root, settings=settings).close()
    seen: list[str] = []

    def change(state: ProgressState) -> None:
        if not seen and state.doing == "embedding" and state.done == state.total:
            seen.append("changed")
            (root / "kitchen.md").write_text("# Kitchen\n\nA loaf of bread.\n")
            with Index.open(root, settings=settings) as other:
                assert "kitchen.md" in {hit.path for hit in other.search("kitchen loaf")}

    with Index.build(root, settings=settings, progress=change) as index:
        assert {hit.path for hit in index.search("zeppelin", mode="dense")} >= {"kitchen.md", "oven.md"}
