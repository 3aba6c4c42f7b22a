"""Packs documents in the form in which they are written, and reads them in this form for another store.

Packing needs no store, so that worker processes can do it.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from quaestor.core.documents import Chunk, Document
from quaestor.core.light_imports import NamedTuple
from quaestor.stores import ChunkTerms, PackedDocument
from quaestor.stores.embedded import sqlite_rows
from quaestor.stores.embedded.lexical import count_terms
from quaestor.stores.embedded.sqlite_rows import batches, chunk_checksum, marks, storable
from quaestor.stores.embedded.vectors import quantise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


MOST_TOGETHER = 1 << 14
"""The most chunks whose terms are counted together."""

_COLUMNS = "c.start, c.end, c.start_line, c.end_line, c.symbol, c.kind, c.scope, c.defines, c.text, c.checksum"


class Columns(NamedTuple):
    """The rows of a document's chunks.

    Attributes:
        chunks: each chunk's columns, from its offset to its checksum.
        names: the names that the chunks define, in lower case, each with its chunk's place in the document; in
            arbitrary order.
        dimensions: the length of the vectors.
        vectors: the chunks' int8 vectors, one after the other.
        keys: the keys of the vectors, one per chunk.
        terms: compressed segments of the chunks' terms, each with the place of its first chunk in the document.
    """

    chunks: Sequence[tuple[Any, ...]]
    names: Sequence[tuple[str | bytes, int]]
    dimensions: int
    vectors: bytes
    keys: Sequence[bytes]
    terms: Sequence[tuple[int, bytes]]

    def rows(self) -> Iterator[bytes]:
        """Yield each chunk's vector."""
        for start in range(0, len(self.vectors), self.dimensions):
            yield self.vectors[start : start + self.dimensions]


def pack(
    document: Document,
    chunks: Sequence[Chunk],
    vectors: NDArray[np.float32],
    terms: Sequence[ChunkTerms],
    keys: Sequence[bytes],
) -> PackedDocument:
    """Return a document with its chunks, ready to be written; see ``quaestor.stores.Pack``.

    Raises:
        ValueError: the lengths of the arguments do not match.
    """
    count = len(chunks)
    if len(vectors) != count or len(terms) != count or len(keys) != count:
        raise ValueError(
            f"{document.path!r}: {count} chunks need as many vectors, terms and keys, not {len(vectors)}, {len(terms)} "
            f"and {len(keys)}"
        )
    columns = Columns(
        [_columns(chunk) for chunk in chunks],
        [name for place, chunk in enumerate(chunks) for name in _names(chunk, place)],
        vectors.shape[1],
        quantise(vectors).tobytes(),
        list(keys),
        [(start, _pack_terms(terms[start : start + MOST_TOGETHER])) for start in range(0, count, MOST_TOGETHER)],
    )
    return PackedDocument(document, count, columns)


def _columns(chunk: Chunk) -> tuple[Any, ...]:
    span = chunk.span
    fields = (
        span.start,
        span.end,
        span.start_line,
        span.end_line,
        None if chunk.symbol is None else storable(chunk.symbol),
        chunk.kind,
        _name_list(chunk.scope),
        _name_list(chunk.defines),
    )
    text = storable(chunk.text)
    return *fields, text, chunk_checksum(fields, text)


@lru_cache(maxsize=1 << 10)  # neighbouring chunks have one scope, and most define what few others do
def _name_list(names: tuple[str, ...]) -> str | None:
    return json.dumps(names) if names else None


def _names(chunk: Chunk, place: int) -> Iterator[tuple[str | bytes, int]]:
    for name in {name.lower() for name in chunk.defines}:
        yield storable(name), place


def _pack_terms(terms: Sequence[ChunkTerms]) -> bytes:
    return zlib.compress(count_terms(terms).data(), 1)


def packed_documents(connection: sqlite3.Connection, paths: Sequence[str], dimensions: int) -> Iterator[PackedDocument]:
    """Yield the given documents that exist, in the form that ``pack`` returns, in arbitrary order.

    Args:
        connection: a connection to the database.
        paths: the documents' paths.
        dimensions: the length of the vectors.
    """
    for batch in batches(paths):
        places = connection.execute(
            f"SELECT path, first_chunk, chunk_count FROM documents WHERE path IN ({marks(len(batch))})",
            [storable(path) for path in batch],
        )
        for path, first, count in places.fetchall():
            document = sqlite_rows.document(connection, sqlite_rows.from_storable(path))
            assert document is not None
            yield PackedDocument(document, count, _columns_of(connection, first, count, dimensions))


def _columns_of(connection: sqlite3.Connection, first: int, count: int, dimensions: int) -> Columns:
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
    """Return the names that chunks define, in lower case, each with its chunk's place."""
    return [
        (storable(name), place)
        for place, names in enumerate(defines)
        for name in dict.fromkeys(name.lower() for name in json.loads(names or "[]"))
    ]
