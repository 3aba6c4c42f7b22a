"""The SQLite database of a store: its tables, opening it, checking whether it can be used, and upgrading it.

A database of an older version is migrated, so that nobody has to index again.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

import numpy as np

from quaestor.core.errors import EmbedderChangedError
from quaestor.stores.embedded.checksums import (
    WRAP,
    bucket_of,
    data_sum,
    link_sum,
    name_sum,
    require,
    row_sum,
    text_sum,
    vector_sums,
)
from quaestor.stores.embedded.sqlite_failures import unusable
from quaestor.stores.embedded.sqlite_rows import chunk_checksum, marks

FILE = "index.sqlite3"
VERSION = 4
APPLICATION = 0x51554145
"""Identifies the file as ours (``PRAGMA application_id``)."""

_BUSY_MILLISECONDS = 30_000
# A query reads some hundred chunks all over the file; mapping saves a system call for each. SQLite maps 2 GB at most.
_MAPPED_BYTES = 2 * 1024 * 1024 * 1024
_WRITER_MAPPED_BYTES = 256 * 1024 * 1024
_WRITER_CACHE_KIBIBYTES = 64 * 1024
_WRITER_CHECKPOINT_PAGES = 8 * 1024
_JOURNAL_BYTES = 4 * 1024 * 1024

# Chunks of one document have consecutive identifiers: `first_chunk` and `chunk_count` are its whole
# membership. Identifiers of documents, chunks and vectors only grow and are never reused; the next ones are in
# `state`.
TABLES = """
CREATE TABLE state (
    one             INTEGER PRIMARY KEY CHECK (one = 1),
    embedder        TEXT    NOT NULL,
    dimensions      INTEGER NOT NULL,
    generation      INTEGER NOT NULL,   -- committed transactions
    content         INTEGER NOT NULL,   -- the last generation that changed chunks
    next_document   INTEGER NOT NULL,
    next_chunk      INTEGER NOT NULL,
    next_vector     INTEGER NOT NULL,
    loose_vectors   INTEGER NOT NULL,   -- at most this many vectors are in no chunk
    documents       INTEGER NOT NULL,   -- how many there are
    chunks          INTEGER NOT NULL,   -- how many there are
    remembered      INTEGER NOT NULL,   -- the sum of the checksums in `metadata`
    checksum        INTEGER NOT NULL
);
CREATE TABLE documents (
    id              INTEGER PRIMARY KEY,
    path            TEXT    NOT NULL UNIQUE,
    sha256          TEXT    NOT NULL,
    size            INTEGER NOT NULL,
    mtime_ns        INTEGER NOT NULL,   -- the document's stamp; its name is older
    language        TEXT    NOT NULL,
    encoding        TEXT    NOT NULL,
    title           TEXT,
    url             TEXT,
    author          TEXT,
    date            TEXT,
    chunker         TEXT    NOT NULL,
    note            TEXT,
    first_chunk     INTEGER NOT NULL,
    chunk_count     INTEGER NOT NULL,
    checksum        INTEGER NOT NULL
);
CREATE TABLE chunks (
    id              INTEGER PRIMARY KEY,
    document        INTEGER NOT NULL,
    vector          INTEGER NOT NULL,
    start           INTEGER NOT NULL,
    end             INTEGER NOT NULL,
    start_line      INTEGER NOT NULL,
    end_line        INTEGER NOT NULL,
    symbol          TEXT,
    kind            TEXT    NOT NULL,
    scope           TEXT,               -- JSON; NULL when empty
    defines         TEXT,               -- JSON; NULL when empty
    text            TEXT    NOT NULL,
    checksum        INTEGER NOT NULL,   -- of the columns from `start` to `text`
    link            INTEGER NOT NULL    -- checksum of `id`, `document`, `vector` and `checksum`
);
CREATE TABLE vectors (
    id              INTEGER PRIMARY KEY,
    key             BLOB    NOT NULL UNIQUE,
    data            BLOB    NOT NULL,   -- int8, one a dimension
    checksum        INTEGER NOT NULL    -- of `id` and `data`: what another key finds is another vector
);
-- The lexical terms of a document's chunks, counted (`segments`) and compressed, up to some thousand chunks a row.
CREATE TABLE terms (
    first_chunk     INTEGER PRIMARY KEY,
    document        INTEGER NOT NULL,
    data            BLOB    NOT NULL,
    checksum        INTEGER NOT NULL
);
-- A name is looked for in its bucket (`row_sums`), whose sum tells if one is missing.
CREATE TABLE names (
    bucket          INTEGER NOT NULL,
    name            TEXT    NOT NULL,   -- lower case
    chunk           INTEGER NOT NULL,
    PRIMARY KEY (bucket, name, chunk)
) WITHOUT ROWID;
CREATE TABLE name_sums (
    bucket          INTEGER PRIMARY KEY,
    sum             INTEGER NOT NULL
);
CREATE TABLE metadata (
    key             TEXT    PRIMARY KEY,
    checksum        INTEGER NOT NULL,   -- before the value, which may be long
    value           TEXT    NOT NULL
) WITHOUT ROWID;
-- The change log: which chunks went in which generation. What came is known by its higher identifier.
CREATE TABLE removed (
    generation      INTEGER NOT NULL,
    first_chunk     INTEGER NOT NULL,
    chunk_count     INTEGER NOT NULL,
    document        INTEGER NOT NULL,
    checksum        INTEGER NOT NULL,
    PRIMARY KEY (generation, first_chunk)
) WITHOUT ROWID;
-- Generations that changed chunks, each with a random stamp: something derived is caught up only from a state
-- that this very file has been in.
CREATE TABLE contents (
    generation      INTEGER PRIMARY KEY,
    stamp           TEXT    NOT NULL
);
"""

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


def connect(folder: Path, *, writing: bool = False) -> sqlite3.Connection:
    """Open the database; the caller begins and ends transactions.

    A commit survives a crash of the process at once, and a power failure from the next checkpoint on
    (``synchronous = NORMAL``); either way the file stays intact.
    """
    connection = _open_connection(folder / FILE)
    try:
        connection.execute(f"PRAGMA mmap_size = {_WRITER_MAPPED_BYTES if writing else _MAPPED_BYTES}")
        connection.execute("PRAGMA synchronous = NORMAL")
        if writing:
            connection.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KIBIBYTES}")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_WRITER_CHECKPOINT_PAGES}")
            connection.execute(f"PRAGMA journal_size_limit = {_JOURNAL_BYTES}")
            connection.execute("PRAGMA temp_store = MEMORY")
    except BaseException:
        connection.close()
        raise
    return connection


def _open_connection(place: Path | str, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(
        place,
        timeout=_BUSY_MILLISECONDS / 1000,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=64,
        uri=uri,
    )


def connect_reading(folder: Path) -> tuple[sqlite3.Connection, bool]:
    """Open the database for reading; return the connection and whether it does not see later writes.

    It does not see them if SQLite cannot create the files beside it that several processes need, because the folder is
    read-only or the disk is full.
    """
    try:
        return _probe(connect(folder)), False
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or not (folder / FILE).is_file():
            raise
        connected = _connect_without_writing(folder)
        if connected is None:
            raise
        return connected


def _connect_without_writing(folder: Path) -> tuple[sqlite3.Connection, bool] | None:
    place, log = (folder / FILE).absolute().as_uri(), folder / f"{FILE}-wal"
    # If another process has it open, its files are used. Without a write-ahead log, the file itself is complete.
    ways = [("mode=ro", False)] if log.exists() and log.stat().st_size else [("mode=ro", False), ("immutable=1", True)]
    for way, fixed in ways:
        with suppress(sqlite3.OperationalError):
            return _probe(_open_connection(f"{place}?{way}", uri=True)), fixed
    return None


def _probe(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return the connection after checking that it can read."""
    try:
        connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
        is_blank(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def shorten_journal(connection: sqlite3.Connection, folder: Path) -> None:
    """Empty a write-ahead log that has grown too large, unless another connection is reading."""
    log, file = folder / f"{FILE}-wal", folder / FILE
    with suppress(OSError, sqlite3.OperationalError):
        if log.stat().st_size > max(_JOURNAL_BYTES, file.stat().st_size // 2):
            connection.execute("PRAGMA busy_timeout = 0")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def is_ours(connection: sqlite3.Connection) -> bool:
    """Return whether the database has our tables; False for an empty file."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return bool(application == APPLICATION)


def is_blank(connection: sqlite3.Connection) -> bool:
    """Return whether the database has no tables, like a new file."""
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def create(connection: sqlite3.Connection, embedder: str, dimensions: int) -> None:
    """Create the tables of an empty index, all or none."""
    connection.execute("PRAGMA journal_mode = WAL")
    script = "".join(
        (
            "BEGIN IMMEDIATE;",
            TABLES,
            f"PRAGMA user_version = {VERSION};",
            f"PRAGMA application_id = {APPLICATION};",
        )
    )
    try:
        connection.executescript(script)
        connection.execute("INSERT INTO state VALUES (1, ?, ?, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0)", (embedder, dimensions))
        seal_state(connection)
        connection.execute("INSERT INTO contents VALUES (0, '')")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def seal_state(connection: sqlite3.Connection) -> None:
    """Update the checksum of the row with the index's state."""
    connection.execute("UPDATE state SET checksum = ?", (row_sum(_state(connection)[:-1]),))


def check_state(connection: sqlite3.Connection) -> None:
    """Check the row that holds the index's state.

    Raises:
        DamagedRowError: it does not match its checksum.
    """
    *values, checksum = _state(connection)
    require(row_sum(values) == checksum, "its state")


def _state(connection: sqlite3.Connection) -> tuple[object, ...]:
    row: tuple[object, ...] | None = connection.execute("SELECT * FROM state").fetchone()
    require(row is not None, "its state")
    assert row is not None
    return row


def recorded_embedder(connection: sqlite3.Connection) -> tuple[str, int] | None:
    """Return the name and the dimensions of the embedder that an index was made with; None if its state is missing."""
    row = connection.execute("SELECT embedder, dimensions FROM state").fetchone()
    return None if row is None else (str(row[0]), int(row[1]))


def check(connection: sqlite3.Connection, folder: Path, embedder: str, dimensions: int) -> None:
    """Check that this program can use a database.

    Raises:
        IndexUnusableError: it is not an index, or has another schema version, embedder or number of dimensions.
    """
    if not is_ours(connection):
        raise unusable(folder, "is not an index of Quaestor")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise unusable(folder, f"was written by a newer version of Quaestor (schema {version}, known {VERSION})")
    if version < VERSION:
        raise unusable(folder, f"was written by an older version of Quaestor (schema {version}, needed {VERSION})")
    check_state(connection)
    recorded = recorded_embedder(connection)
    assert recorded is not None
    if recorded != (embedder, dimensions):
        raise unusable(
            folder,
            f"was made with the embedder {recorded[0]!r} ({recorded[1]} dimensions), not {embedder!r} ({dimensions})",
        )


def check_embedder(connection: sqlite3.Connection, folder: Path, embedder: str) -> None:
    """Check that the vectors are still those of the embedder with which the index was opened.

    Raises:
        EmbedderChangedError: they are those of another embedder.
    """
    recorded = recorded_embedder(connection)
    if recorded is not None and recorded[0] != embedder:
        raise EmbedderChangedError(
            f"The index in {str(folder)!r} was given the embedder {recorded[0]!r} since it was opened for "
            f"{embedder!r}: open it again."
        )


def upgrade(connection: sqlite3.Connection) -> None:
    """Add checksums to the rows of a database of schema 2 or 3; leave any other unchanged.

    If the database cannot be written, nothing is done, and ``check`` then refuses it as one of an older version.
    """
    if not _is_older(connection):
        return
    _register_functions(connection)
    with suppress(sqlite3.OperationalError):
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have upgraded it meanwhile.
            if _is_older(connection):
                _give_checksums(connection)
                connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise


def _is_older(connection: sqlite3.Connection) -> bool:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return _OLDEST <= version < VERSION and is_ours(connection)


def _register_functions(connection: sqlite3.Connection) -> None:
    """Make the checksum functions available in SQL statements."""
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
    _recreate_tables(connection)
    for table, added in _ADDED.items():
        for column, value in added.items():
            execute(f"ALTER TABLE {table} ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
            execute(f"UPDATE {table} SET {column} = {value}")
    execute(f"INSERT INTO name_sums SELECT bucket, sum(name_sum(name, chunk)) & {WRAP} FROM names GROUP BY bucket")
    seal_state(connection)


def _recreate_tables(connection: sqlite3.Connection) -> None:
    """Create those tables again in which a new column is not the last one, or is part of the key."""
    rows_by_table = {
        table: connection.execute(f"SELECT {columns} FROM {table}").fetchall() for table, columns in _COPIED.items()
    }
    for table in rows_by_table:
        connection.execute(f"DROP TABLE {table}")
    for statement in TABLES.split(";"):
        if any(f"CREATE TABLE {table} " in statement for table in (*rows_by_table, "name_sums")):
            connection.execute(statement)
    for table, rows in rows_by_table.items():
        if rows:
            connection.executemany(f"INSERT INTO {table} VALUES ({marks(len(rows[0]))})", rows)


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")}
