"""An index of an older version is brought up to this one when it is opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.core.errors import IndexUnusableError
from quaestor.stores.embedded import schema

FILES = {
    "retry.py": '"""Sending again."""\n\n\nclass Client:\n    def send(self):\n        return 3\n',
    "größe.md": "# Größe\n\nThe dough rests for eighteen hours — “überall”.\n",
}


@contextmanager
def database(folder: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(folder / schema.FILE, isolation_level=None)) as connection:
        yield connection


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def of_schema_2(corpus: Path, settings: Settings) -> tuple[Path, list[tuple[object, ...]]]:
    """Build an index, make it one of schema 2, and return its folder and the checksums that it had."""
    Index.build(corpus, settings=settings).close()
    [folder] = Path(settings.home).glob("indexes/*")
    with database(folder) as connection:
        sums = connection.execute("SELECT id, checksum FROM chunks ORDER BY id").fetchall()
        connection.execute("ALTER TABLE chunks DROP COLUMN checksum")
        connection.execute("PRAGMA user_version = 2")
    return folder, sums


def test_chunks_get_the_checksums_that_they_would_have_had(corpus: Path, tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    folder, sums = of_schema_2(corpus, settings)
    assert sums
    with Index.open(corpus, settings=settings) as index:
        assert index.search("how long does the dough rest", 1)[0].path == "größe.md"
        assert index.last_changes.added == ()
    with database(folder) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)
        assert connection.execute("SELECT id, checksum FROM chunks ORDER BY id").fetchall() == sums


def test_any_older_one_is_refused_with_the_next_step(corpus: Path, tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    folder, _ = of_schema_2(corpus, settings)
    with database(folder) as connection:
        connection.execute("PRAGMA user_version = 1")
    with pytest.raises(IndexUnusableError, match="older version"):
        Index.open(corpus, settings=settings)
