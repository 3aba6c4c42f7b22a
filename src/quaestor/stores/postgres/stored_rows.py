"""Converts documents and chunks to rows of the database, and back.

``packed_documents`` reads documents in the form in which they are written, for another store.

NUL and lone surrogates, which PostgreSQL refuses, are escaped in texts. pgvector's half precision represents the
numbers of the stores' int8 rows exactly.
"""

from __future__ import annotations

import json
import re
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from quaestor.core.documents import Chunk, Document, Span
from quaestor.core.errors import IndexUnusableError
from quaestor.stores import KeptBytes, PackedDocument, StoredChunk, StoreStats
from quaestor.stores.embedded.packing import MOST_TOGETHER, Columns, defined_names
from quaestor.stores.embedded.sqlite_rows import chunk_checksum, from_storable, storable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quaestor.stores.postgres.connection import Connection


# A code point that is not a character, so that no text holds it; six hexadecimal digits follow it.
_ESCAPE = "\U0010fffe"
_REFUSED = re.compile(f"[\x00\ud800-\udfff{_ESCAPE}]")
_ESCAPED = re.compile(f"{_ESCAPE}([0-9a-f]{{6}})")

_HEAD = struct.Struct(">hh")  # the dimensions and two unused bytes


def escape(text: str) -> str:
    """Return a text in a form that the database can store; most texts are unchanged."""
    if text.isascii() and "\x00" not in text:
        return text
    return _REFUSED.sub(lambda match: f"{_ESCAPE}{ord(match[0]):06x}", text)


def unescape(text: str) -> str:
    """Return the original of a text that ``escape`` returned."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if _ESCAPE in text else text


def escape_optional(text: str | None) -> str | None:
    """Escape a text; None stays None."""
    return None if text is None else escape(text)


def unescape_optional(text: str | None) -> str | None:
    """Unescape a text; None stays None."""
    return None if text is None else unescape(text)


def to_half_vectors(rows: NDArray[np.int8]) -> Iterator[bytes | None]:
    """Yield each row as a ``halfvec`` in the binary form for ``COPY``; None for a row of zeros.

    Args:
        rows: int8 rows of shape ``(n, dimensions)``.
    """
    head = _HEAD.pack(rows.shape[1], 0)
    directed: list[bool] = np.any(rows, axis=1).tolist()
    for row, is_nonzero in zip(rows.astype(">f2"), directed, strict=True):
        yield head + row.tobytes() if is_nonzero else None


def from_half_vector(data: bytes | None, dimensions: int) -> bytes:
    """Return a ``halfvec`` in binary form as an int8 row."""
    if data is None:
        return bytes(dimensions)
    return np.frombuffer(data, ">f2", offset=_HEAD.size).astype(np.int8).tobytes()


def vector_literal(vector: NDArray[np.float32]) -> str:
    """Return a vector as a literal of pgvector."""
    return f"[{','.join(map(repr, vector.tolist()))}]"


DOCUMENT = "path, sha256, size, stamp, language, encoding, title, url, author, date, chunker, note"
_DOCUMENT_OF_D = ", ".join(f"d.{column}" for column in DOCUMENT.split(", "))
CHUNK = "start_byte, end_byte, start_line, end_line, symbol, kind, scope, defines, text, checksum"
_LAST_NAME = 200
_CHUNK_OF_C = ", ".join(f"c.{column}" for column in CHUNK.split(", "))


def path_key(path: str) -> bytes:
    """Return the key of a path: a hash, because a path may be longer than an index allows."""
    return blake2b(path.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def name_key(name: str | bytes) -> int:
    """Return the key of a lower-case name, which is bytes if it cannot be encoded as UTF-8."""
    data = name if isinstance(name, bytes) else name.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little", signed=True)


def document_row(document: Document) -> tuple[Any, ...]:
    """Return the values of the columns ``DOCUMENT``."""
    path, sha256, size, stamp, language, encoding, title, url, author, date, chunker, note = document
    texts = map(escape_optional, (title, url, author, date))
    return escape(path), sha256, size, stamp, escape(language), encoding, *texts, chunker, escape_optional(note)


def read_document(row: Sequence[Any]) -> Document:
    """Return the document in the columns ``DOCUMENT``."""
    path, sha256, size, stamp, language, encoding, title, url, author, date, chunker, note = row
    return Document(
        unescape(path),
        sha256,
        size,
        stamp,
        unescape(language),
        encoding,
        unescape_optional(title),
        unescape_optional(url),
        unescape_optional(author),
        unescape_optional(date),
        chunker,
        unescape_optional(note),
    )


def chunk_row(columns: Sequence[Any]) -> tuple[Any, ...]:
    """Return the values of the columns ``CHUNK`` for a packed chunk."""
    start, end, start_line, end_line, symbol, kind, scope, defines, text, checksum = columns
    texts = escape_optional(from_storable(symbol)), kind, scope, defines, escape(from_storable(text))
    return start, end, start_line, end_line, *texts, checksum


def packed_chunk(row: Sequence[Any]) -> tuple[Any, ...]:
    """Return a packed chunk from the columns ``CHUNK``."""
    start, end, start_line, end_line, symbol, kind, scope, defines, text, checksum = row
    name = None if symbol is None else storable(unescape(symbol))
    return start, end, start_line, end_line, name, kind, scope, defines, storable(unescape(text)), checksum


def is_intact(packed: Sequence[Any]) -> bool:
    """Return whether a chunk's columns, in the form of ``packed_chunk``, match their checksum."""
    return bool(chunk_checksum(tuple(packed[:8]), packed[8]) == packed[9])


def read_chunk(row: Sequence[Any], document: Document) -> StoredChunk:
    """Return the chunk in the columns ``id``, its place in the document, and ``CHUNK``.

    Raises:
        IndexUnusableError: the columns do not match their checksum.
    """
    number, position, *columns = row
    packed = packed_chunk(columns)
    if not is_intact(packed):
        raise IndexUnusableError(
            f"A chunk of {document.path!r} in the store does not match its checksum: run `quaestor index "
            "--rebuild` where the files are."
        )
    start, end, start_line, end_line, symbol, kind, scope, defines, text, _ = packed
    chunk = Chunk(
        Span(start, end, start_line, end_line),
        from_storable(text),
        from_storable(symbol),
        kind,
        _names(scope),
        _names(defines),
    )
    return StoredChunk(number, document, chunk, position)


def documents(connection: Connection, corpus: int) -> dict[str, Document]:
    """Return every document of a corpus by path."""
    query = f"SELECT {DOCUMENT} FROM quaestor.documents WHERE corpus_id = %s"
    read_documents = map(read_document, connection.execute(query.encode(), (corpus,)))
    return {document.path: document for document in read_documents}


def document(connection: Connection, corpus: int, path: str) -> Document | None:
    """Return the document of a path; None if there is none."""
    query = f"SELECT {DOCUMENT} FROM quaestor.documents WHERE corpus_id = %s AND path_key = %s"
    row = connection.execute(query.encode(), (corpus, path_key(path))).fetchone()
    return None if row is None else read_document(row)


def chunks_of(connection: Connection, corpus: int, path: str) -> list[StoredChunk]:
    """Return a document's chunks in order."""
    query = (
        f"SELECT c.id, c.id - d.first_chunk, {_CHUNK_OF_C}, {_DOCUMENT_OF_D} FROM quaestor.documents d "
        "JOIN quaestor.chunks c ON c.corpus_id = d.corpus_id "
        "AND c.id BETWEEN d.first_chunk AND d.first_chunk + d.chunk_count - 1 "
        "WHERE d.corpus_id = %s AND d.path_key = %s ORDER BY c.id"
    )
    return _read_chunks(connection.execute(query.encode(), (corpus, path_key(path))))


def chunks(connection: Connection, corpus: int, ids: Iterable[int]) -> dict[int, StoredChunk]:
    """Return the chunks that exist, by identifier, in the order of ``ids``."""
    wanted = list(dict.fromkeys(int(chunk) for chunk in ids))
    query = (
        f"SELECT c.id, c.id - d.first_chunk, {_CHUNK_OF_C}, {_DOCUMENT_OF_D} FROM quaestor.chunks c "
        "JOIN quaestor.documents d ON d.corpus_id = c.corpus_id AND d.id = c.document "
        "WHERE c.corpus_id = %s AND c.id = ANY(%s)"
    )
    by_id = {stored.id: stored for stored in _read_chunks(connection.execute(query.encode(), (corpus, wanted)))}
    return {chunk: by_id[chunk] for chunk in wanted if chunk in by_id}


def kept_bytes(connection: Connection, corpus: int, path: str) -> KeptBytes | None:
    """Return a document's stored bytes, even if they are damaged; None if they are not stored."""
    row = (
        connection.cursor(binary=True)
        .execute(
            "SELECT d.content_hash, c.data FROM quaestor.documents d LEFT JOIN quaestor.contents c "
            "ON c.corpus_id = d.corpus_id AND c.hash = d.content_hash "
            "WHERE d.corpus_id = %s AND d.path_key = %s AND d.content_hash IS NOT NULL",
            (corpus, path_key(path)),
        )
        .fetchone()
    )
    return None if row is None else KeptBytes(row[0], row[1] or b"")


def unkept_paths(connection: Connection, corpus: int) -> list[str]:
    """Return the paths of documents whose bytes are not stored."""
    query = "SELECT path FROM quaestor.documents WHERE corpus_id = %s AND content_hash IS NULL"
    return [unescape(path) for (path,) in connection.execute(query, (corpus,))]


def contents(connection: Connection, corpus: int, hashes: Sequence[bytes]) -> dict[bytes, KeptBytes]:
    """Return the bytes that are stored under these hashes."""
    query = "SELECT hash, data FROM quaestor.contents WHERE corpus_id = %s AND hash = ANY(%s)"
    rows = connection.cursor(binary=True).execute(query, (corpus, list(hashes)))
    return {content_hash: KeptBytes(content_hash, data) for content_hash, data in rows}


def paths_of(connection: Connection, corpus: int, ids: Iterable[int]) -> set[str]:
    """Return the paths of these chunks' documents."""
    rows = connection.execute(
        "SELECT DISTINCT d.path FROM quaestor.chunks c "
        "JOIN quaestor.documents d ON d.corpus_id = c.corpus_id AND d.id = c.document "
        "WHERE c.corpus_id = %s AND c.id = ANY(%s)",
        (corpus, [int(chunk) for chunk in ids]),
    )
    return {unescape(path) for (path,) in rows}


def paths_ending(connection: Connection, corpus: int, end: str) -> list[tuple[str, int]]:
    """Return the paths that equal ``end`` or end with a slash and it, each with its first chunk, in arbitrary order."""
    wanted = escape(end)
    lowered = "".join(letter.lower() if letter.isascii() else letter for letter in wanted)
    rows = connection.execute(
        "SELECT path, first_chunk FROM quaestor.documents WHERE corpus_id = %s AND chunk_count > 0 "
        # The same expression as in the index documents_by_last_name.
        f"AND left(substring(lower(path) FROM '[^/]*$'), {_LAST_NAME}) = %s "
        "AND right(lower(path), length(%s)) = %s "
        "AND (length(path) = length(%s) OR substr(path, length(path) - length(%s), 1) = '/')".encode(),
        (corpus, lowered.rpartition("/")[2][:_LAST_NAME], lowered, lowered, lowered, lowered),
    )
    return [(unescape(path), chunk) for path, chunk in rows]


def defining(connection: Connection, corpus: int, names: Iterable[str], k: int) -> list[int]:
    """Return up to ``k`` chunks that define any of ``names``; those that define most of them first."""
    keys = list({name_key(name.lower()) for name in names})
    rows = connection.execute(
        "SELECT chunk FROM quaestor.names WHERE corpus_id = %s AND name = ANY(%s) "
        "GROUP BY chunk ORDER BY count(*) DESC, chunk LIMIT %s",
        (corpus, keys, max(k, 0)),
    )
    return [chunk for (chunk,) in rows]


def metadata(connection: Connection, corpus: int, key: str) -> str | None:
    """Return the string stored under a key; None if there is none."""
    query = "SELECT value FROM quaestor.metadata WHERE corpus_id = %s AND key = %s"
    row = connection.execute(query, (corpus, escape(key))).fetchone()
    return None if row is None else unescape(row[0])


def all_metadata(connection: Connection, corpus: int) -> dict[str, str]:
    """Return every stored string by key."""
    rows = connection.execute("SELECT key, value FROM quaestor.metadata WHERE corpus_id = %s", (corpus,))
    return {unescape(key): unescape(value) for key, value in rows}


def stats(connection: Connection, corpus: int) -> StoreStats:
    """Return the corpus's sizes; its size on disk is its share of the tables."""
    query = (
        "SELECT count(*), coalesce(sum(chunk_count), 0), coalesce(sum(size), 0) FROM quaestor.documents "
        "WHERE corpus_id = %s"
    )
    [(count, chunk_count, size)] = connection.execute(query, (corpus,))
    [(taken, every)] = connection.execute(
        "SELECT sum(pg_total_relation_size(oid)), max(reltuples) FILTER (WHERE relname = 'chunks') FROM pg_class "
        "WHERE relnamespace = 'quaestor'::regnamespace AND relkind = 'r'"
    )
    share = min(1.0, int(chunk_count) / every) if every and every > 0 else 1.0
    counted = (_counts(connection, corpus, column) for column in ("language", "chunker", "note"))
    return StoreStats(count, int(chunk_count), int(size), int(int(taken or 0) * share), *counted)


def _counts(connection: Connection, corpus: int, column: str) -> dict[str, int]:
    query = (
        f"SELECT {column}, count(*) FROM quaestor.documents WHERE corpus_id = %s AND {column} IS NOT NULL "
        "GROUP BY 1 ORDER BY 2 DESC, 1"
    )
    return {unescape(value): count for value, count in connection.execute(query.encode(), (corpus,))}


def _read_chunks(rows: Iterable[Sequence[Any]]) -> list[StoredChunk]:
    """Return chunks with their documents; chunks of one document share it."""
    split, known, chunks = 2 + CHUNK.count(",") + 1, dict[str, Document](), list[StoredChunk]()
    for row in rows:
        path = row[split]
        whole = known.get(path) or known.setdefault(path, read_document(row[split:]))
        chunks.append(read_chunk(row[:split], whole))
    return chunks


def _names(value: str | None) -> tuple[str, ...]:
    return tuple(json.loads(value)) if value else ()


def packed_documents(
    connection: Connection, corpus: int, paths: Sequence[str], dimensions: int
) -> Iterator[PackedDocument]:
    """Yield the given documents that exist, in the form that ``pack`` returns, in arbitrary order.

    Args:
        connection: a connection in a transaction that sees one state.
        corpus: the corpus's number.
        paths: the documents' paths; all documents are held in memory together.
        dimensions: the length of the vectors.
    """
    documents = connection.execute(
        f"SELECT id, first_chunk, chunk_count, content_hash, {DOCUMENT} FROM quaestor.documents "
        "WHERE corpus_id = %s AND path_key = ANY(%s)".encode(),
        (corpus, [path_key(path) for path in paths]),
    ).fetchall()
    chunks = _chunks(connection, corpus, documents)
    bytes_by_hash = contents(connection, corpus, [row[3] for row in documents if row[3] is not None])
    terms: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
    rows = connection.cursor(binary=True).execute(
        "SELECT document, first_chunk, data FROM quaestor.terms WHERE corpus_id = %s AND first_chunk = ANY(%s) "
        "ORDER BY first_chunk",
        (corpus, [chunk for _, first, count, *_ in documents for chunk in range(first, first + count, MOST_TOGETHER)]),
    )
    for number, first, data in rows:
        terms[number].append((first, data))
    for number, first_chunk, count, content_hash, *document in documents:
        own = chunks[number]
        packed = [packed_chunk(row[2:]) for row in own]
        columns = Columns(
            packed,
            defined_names([row[7] for row in packed]),
            dimensions,
            b"".join(from_half_vector(row[1], dimensions) for row in own),
            [row[0] for row in own],
            [(first - first_chunk, data) for first, data in terms[number]],
        )
        yield PackedDocument(read_document(document), count, columns, bytes_by_hash.get(content_hash))


def _chunks(connection: Connection, corpus: int, documents: Sequence[Sequence[Any]]) -> dict[int, list[Sequence[Any]]]:
    """Return the chunks of some documents by document, each with the key and the vector before its columns."""
    chunks: dict[int, list[Sequence[Any]]] = defaultdict(list)
    rows = connection.cursor(binary=True).execute(
        f"SELECT c.document, v.key, v.embedding, {_CHUNK_OF_C} FROM quaestor.chunks c "
        "JOIN quaestor.vectors v ON v.corpus_id = c.corpus_id AND v.id = c.vector "
        "WHERE c.corpus_id = %s AND v.corpus_id = %s AND c.id = ANY(%s) ORDER BY c.id".encode(),
        (corpus, corpus, [chunk for _, first, count, *_ in documents for chunk in range(first, first + count)]),
    )
    for number, *columns in rows:
        chunks[number].append(columns)
    return chunks
