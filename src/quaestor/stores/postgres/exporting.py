"""Documents of a corpus in the form that they were written in, to be given to another store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from quaestor.stores import Packed
from quaestor.stores.embedded.packing import MOST_TOGETHER, Columns
from quaestor.stores.embedded.unpacking import defined_names
from quaestor.stores.postgres import stored_rows
from quaestor.stores.postgres.half_vectors import received

if TYPE_CHECKING:
    from quaestor.stores.postgres.connection import Connection

_CHUNK_OF_C = ", ".join(f"c.{column}" for column in stored_rows.CHUNK.split(", "))


def unpacked(connection: Connection, corpus: int, paths: Sequence[str], dimensions: int) -> Iterator[Packed]:
    """Yield those documents that there are, as ``pack`` made them; in no order.

    Args:
        connection: in a transaction that sees one state.
        corpus: its number.
        paths: of the documents; all of them are held in memory together.
        dimensions: length of the vectors.
    """
    found = connection.execute(
        f"SELECT id, first_chunk, chunk_count, {stored_rows.DOCUMENT} FROM quaestor.documents "
        "WHERE corpus_id = %s AND path_key = ANY(%s)".encode(),
        (corpus, [stored_rows.path_key(path) for path in paths]),
    ).fetchall()
    chunks = _chunks(connection, corpus, found)
    terms: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
    rows = connection.cursor(binary=True).execute(
        "SELECT document, first_chunk, data FROM quaestor.terms WHERE corpus_id = %s AND first_chunk = ANY(%s) "
        "ORDER BY first_chunk",
        (corpus, [chunk for _, first, count, *_ in found for chunk in range(first, first + count, MOST_TOGETHER)]),
    )
    for number, first, data in rows:
        terms[number].append((first, data))
    for number, first_chunk, count, *document in found:
        own = chunks[number]
        packed = [stored_rows.packed_chunk(row[2:]) for row in own]
        columns = Columns(
            packed,
            defined_names([row[7] for row in packed]),
            dimensions,
            b"".join(received(row[1], dimensions) for row in own),
            [row[0] for row in own],
            [(first - first_chunk, data) for first, data in terms[number]],
        )
        yield Packed(stored_rows.read_document(document), count, columns)


def _chunks(connection: Connection, corpus: int, found: Sequence[Sequence[Any]]) -> dict[int, list[Sequence[Any]]]:
    """Return the chunks of some documents by document, each with the key and the vector before its columns."""
    chunks: dict[int, list[Sequence[Any]]] = defaultdict(list)
    rows = connection.cursor(binary=True).execute(
        f"SELECT c.document, v.key, v.embedding, {_CHUNK_OF_C} FROM quaestor.chunks c "
        "JOIN quaestor.vectors v ON v.corpus_id = c.corpus_id AND v.id = c.vector "
        "WHERE c.corpus_id = %s AND v.corpus_id = %s AND c.id = ANY(%s) ORDER BY c.id".encode(),
        (corpus, corpus, [chunk for _, first, count, *_ in found for chunk in range(first, first + count)]),
    )
    for number, *columns in rows:
        chunks[number].append(columns)
    return chunks
