"""Checks an index for damage, every row of the database and every byte of the derived files, without changing it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from quaestor.stores.embedded import schema, sqlite_rows
from quaestor.stores.embedded.derived_files import lag
from quaestor.stores.embedded.lexical import FOLDER, LexicalBase
from quaestor.stores.embedded.matrix import MatrixBase
from quaestor.stores.embedded.sqlite_failures import translate_failures, unusable

_MOST_SAID = 3
_BROKEN_UP = (
    "SELECT path FROM documents d WHERE chunk_count != (SELECT count(*) FROM chunks c"
    " WHERE c.document = d.id AND c.id BETWEEN d.first_chunk AND d.first_chunk + d.chunk_count - 1)"
)
_WITHOUT_VECTOR = "SELECT count(*) FROM chunks c LEFT JOIN vectors v ON v.id = c.vector WHERE length(v.data) IS NOT ?"
_DERIVED = {FOLDER: "the postings of its words"}


def examine(folder: Path) -> list[str]:
    """Return the damaged parts of an index that can be rebuilt from the rest; none if it is intact or missing.

    Raises:
        IndexUnusableError: the rest is damaged, or it is not an index of this version.
        IndexBusyError: another process has locked it.
    """
    if not (folder / schema.FILE).exists():
        return []
    with translate_failures(folder), closing(schema.connect_reading(folder)[0]) as connection:
        connection.execute("BEGIN")  # reads one state, even if another process writes meanwhile
        if schema.is_blank(connection):
            return []
        recorded = schema.recorded_embedder(connection)
        if recorded is None:
            raise unusable(folder, "is damaged (its state is missing)")
        schema.check(connection, folder, *recorded)
        _check_truth(connection, folder, recorded[1])
        damaged: list[str] = []
        bases = (
            LexicalBase.load(folder, whole=True, on_damage=damaged.append),
            MatrixBase.load(folder, recorded[1], whole=True, on_damage=damaged.append),
        )
        for base in bases:
            lag(connection, base.mark if base else None)  # raises if removed chunks are not in the change log
    return [_DERIVED.get(name, "its vectors") for name in damaged]


def _check_truth(connection: sqlite3.Connection, folder: Path, dimensions: int) -> None:
    """Read every row.

    Raises:
        IndexUnusableError: a row is missing, or nothing refers to it.
        DatabaseError: a row cannot be read, or does not match its checksum.
    """
    faults = "; ".join(str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({_MOST_SAID})"))
    if faults != "ok":
        raise unusable(folder, f"is damaged ({faults})")
    for path in sqlite_rows.documents(connection):
        sqlite_rows.chunks_of(connection, path)
    counted = sum(len(one.segment.chunks) for one in sqlite_rows.terms_after(connection, 0))
    if counted != sqlite_rows.count(connection):
        raise unusable(folder, "is damaged (terms are missing)")
    broken = connection.execute(_BROKEN_UP).fetchone()
    if broken is not None:
        raise unusable(folder, f"is damaged (chunks of {sqlite_rows.from_storable(broken[0])!r} are missing)")
    (bare,) = connection.execute(_WITHOUT_VECTOR, (dimensions,)).fetchone()
    if bare:
        raise unusable(folder, f"is damaged ({bare:,} chunks have no vector)")
    sqlite_rows.check_vectors(connection, dimensions)
    sqlite_rows.check_names(connection)
    for key in ("", *sqlite_rows.all_metadata(connection)):
        sqlite_rows.metadata(connection, key)
    sqlite_rows.removed_since(connection, sqlite_rows.content(connection)._replace(generation=-1))
