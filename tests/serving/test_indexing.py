"""First indexes made in another process."""

from __future__ import annotations

from pathlib import Path

import pytest

from quaestor import Index
from quaestor.config import Settings
from quaestor.ingest.report import ProgressState
from quaestor.serving.corpora import Corpora
from quaestor.serving.indexing import is_indexed, make_index


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "corpus"
    root.mkdir()
    for number in range(40):
        (root / f"part{number}.md").write_text(f"# Part {number}\n\nWord {number}.\n", "utf-8")
    (root / "odd\nname.md").write_text("# Odd\n", "utf-8")
    return root


def test_an_index_is_made_elsewhere_as_it_would_be_here(root: Path, tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"), ignore=("part1.md",))
    seen: list[ProgressState] = []
    assert not is_indexed(root, settings)
    make_index(root, settings, seen.append)
    assert is_indexed(root, settings)
    assert (seen[-1].done, seen[-1].total) == (40, 40)
    with Index.open(root, settings=settings) as index:
        documents = index.store.documents()
        assert "odd\nname.md" in documents and "part1.md" not in documents


def test_who_raises_while_it_is_made_ends_it(root: Path, tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"))

    def enough(_: ProgressState) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        make_index(root, settings, enough)
    # Whatever it had committed is whole, and the rest can follow.
    with Index.build(root, settings=settings) as index:
        assert len(index.store.documents()) == 41


def test_what_cannot_be_indexed_says_why_to_who_asks_for_it(tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    gone = tmp_path / "gone"
    make_index(gone, settings, lambda _: None)
    assert not is_indexed(gone, settings)


def test_a_server_answers_from_an_index_made_elsewhere(root: Path, tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    with Corpora([root], lambda _: settings, apart=True) as corpora:
        assert corpora.get(wait=60).search("part seven")
    with Corpora([root], lambda _: settings, apart=True) as corpora:
        assert len(corpora.get(wait=60).store.documents()) == 41
