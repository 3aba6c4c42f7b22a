"""Bringing the database of an older version up to the schema of this one, so that nobody indexes anew for it."""

from __future__ import annotations

import sqlite3
from contextlib import suppress

from quaestor.stores.embedded.schema import VERSION, is_ours
from quaestor.stores.embedded.truth import chunk_checksum

_BEFORE_CHECKSUMS = 2
_SUMMED = ("start", "end", "start_line", "end_line", "symbol", "kind", "scope", "defines", "text")


def upgrade(connection: sqlite3.Connection) -> None:
    """Give the chunks of a database of schema 2 their checksums; any other is left as it is.

    Nothing is done where the database cannot be written: it is then refused as one of an older version.
    """
    if not _is_before_checksums(connection):
        return
    connection.create_function("chunk_checksum", len(_SUMMED), lambda *row: chunk_checksum(row[:-1], row[-1]))
    with suppress(sqlite3.OperationalError):
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have done it meanwhile.
            if _is_before_checksums(connection):
                columns = ", ".join(f'"{name}"' for name in _SUMMED)
                connection.execute("ALTER TABLE chunks ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
                connection.execute(f"UPDATE chunks SET checksum = chunk_checksum({columns})")
                connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise


def _is_before_checksums(connection: sqlite3.Connection) -> bool:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return version == _BEFORE_CHECKSUMS and is_ours(connection)
