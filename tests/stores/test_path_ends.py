"""Paths are found by their end in memory as SQLite finds them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from hypothesis import given
from hypothesis import strategies as st

from quaestor.stores.embedded.sqlite_rows import PathEnds, paths_ending, storable

NAMES = st.text("aAb.%_é\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}\n\udcff", min_size=1, max_size=3)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


def database(paths: Sequence[str]) -> sqlite3.Connection:
    """Return documents with these paths, of which every third has no chunk."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE documents (path, first_chunk, chunk_count)")
    rows = [(storable(path), 10 * number, number % 3) for number, path in enumerate(paths)]
    connection.executemany("INSERT INTO documents VALUES (?, ?, ?)", rows)
    return connection


@given(st.lists(PATHS, unique=True, max_size=12), PATHS)
def test_memory_and_sqlite_find_the_same(paths: list[str], end: str) -> None:
    with closing(database([*paths, *({f"lib/{end}", end.upper()} - {*paths})])) as connection:
        found = PathEnds(connection).find(connection, end)
        assert sorted(found) == sorted(paths_ending(connection, end))
