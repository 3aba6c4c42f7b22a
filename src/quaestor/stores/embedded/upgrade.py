"""Bringing the database of an older version up to the schema of this one, so that nobody indexes anew for it."""

from __future__ import annotations

import sqlite3
from contextlib import suppress

import numpy as np

from quaestor.stores.embedded import schema
from quaestor.stores.embedded.row_sums import (
    WRAP,
    bucket_of,
    data_sum,
    link_sum,
    name_sum,
    row_sum,
    text_sum,
    vector_sums,
)
from quaestor.stores.embedded.truth import chunk_checksum, marks

_OLDEST = 2
_FIELDS = '"start", "end", start_line, end_line, symbol, kind, scope, defines, text'
_DOCUMENT = (
    "id, path, sha256, size, mtime_ns, language, encoding, title, url, author, date, chunker, note, first_chunk, "
    "chunk_count"
)
_ADDED = {
    "documents": {"checksum": f"row_sum({_DOCUMENT})"},
    "chunks": {"link": "link_sum(id, document, vector, checksum)"},
    "vectors": {"checksum": "vector_sum(id, data)"},
    "terms": {"checksum": "data_sum(data, document, first_chunk)"},
    "state": {
        "documents": "(SELECT count(*) FROM documents)",
        "chunks": "(SELECT count(*) FROM chunks)",
        "remembered": f"(SELECT coalesce(sum(checksum), 0) & {WRAP} FROM metadata)",
        "checksum": "0",
    },
}
_COPIED = {
    "removed": (
        "generation, first_chunk, chunk_count, document, link_sum(document, first_chunk, chunk_count, generation)"
    ),
    "metadata": "key, text_sum(key, value), value",
    "names": "bucket_of(name), name, chunk",
}


def upgrade(connection: sqlite3.Connection) -> None:
    """Give the rows of a database of schema 2 or 3 their checksums; any other is left as it is.

    Nothing is done where the database cannot be written: it is then refused as one of an older version.
    """
    if not _is_older(connection):
        return
    _teach(connection)
    with suppress(sqlite3.OperationalError):
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have done it meanwhile.
            if _is_older(connection):
                _give_checksums(connection)
                connection.execute(f"PRAGMA user_version = {schema.VERSION}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise


def _is_older(connection: sqlite3.Connection) -> bool:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return _OLDEST <= version < schema.VERSION and schema.is_ours(connection)


def _teach(connection: sqlite3.Connection) -> None:
    """Let statements call what sums up rows."""
    make = connection.create_function
    make("chunk_checksum", -1, lambda *row: chunk_checksum(row[:-1], row[-1]))
    make("row_sum", -1, lambda *row: row_sum(row))
    make("link_sum", -1, link_sum)
    make("data_sum", -1, data_sum)
    make("text_sum", 2, lambda key, value: text_sum((key,), value))
    make("bucket_of", 1, bucket_of)
    make("name_sum", 2, name_sum)
    make(
        "vector_sum",
        2,
        lambda number, data: int(vector_sums(np.array([number]), np.frombuffer(data, np.int8)[None])[0]),
    )


def _give_checksums(connection: sqlite3.Connection) -> None:
    execute = connection.execute
    if "checksum" not in _columns(connection, "chunks"):
        execute("ALTER TABLE chunks ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
    execute(f"UPDATE chunks SET checksum = chunk_checksum({_FIELDS})")
    _copy(connection)
    for table, added in _ADDED.items():
        for column, value in added.items():
            execute(f"ALTER TABLE {table} ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
            execute(f"UPDATE {table} SET {column} = {value}")
    execute(f"INSERT INTO name_sums SELECT bucket, sum(name_sum(name, chunk)) & {WRAP} FROM names GROUP BY bucket")
    schema.seal_state(connection)


def _copy(connection: sqlite3.Connection) -> None:
    """Make the tables anew in which a new column does not come last, or is part of the key."""
    held = {
        table: connection.execute(f"SELECT {columns} FROM {table}").fetchall() for table, columns in _COPIED.items()
    }
    for table in held:
        connection.execute(f"DROP TABLE {table}")
    for statement in schema.TABLES.split(";"):
        if any(f"CREATE TABLE {table} " in statement for table in (*held, "name_sums")):
            connection.execute(statement)
    for table, rows in held.items():
        if rows:
            connection.executemany(f"INSERT INTO {table} VALUES ({marks(len(rows[0]))})", rows)


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")}
