"""The results of a search are current even if nothing reported that a file changed."""

from __future__ import annotations

import mmap
import os
import time
from pathlib import Path

import pytest

from moments import calls_of
from quaestor import Index
from quaestor.indexing.indexer import Indexer


def _old(path: Path, text: str) -> None:
    path.write_text(text)
    past = time.time() - 3600
    os.utime(path, (past, past))


def test_a_hit_is_looked_at_whatever_was_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    root = tmp_path / "root"
    root.mkdir()
    _old(root / "one.py", "def gather_mushrooms():\n    return 'early in the morning'\n")
    _old(root / "two.py", "def sharpen_knives():\n    return 'on a whetstone'\n")
    with Index.build(root) as index:
        for _ in range(4):
            index.search("gather mushrooms")
        # The kernel tells nothing of bytes written by way of a mapping that is still there.
        with (root / "one.py").open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            mapped[4:20] = b"gather_mandrakes"
            hits = index.search("gather mushrooms")
            assert index.freshness.fresh
            assert all(hit.fresh for hit in hits)
            assert any("gather_mandrakes" in hit.text for hit in hits)
            assert all("mushrooms" not in hit.text for hit in hits)


def test_a_change_in_the_middle_of_a_search_is_taken_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    root = tmp_path / "root"
    root.mkdir()
    _old(root / "one.py", "def gather_mushrooms():\n    return 'early in the morning'\n")
    with Index.build(root) as index:
        changes = ["gather_berries", "gather_nuts"]

        def change(_refreshes: int) -> None:
            if changes:
                (root / "one.py").write_text(f"def {changes.pop()}(): pass\n")

        with calls_of(Indexer.refresh, change):
            hits = index.search("gather")
        assert not index.freshness.fresh  # it changed both times
        assert [hit.fresh for hit in hits] == [False]
        hits = index.search("gather")
        assert index.freshness.fresh
        assert "gather_berries" in hits[0].text
