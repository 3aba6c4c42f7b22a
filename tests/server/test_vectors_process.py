"""A transformer's vectors that another process makes while searches go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.embedding.static import StaticEmbedder
from quaestor.server import index_process as indexing
from quaestor.server.index_process import BackgroundVectors
from quaestor.server.open_corpora import Corpora
from quaestor.server.process_claims import Claims
from quaestor.state.rows import SharedFile
from tiny_transformer import write_transformer


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "corpus"
    root.mkdir()
    for number in range(200):
        (root / f"part{number}.md").write_text(f"# Part {number}\n\nThe heron waits for fish {number}.\n", "utf-8")
    return root


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=str(tmp_path / "home"), embedder=f"onnx:{write_transformer(tmp_path / 'model')}")


def test_who_searches_meanwhile_goes_over_once_all_are_there(root: Path, settings: Settings) -> None:
    with Index.ready(root, settings=settings) as index:
        assert index.search("heron", 3) and index.embedder.name == StaticEmbedder.bundled().name
        with BackgroundVectors(root, settings) as behind:
            behind.wait()
        assert index.search("heron", 3) and index.embedder.name.startswith("onnx-")
        assert index.meaning.vector_progress is None


def test_its_end_ends_the_work_and_keeps_what_is_made(root: Path, settings: Settings) -> None:
    with Index.ready(root, settings=settings) as index:
        with BackgroundVectors(root, settings):
            pass
        assert index.search("heron", 3)
    with Index.build(root, settings=settings) as index:
        assert index.embedder.name.startswith("onnx-") and index.stats().documents == 200


def test_of_several_processes_one_makes_them(root: Path, settings: Settings, tmp_path: Path) -> None:
    Index.ready(root, settings=settings).close()
    one, other = (Claims(SharedFile(tmp_path / "shared"), process) for process in "12")
    with one.attempt("vectors", str(root)), BackgroundVectors(root, settings, other) as waits:
        with BackgroundVectors(root, settings) as makes:
            makes.wait()
        waits.wait()
    with Index.open(root, settings=settings) as index:
        assert index.embedder.name.startswith("onnx-")


def test_a_server_answers_first_and_has_them_made(root: Path, settings: Settings) -> None:
    with Corpora([root], lambda _: settings, in_processes=True) as corpora:
        index = corpora.get(wait=600)
        assert index.search("heron", 3)
        behind = corpora._opening["corpus"].vectors
        assert behind is not None
        behind.wait()
        assert index.search("heron", 3) and index.embedder.name.startswith("onnx-")


def test_a_model_that_cannot_be_run_stops_nobody(root: Path, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "model" / "model.onnx").write_bytes(b"\x08\x08")
    with Corpora([root], lambda _: settings, in_processes=True) as corpora:
        index = corpora.get(wait=600)
        behind = corpora._opening["corpus"].vectors
        assert behind is not None
        behind.wait()
        assert index.search("heron", 3) and index.meaning.vector_progress is not None


def test_work_for_a_process_that_has_ended_is_no_failure(tmp_path: Path) -> None:
    with indexing._child() as child:
        child.terminate()
        child.wait()
        indexing._follow(child, "index", tmp_path, Settings(), lambda _: None)
    assert child.returncode != 0
