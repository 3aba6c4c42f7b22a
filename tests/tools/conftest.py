"""A small repository with an index of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tool_parts import FILES, write

from quaestor import Index


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return write(tmp_path / "repository", FILES)


@pytest.fixture
def index(repository: Path) -> Iterator[Index]:
    with Index.build(repository) as index:
        yield index
