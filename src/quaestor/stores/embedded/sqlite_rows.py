"""Reads rows of the SQLite database, as values."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quaestor.core.documents import Chunk, Document, Span
from quaestor.core.light_imports import NamedTuple
from quaestor.stores import StoredChunk, StoreStats
from quaestor.stores.embedded.checksums import (
    WRAP,
    DamagedRowError,
    bucket_of,
    data_sum,
    link_sum,
    link_sums,
    name_sum,
    require,
    row_sum,
    text_sum,
    vector_sums,
)
from quaestor.stores.embedded.postings import Segment

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BATCH = 500
_LONGEST_PATTERN = 12_000  # letters; SQLite refuses patterns of more than 50,000 bytes
_DOCUMENT = "path, sha256, size, mtime_ns, language, encoding, title, url, author, date, chunker, note"
# The columns of a document's row in the order of its checksum, which comes last.
_WHOLE = f"id, {_DOCUMENT}, first_chunk, chunk_count, checksum"
_CHUNK = (
    "c.id, c.document, c.vector, c.start, c.end, c.start_line, c.end_line, c.symbol, c.kind, c.scope, c.defines, "
    "c.text, c.checksum, c.link"
)


class Content(NamedTuple):
    """A state of the chunks.

    Attributes:
        generation: the number of the transaction that made it.
        stamp: a random text, by which histories that diverged after a crash differ.
    """

    generation: int
    stamp: str


class RemovedRun(NamedTuple):
    """A run of chunks that were removed together: ``first_chunk`` and the ``chunk_count`` - 1 that follow."""

    document: int
    first_chunk: int
    chunk_count: int


# Text that cannot be encoded as UTF-8 (file names in another encoding) is stored as the bytes of its surrogates.
def storable(text: str) -> str | bytes:
    """Return ``text`` in a form that SQLite can store."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def from_storable(value: Any) -> Any:
    """Return the text of a value that ``storable`` returned."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def batches(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield runs of ``values`` short enough for the parameters of one statement."""
    for start in range(0, len(values), _BATCH):
        yield values[start : start + _BATCH]


def marks(count: int) -> str:
    """Return placeholders: ``?, ?, ?``."""
    return ", ".join("?" * count)


def content(connection: sqlite3.Connection) -> Content:
    """Return the present state of the chunks."""
    row = connection.execute(
        "SELECT c.generation, c.stamp FROM state s JOIN contents c ON c.generation = s.content"
    ).fetchone()
    require(row is not None, "its history")
    return Content(*row)


def has_been(connection: sqlite3.Connection, content: Content) -> bool:
    """Return whether the change log still reaches back to ``content``."""
    row = connection.execute("SELECT stamp FROM contents WHERE generation = ?", (content.generation,)).fetchone()
    return row is not None and row[0] == content.stamp


def removed_since(connection: sqlite3.Connection, content: Content) -> list[RemovedRun]:
    """Return the runs of chunks that were removed after ``content``."""
    rows = connection.execute(
        "SELECT document, first_chunk, chunk_count, generation, checksum FROM removed WHERE generation > ?",
        (content.generation,),
    ).fetchall()
    require(all(link_sum(*row[:-1]) == row[-1] for row in rows), "its history")
    return [RemovedRun(*row[:3]) for row in rows]


def last_chunk(connection: sqlite3.Connection) -> int:
    """Return the highest chunk identifier that was ever assigned."""
    (following,) = connection.execute("SELECT next_chunk FROM state").fetchone()
    return int(following) - 1


def count_after(connection: sqlite3.Connection, chunk: int) -> int:
    """Return the number of chunks with identifiers above ``chunk``."""
    (count,) = connection.execute("SELECT count(*) FROM chunks WHERE id > ?", (chunk,)).fetchone()
    return int(count)


def count(connection: sqlite3.Connection) -> int:
    """Return the number of chunks that the state records."""
    return int(connection.execute("SELECT chunks FROM state").fetchone()[0])


def vectors_after(
    connection: sqlite3.Connection, chunk: int, dimensions: int, batch: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int8]]]:
    """Yield (identifiers, int8 rows) of the chunks above ``chunk``, ascending, up to ``batch`` at a time."""
    rows = connection.execute(
        "SELECT c.id, c.document, c.vector, c.checksum, c.link, v.checksum, v.data "
        "FROM chunks c LEFT JOIN vectors v ON v.id = c.vector WHERE c.id > ? ORDER BY c.id",
        (chunk,),
    )
    while batch_rows := rows.fetchmany(batch):
        *numbers, data = zip(*batch_rows, strict=True)
        require(None not in data and {len(row) for row in data} == {dimensions}, "a vector")
        ids, documents, vectors, checksums, links, sums = np.array(numbers, dtype=np.int64)
        require(bool((link_sums(ids, documents, vectors, checksums) == links).all()), "a chunk")
        matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(batch_rows), dimensions)
        require(bool((vector_sums(vectors, matrix) == sums).all()), "a vector")
        yield ids, matrix


class DocumentTerms(NamedTuple):
    """The terms of one document's chunks, or of some of them if there are very many.

    Attributes:
        document: the document's row identifier.
        segment: a segment of the chunks' terms, by the chunks' identifiers.
    """

    document: int
    segment: Segment


def terms_after(connection: sqlite3.Connection, chunk: int) -> Iterator[DocumentTerms]:
    """Yield the terms of all documents whose chunks are above ``chunk``, ascending."""
    rows = connection.execute(
        "SELECT document, first_chunk, data, checksum FROM terms WHERE first_chunk > ? ORDER BY first_chunk", (chunk,)
    )
    for document, first, data, checksum in rows:
        require(data_sum(data, document, first) == checksum, "a row of terms")
        segment = Segment.read(zlib.decompress(data))
        yield DocumentTerms(document, segment._replace(chunks=segment.chunks + first))


def document_row(row: Sequence[Any]) -> tuple[Any, ...]:
    """Return a row of ``documents`` with its checksum at its end."""
    return *row, row_sum(row)


def checked_row(row: Sequence[Any]) -> Sequence[Any]:
    """Return a complete row of ``documents`` after checking it.

    Raises:
        DamagedRowError: the row does not match its checksum.
    """
    require(row_sum(row[:-1]) == row[-1], "a document")
    return row


def _document(row: Sequence[Any]) -> Document:
    """Return the document in a complete row."""
    fields = checked_row(row)[1:-3]
    # Fast path: thousands of rows are read before a first search, and hardly any holds text stored as bytes.
    return Document(*(map(from_storable, fields) if bytes in map(type, fields) else fields))


def documents(connection: sqlite3.Connection) -> dict[str, Document]:
    """Return every document by path."""
    by_id = {row[1]: _document(row) for row in connection.execute(f"SELECT {_WHOLE} FROM documents")}
    (expected,) = connection.execute("SELECT documents FROM state").fetchone()
    require(len(by_id) == expected, "the number of documents")
    return {document.path: document for document in by_id.values()}


def places(connection: sqlite3.Connection, paths: Sequence[str | bytes]) -> Iterator[Sequence[Any]]:
    """Yield the complete rows of the given documents that exist."""
    for batch in batches(paths):
        rows = connection.execute(f"SELECT {_WHOLE} FROM documents WHERE path IN ({marks(len(batch))})", batch)
        yield from map(checked_row, rows)


def _row_of(connection: sqlite3.Connection, path: str) -> Sequence[Any] | None:
    """Return a document's complete row; None if there is no such document."""
    for row in places(connection, [storable(path)]):
        return row
    # If only a damaged index of paths hides the row, the document is not missing.
    hidden = connection.execute("SELECT 1 FROM documents WHERE +path = ?", (storable(path),)).fetchone()
    require(hidden is None, "the index of paths")
    return None


def document(connection: sqlite3.Connection, path: str) -> Document | None:
    """Return the document of a path; None if there is none."""
    row = _row_of(connection, path)
    return _document(row) if row else None


def _names(value: str | None) -> tuple[str, ...]:
    if not value:
        return ()
    # Called two hundred times per query: without escapes, splitting at the quotes takes a fifth of the time.
    return tuple(json.loads(value)) if "\\" in value else tuple(value[2:-2].split('", "'))


def chunk_checksum(fields: Sequence[Any], text: str | bytes) -> int:
    """Return the checksum of a chunk's columns.

    Args:
        fields: the columns from ``start`` to ``defines``.
        text: the text in the form in which SQLite stores it.
    """
    return text_sum(fields, text)


def _read_chunk(row: Sequence[Any], document: Document, first_chunk: int) -> StoredChunk:
    chunk, of, vector, start, end, start_line, end_line, symbol, kind, scope, defines, text, checksum, link = row
    if link_sum(chunk, of, vector, checksum) != link or chunk_checksum(row[3:11], text) != checksum:
        raise DamagedRowError(f"a chunk of {document.path!r} does not match its checksum")
    span = Span(start, end, start_line, end_line)
    text, symbol = from_storable(text), from_storable(symbol)
    return StoredChunk(
        chunk, document, Chunk(span, text, symbol, kind, _names(scope), _names(defines)), chunk - first_chunk
    )


def chunks_of(connection: sqlite3.Connection, path: str) -> list[StoredChunk]:
    """Return a document's chunks in order."""
    row = _row_of(connection, path)
    if row is None:
        return []
    document, (first, chunk_count) = _document(row), row[-3:-1]
    rows = connection.execute(
        f"SELECT {_CHUNK} FROM chunks c WHERE c.id BETWEEN ? AND ? ORDER BY c.id", (first, first + chunk_count - 1)
    ).fetchall()
    require(len(rows) == chunk_count, f"the number of chunks of {path!r}")
    return [_read_chunk(row, document, first) for row in rows]


def chunks(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, StoredChunk]:
    """Return the chunks that exist, by identifier, in the order of ``ids``."""
    wanted = list(dict.fromkeys(int(chunk) for chunk in ids))
    stored: dict[int, StoredChunk] = {}
    for batch in batches(wanted):
        rows = connection.execute(
            f"SELECT {_CHUNK} FROM chunks c WHERE c.id IN ({marks(len(batch))})", batch
        ).fetchall()
        of = list({row[1] for row in rows})
        documents = connection.execute(f"SELECT {_WHOLE} FROM documents WHERE id IN ({marks(len(of))})", of).fetchall()
        known = {row[0]: (_document(row), row[-3]) for row in documents}
        require(len(known) == len(of), "a document")
        stored |= {row[0]: _read_chunk(row, *known[row[1]]) for row in rows}
    require(not any(_is_claimed(connection, chunk) for chunk in wanted if chunk not in stored), "a chunk")
    return {chunk: stored[chunk] for chunk in wanted if chunk in stored}


def _is_claimed(connection: sqlite3.Connection, chunk: int) -> bool:
    """Return whether a chunk belongs to an existing document."""
    rows = connection.execute(
        "SELECT 1 FROM documents WHERE first_chunk <= ? AND ? < first_chunk + chunk_count LIMIT 1", (chunk, chunk)
    )
    return rows.fetchone() is not None


def paths_of(connection: sqlite3.Connection, ids: Iterable[int]) -> set[str]:
    """Return the paths of these chunks' documents."""
    paths: set[str] = set()
    for batch in batches([int(chunk) for chunk in ids]):
        rows = connection.execute(
            f"SELECT path FROM documents WHERE id IN (SELECT document FROM chunks WHERE id IN ({marks(len(batch))}))",
            batch,
        )
        paths.update(from_storable(path) for (path,) in rows)
    return paths


def paths_ending(connection: sqlite3.Connection, end: str) -> list[tuple[str, int]]:
    """Return the paths that equal ``end`` or end with a slash and it, each with its first chunk, in arbitrary order."""
    wanted, count = storable(end), len(end)
    short = isinstance(wanted, str) and count <= _LONGEST_PATTERN
    alike = "%" + re.sub(r"[%_!]", r"!\g<0>", end) if short else "%"
    # Among the paths alone, which lie together in their index, it is found in half the time.
    rows = connection.execute(
        "SELECT path, first_chunk FROM documents WHERE chunk_count > 0 AND path IN "
        "(SELECT path FROM documents WHERE path LIKE ? ESCAPE '!') AND "
        "substr(path, -?) = ? COLLATE NOCASE AND (length(path) = ? OR substr(path, -? - 1, 1) = '/')",
        (alike, count, wanted, count, count),
    )
    return [(from_storable(path), chunk) for path, chunk in rows]


class PathEnds:
    """The paths of all documents in memory, where those with an end are found in a fraction of SQLite's time.

    Args:
        connection: reads one state of the database.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        # SQLite does not find the end of a path that is stored as bytes.
        paths = [path for (path,) in connection.execute("SELECT path FROM documents") if isinstance(path, str)]
        self._text = "\0".join(["", *paths, ""]).encode()
        self._lower = self._text.lower()  # ASCII letters alone, so that nothing changes its place

    def find(self, connection: sqlite3.Connection, end: str) -> list[tuple[str, int]]:
        """Return what ``paths_ending`` returns for the same state."""
        found = [*self._paths(end)]
        query = "SELECT path, first_chunk FROM documents WHERE chunk_count > 0 AND path IN"
        rows = (row for batch in batches(found) for row in connection.execute(f"{query} ({marks(len(batch))})", batch))
        return [(path, chunk) for path, chunk in rows]

    def _paths(self, end: str) -> Iterator[str]:
        wanted = f"{end}\0".encode("utf-8", "surrogatepass").lower()
        at = self._lower.find(wanted, 1) if end else -1
        while at >= 0:
            if self._lower[at - 1] in b"/\0":
                start = self._text.rfind(b"\0", 0, at) + 1
                yield self._text[start : at + len(wanted) - 1].decode()
            at = self._lower.find(wanted, at + 1)


def defining(connection: sqlite3.Connection, names: Iterable[str], k: int) -> list[int]:
    """Return up to ``k`` chunks that define any of ``names``; those that define most of them first."""
    wanted = {storable(name) for name in {name.lower() for name in names}}
    counts: dict[int, int] = {}
    for batch in batches(sorted({bucket_of(name) for name in wanted})):
        rows = connection.execute(f"SELECT bucket, name, chunk FROM names WHERE bucket IN ({marks(len(batch))})", batch)
        sums = dict.fromkeys(batch, 0)
        for bucket, name, chunk in rows:
            sums[bucket] += name_sum(name, chunk)
            if name in wanted:
                counts[chunk] = counts.get(chunk, 0) + 1
        _check_buckets(connection, sums)
    return sorted(counts, key=lambda chunk: (-counts[chunk], chunk))[: max(k, 0)]


def check_names(connection: sqlite3.Connection) -> None:
    """Read every name that a chunk defines.

    Raises:
        DamagedRowError: a name is missing, or does not match its checksum.
    """
    sums = dict.fromkeys((bucket for (bucket,) in connection.execute("SELECT bucket FROM name_sums")), 0)
    for bucket, name, chunk in connection.execute("SELECT bucket, name, chunk FROM names"):
        require(bucket == bucket_of(name), "a name")
        sums[bucket] = sums.get(bucket, 0) + name_sum(name, chunk)
    for batch in batches(list(sums)):
        _check_buckets(connection, {bucket: sums[bucket] for bucket in batch})


def check_vectors(connection: sqlite3.Connection, dimensions: int) -> None:
    """Read every vector, including those without a chunk.

    Raises:
        DamagedRowError: a vector does not match its checksum.
    """
    rows = connection.execute("SELECT id, checksum, data FROM vectors")
    while batch := rows.fetchmany(_BATCH):
        numbers, sums, data = zip(*batch, strict=True)
        require({len(row) for row in data} == {dimensions}, "a vector")
        matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(batch), dimensions)
        require(bool((vector_sums(np.array(numbers, dtype=np.int64), matrix) == np.array(sums)).all()), "a vector")


def _check_buckets(connection: sqlite3.Connection, sums: dict[int, int]) -> None:
    """Check the sums of some buckets of names."""
    rows = connection.execute(f"SELECT bucket, sum FROM name_sums WHERE bucket IN ({marks(len(sums))})", list(sums))
    expected = dict.fromkeys(sums, 0) | dict(rows)
    require(all(one & WRAP == expected[bucket] for bucket, one in sums.items()), "a name")


def known_vectors(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    """Return the stored rows of the known keys."""
    vectors: dict[bytes, bytes] = {}
    for batch in batches(list(dict.fromkeys(keys))):
        rows = connection.execute(
            f"SELECT key, data, id, checksum FROM vectors WHERE key IN ({marks(len(batch))})", batch
        ).fetchall()
        for key, data, number, checksum in rows:
            [own] = vector_sums(np.array([number]), np.frombuffer(data, dtype=np.int8)[None])
            require(own == checksum, "a vector")
            vectors[key] = data
    return vectors


def stats(connection: sqlite3.Connection, store_bytes: int) -> StoreStats:
    """Return the store's sizes; ``store_bytes`` is the size of its folder in bytes."""
    totals = connection.execute("SELECT count(*), total(chunk_count), total(size) FROM documents").fetchone()
    return StoreStats(
        documents=totals[0],
        chunks=int(totals[1]),
        bytes=int(totals[2]),
        store_bytes=store_bytes,
        languages=_counts(connection, "language"),
        chunkers=_counts(connection, "chunker"),
        notes=_counts(connection, "note"),
    )


def _counts(connection: sqlite3.Connection, column: str) -> dict[str, int]:
    rows = connection.execute(
        f"SELECT {column}, count(*) FROM documents WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1"
    )
    return {from_storable(value): count for value, count in rows}


def generation(connection: sqlite3.Connection) -> int:
    """Return the number of committed transactions."""
    return int(connection.execute("SELECT generation FROM state").fetchone()[0])


def all_metadata(connection: sqlite3.Connection) -> dict[str, str]:
    """Return every stored string by key."""
    return {key: from_storable(value) for key, value in connection.execute("SELECT key, value FROM metadata")}


def metadata(connection: sqlite3.Connection, key: str) -> str | None:
    """Return the string stored under a key; None if there is none."""
    # One statement, so that all values are of one state.
    value, checksum, lacking = connection.execute(
        "SELECT m.value, m.checksum, s.remembered - (SELECT coalesce(sum(checksum), 0) FROM metadata) "
        "FROM state s LEFT JOIN metadata m ON m.key = ?",
        (key,),
    ).fetchone()
    require(not lacking & WRAP, "what it remembers")
    if value is None:
        return None
    require(text_sum((key,), value) == checksum, f"{key!r}")
    text: str = from_storable(value)
    return text
