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
from quaestor.stores.embedded.store import EmbeddedStore

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


OLDER = {
    "state": """
        one INTEGER PRIMARY KEY CHECK (one = 1), embedder TEXT NOT NULL, dimensions INTEGER NOT NULL,
        generation INTEGER NOT NULL, content INTEGER NOT NULL, next_document INTEGER NOT NULL,
        next_chunk INTEGER NOT NULL, next_vector INTEGER NOT NULL,
        loose_vectors   INTEGER NOT NULL    -- at most this many vectors are in no chunk
        )""",
    "documents": """
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, sha256 TEXT NOT NULL, size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL, language TEXT NOT NULL, encoding TEXT NOT NULL, title TEXT, url TEXT, author TEXT,
        date TEXT, chunker TEXT NOT NULL, note TEXT, first_chunk INTEGER NOT NULL, chunk_count INTEGER NOT NULL)""",
    "chunks": """
        id INTEGER PRIMARY KEY, document INTEGER NOT NULL, vector INTEGER NOT NULL, start INTEGER NOT NULL,
        end INTEGER NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, symbol TEXT, kind TEXT NOT NULL,
        scope TEXT, defines TEXT, text TEXT NOT NULL,
        checksum        INTEGER NOT NULL    -- of the columns from `start` to `text`
        )""",
    "vectors": """
        id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, data BLOB NOT NULL    -- int8, one a dimension
        )""",
    "terms": "first_chunk INTEGER PRIMARY KEY, document INTEGER NOT NULL, data BLOB NOT NULL)",
    "names": "name TEXT NOT NULL, chunk INTEGER NOT NULL, PRIMARY KEY (name, chunk)) WITHOUT ROWID",
    "metadata": "key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "removed": """
        generation INTEGER NOT NULL, first_chunk INTEGER NOT NULL, chunk_count INTEGER NOT NULL,
        document INTEGER NOT NULL, PRIMARY KEY (generation, first_chunk)) WITHOUT ROWID""",
}
"""The tables of schema 3 that are others now."""


def make_older(connection: sqlite3.Connection, version: int) -> None:
    for table, columns in OLDER.items():
        connection.execute(f"ALTER TABLE {table} RENAME TO newer")
        connection.execute(f"CREATE TABLE {table} ({columns}")
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        quoted = ", ".join(f'"{name}"' for name in names)
        connection.execute(f"INSERT INTO {table} SELECT {quoted} FROM newer")
        connection.execute("DROP TABLE newer")
    connection.execute("DROP TABLE name_sums")
    if version < 3:
        connection.execute("ALTER TABLE chunks RENAME TO newer")
        before = OLDER["chunks"].partition(",\n        checksum")[0]
        connection.execute(f"CREATE TABLE chunks ({before})")
        connection.execute("INSERT INTO chunks SELECT " + ", ".join(CHUNK) + " FROM newer")
        connection.execute("DROP TABLE newer")
    connection.execute(f"PRAGMA user_version = {version}")


CHUNK = 'id document vector start "end" start_line end_line symbol kind scope defines text'.split()


def of_schema(version: int, corpus: Path, settings: Settings) -> tuple[Path, dict[str, list[tuple[object, ...]]]]:
    """Build an index, make it one of an older schema, and return its folder and the rows that it had."""
    Index.build(corpus, settings=settings).close()
    [folder] = Path(settings.home).glob("indexes/*")
    rows = contents(folder)
    with database(folder) as connection:
        make_older(connection, version)
    return folder, rows


def contents(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    with database(folder) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr) for table in sorted(tables)}


@pytest.mark.parametrize("version", [2, 3])
def test_rows_get_the_checksums_that_they_would_have_had(corpus: Path, tmp_path: Path, version: int) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    folder, rows = of_schema(version, corpus, settings)
    assert all(rows[table] for table in ("chunks", "names", "name_sums", "metadata"))
    made = EmbeddedStore.recorded_embedder(folder)
    assert made is not None
    EmbeddedStore.open(folder, embedder=made[0], dimensions=made[1], create=False).close()
    assert contents(folder) == rows
    with Index.open(corpus, settings=settings) as index:
        assert index.search("how long does the dough rest", 1)[0].path == "größe.md"
        assert index.last_changes.added == ()
    with database(folder) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)


def test_any_older_one_is_refused_with_the_next_step(corpus: Path, tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    folder, _ = of_schema(2, corpus, settings)
    with database(folder) as connection:
        connection.execute("PRAGMA user_version = 1")
    with pytest.raises(IndexUnusableError, match="older version"):
        Index.open(corpus, settings=settings)
