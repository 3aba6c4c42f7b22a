"""Documents of an index in the form that they were written in, to be given to another store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from quaestor.stores import Packed
from quaestor.stores.embedded import truth
from quaestor.stores.embedded.packing import Columns
from quaestor.stores.embedded.truth import batches, marks, storable

_COLUMNS = "c.start, c.end, c.start_line, c.end_line, c.symbol, c.kind, c.scope, c.defines, c.text, c.checksum"


def unpacked(connection: sqlite3.Connection, paths: Sequence[str], dimensions: int) -> Iterator[Packed]:
    """Yield those documents that there are, as ``pack`` made them; in no order.

    Args:
        connection: sees the truth.
        paths: of the documents.
        dimensions: length of the vectors.
    """
    for batch in batches(paths):
        places = connection.execute(
            f"SELECT path, first_chunk, chunk_count FROM documents WHERE path IN ({marks(len(batch))})",
            [storable(path) for path in batch],
        )
        for path, first, count in places.fetchall():
            document = truth.document(connection, truth.restored(path))
            assert document is not None
            yield Packed(document, count, _columns(connection, first, count, dimensions))


def _columns(connection: sqlite3.Connection, first: int, count: int, dimensions: int) -> Columns:
    bounds = (first, first + count - 1)
    rows = connection.execute(
        f"SELECT v.key, v.data, {_COLUMNS} FROM chunks c JOIN vectors v ON v.id = c.vector "
        "WHERE c.id BETWEEN ? AND ? ORDER BY c.id",
        bounds,
    ).fetchall()
    terms = connection.execute("SELECT first_chunk, data FROM terms WHERE first_chunk BETWEEN ? AND ?", bounds)
    return Columns(
        [row[2:] for row in rows],
        defined_names([row[9] for row in rows]),
        dimensions,
        b"".join(row[1] for row in rows),
        [row[0] for row in rows],
        [(chunk - first, data) for chunk, data in sorted(terms)],
    )


def defined_names(defines: Sequence[str | None]) -> list[tuple[str | bytes, int]]:
    """Return what chunks define, in lower case, each with the place of its chunk; ``defines`` as it is stored."""
    return [
        (storable(name), place)
        for place, names in enumerate(defines)
        for name in dict.fromkeys(name.lower() for name in json.loads(names or "[]"))
    ]
