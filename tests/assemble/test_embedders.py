"""From an embedder's name to the embedder."""

from __future__ import annotations

import re
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.assemble import index_folder, make_embedder
from quaestor.assemble.embedders_by_name import IndexEmbedder, spec_of
from quaestor.cli import run
from quaestor.core.config import Settings
from quaestor.core.errors import IndexUnusableError, UsageError
from quaestor.stores.embedded.store import EmbeddedStore


@pytest.mark.parametrize("name", ["auto", "static", "bundled"])
def test_the_embedder_that_comes_with_quaestor_has_a_name(name: str) -> None:
    assert make_embedder(Settings(embedder=name)).name.startswith("quaestor-static-")


def test_an_unknown_name_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"'word2vec'.*'static'"):
        make_embedder(Settings(embedder="word2vec"))


def test_an_index_tells_what_it_was_made_with(tmp_path: Path) -> None:
    embedder = make_embedder(Settings())
    assert EmbeddedStore.recorded_embedder(tmp_path) is None
    EmbeddedStore.open(tmp_path, embedder=embedder.name, dimensions=embedder.dimensions, create=True).close()
    assert EmbeddedStore.recorded_embedder(tmp_path) == (embedder.name, embedder.dimensions)
    assert spec_of(embedder.name) == "static"
    assert make_embedder(Settings(), IndexEmbedder(embedder.name, embedder.dimensions)) is embedder


def test_a_file_that_is_no_index_tells_nothing(tmp_path: Path) -> None:
    (tmp_path / "index.sqlite3").write_bytes(b"nothing of the kind" * 100)
    assert EmbeddedStore.recorded_embedder(tmp_path) is None


@pytest.mark.parametrize("name", ["quaestor-static-256-0123456789ab", "quaestor-static-256-0123456789ab+fedcba987654"])
def test_an_index_of_other_bundled_weights_is_refused_with_the_command_that_makes_it_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "some corpus"
    root.mkdir()
    (root / "pond.md").write_text("# Pond\n\nThe heron waits.\n")
    settings = Settings(home=str(tmp_path / "home"))
    Index.build(root, settings=settings).close()
    with closing(sqlite3.connect(index_folder(root, settings) / "index.sqlite3")) as connection:
        connection.execute("UPDATE state SET embedder = ?", (name,))
        connection.commit()
    with pytest.raises(IndexUnusableError, match="--rebuild") as refused:
        Index.ready(root, settings=settings)
    [command] = re.findall(r"`quaestor (.*?)`", str(refused.value))
    assert run(shlex.split(command)) == 0
    with Index.open(root, settings=settings) as index:
        assert index.search("heron")
