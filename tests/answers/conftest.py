"""Indexes of small projects, for the overviews that are made of them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from ferry_files import ferry  # noqa: F401 - a fixture
from overview_parts import Make, OverviewOf

from index_of_files import index_of, write_files
from quaestor import Index


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Make an index of some files, of a repository where that is wanted."""
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    opened: list[Index] = []

    def make(files: dict[str, str], *, git: bool = False) -> Index:
        root = tmp_path / f"root{len(opened)}"
        root.mkdir()
        write_files(root, files)
        if git:
            subprocess.run(["git", "init", "-q", str(root)], check=True)
        opened.append(Index.build(root))
        return opened[-1]

    yield make
    for index in opened:
        index.close()


@pytest.fixture
def overview_of(tmp_path: Path) -> OverviewOf:
    """Return the text of the overview of a folder with some files; those of earlier calls lie in it, too."""

    def overview_of(files: Mapping[str, str]) -> str:
        with index_of(tmp_path / "made", files) as index:
            return index.overview().text

    return overview_of
