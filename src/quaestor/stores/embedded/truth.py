"""Reading the truth: what SQLite holds, as values."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.core.passages import Chunk, Document, Span
from quaestor.stores import StoredChunk, StoreStats
from quaestor.stores.embedded.postings import Segment

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BATCH = 500
_DOCUMENT = "path, sha256, size, mtime_ns, language, encoding, title, url, author, date, chunker, note"
_DOCUMENT_OF_D = ", ".join(f"d.{column}" for column in _DOCUMENT.split(", "))
_CHUNK = (
    "c.id, c.id - d.first_chunk, c.start, c.end, c.start_line, c.end_line, c.text, c.symbol, c.kind, c.scope, "
    "c.defines, c.checksum"
)


class Content(NamedTuple):
    """A state of the chunks.

    Attributes:
        generation: the transaction that led to it.
        stamp: random, so that two histories that were cut apart by a crash are told apart.
    """

    generation: int
    stamp: str


class Removed(NamedTuple):
    """A run of chunks that went together: ``first_chunk`` and the ``chunk_count`` - 1 that follow."""

    document: int
    first_chunk: int
    chunk_count: int


# Text that no UTF-8 can hold (file names in another encoding) is kept as the bytes of its surrogates.
def storable(text: str) -> str | bytes:
    """Return ``text`` as SQLite can keep it."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def restored(value: Any) -> Any:
    """Return what ``storable`` was given."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def batches(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield runs of ``values`` short enough for the parameters of one statement."""
    for start in range(0, len(values), _BATCH):
        yield values[start : start + _BATCH]


def marks(count: int) -> str:
    """Return placeholders: ``?, ?, ?``."""
    return ", ".join("?" * count)


def content(connection: sqlite3.Connection) -> Content:
    """Return the state that the chunks are in."""
    row = connection.execute("SELECT c.generation, c.stamp FROM state s JOIN contents c ON c.generation = s.content")
    return Content(*row.fetchone())


def has_been(connection: sqlite3.Connection, content: Content) -> bool:
    """Tell whether the change log still reaches back to ``content``."""
    row = connection.execute("SELECT stamp FROM contents WHERE generation = ?", (content.generation,)).fetchone()
    return row is not None and row[0] == content.stamp


def removed_since(connection: sqlite3.Connection, content: Content) -> list[Removed]:
    """Return the runs of chunks that went after ``content``."""
    rows = connection.execute(
        "SELECT document, first_chunk, chunk_count FROM removed WHERE generation > ?", (content.generation,)
    )
    return [Removed(*row) for row in rows]


def last_chunk(connection: sqlite3.Connection) -> int:
    """Return the highest chunk identifier that was ever given out."""
    (following,) = connection.execute("SELECT next_chunk FROM state").fetchone()
    return int(following) - 1


def count_after(connection: sqlite3.Connection, chunk: int) -> int:
    """Return the number of chunks with identifiers above ``chunk``."""
    (count,) = connection.execute("SELECT count(*) FROM chunks WHERE id > ?", (chunk,)).fetchone()
    return int(count)


def vectors_after(
    connection: sqlite3.Connection, chunk: int, dimensions: int, batch: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int8]]]:
    """Yield (identifiers, int8 rows) of the chunks above ``chunk``, ascending, up to ``batch`` at a time."""
    rows = connection.execute(
        "SELECT c.id, v.data FROM chunks c JOIN vectors v ON v.id = c.vector WHERE c.id > ? ORDER BY c.id",
        (chunk,),
    )
    while found := rows.fetchmany(batch):
        ids = np.fromiter((row[0] for row in found), dtype=np.int64, count=len(found))
        data = np.frombuffer(b"".join(row[1] for row in found), dtype=np.int8)
        yield ids, data.reshape(len(found), dimensions)


class DocumentTerms(NamedTuple):
    """The terms of one document's chunks, or of some of very many.

    Attributes:
        document: its row identifier.
        segment: of the chunks, by their identifiers.
    """

    document: int
    segment: Segment


def terms_after(connection: sqlite3.Connection, chunk: int) -> Iterator[DocumentTerms]:
    """Yield the terms of all documents whose chunks are above ``chunk``, ascending."""
    rows = connection.execute(
        "SELECT document, first_chunk, data FROM terms WHERE first_chunk > ? ORDER BY first_chunk", (chunk,)
    )
    for document, first, data in rows:
        segment = Segment.read(zlib.decompress(data))
        yield DocumentTerms(document, segment._replace(chunks=segment.chunks + first))


def _document(row: Sequence[Any]) -> Document:
    # Hardly any row holds text that is kept as bytes, and thousands are read before a first search.
    return Document(*(map(restored, row) if bytes in map(type, row) else row))


def documents(connection: sqlite3.Connection) -> dict[str, Document]:
    """Return every document by path."""
    rows = connection.execute(f"SELECT {_DOCUMENT} FROM documents")
    found = map(_document, rows)
    return {document.path: document for document in found}


def document(connection: sqlite3.Connection, path: str) -> Document | None:
    """Return one document."""
    row = connection.execute(f"SELECT {_DOCUMENT} FROM documents WHERE path = ?", (storable(path),)).fetchone()
    return _document(row) if row else None


def _names(value: str | None) -> tuple[str, ...]:
    if not value:
        return ()
    # Without an escape, what lies between the quotes is the names: a fifth of the time, two hundred times a query.
    return tuple(json.loads(value)) if "\\" in value else tuple(value[2:-2].split('", "'))


def chunk_checksum(fields: Sequence[Any], text: str | bytes) -> int:
    """Return the checksum of a chunk's columns.

    Args:
        fields: those from ``start`` to ``defines``.
        text: what stands there, as SQLite keeps it.
    """
    return zlib.crc32(text.encode() if isinstance(text, str) else text, zlib.crc32(repr(fields).encode()))


def _stored(row: Sequence[Any], document: Document) -> StoredChunk:
    chunk, position, start, end, start_line, end_line, text, symbol, kind, scope, defines, checksum = row
    if chunk_checksum((start, end, start_line, end_line, symbol, kind, scope, defines), text) != checksum:
        raise sqlite3.DatabaseError(f"a chunk of {document.path!r} does not agree with its checksum")
    return StoredChunk(
        id=chunk,
        document=document,
        chunk=Chunk(
            span=Span(start, end, start_line, end_line),
            text=restored(text),
            symbol=restored(symbol),
            kind=kind,
            scope=_names(scope),
            defines=_names(defines),
        ),
        position=position,
    )


def chunks_of(connection: sqlite3.Connection, path: str) -> list[StoredChunk]:
    """Return a document's chunks in order."""
    found = document(connection, path)
    if found is None:
        return []
    rows = connection.execute(
        f"SELECT {_CHUNK} FROM documents d "
        "JOIN chunks c ON c.id BETWEEN d.first_chunk AND d.first_chunk + d.chunk_count - 1 "
        "WHERE d.path = ? ORDER BY c.id",
        (storable(path),),
    )
    return [_stored(row, found) for row in rows]


def chunks(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, StoredChunk]:
    """Return the chunks that exist, by identifier, in the order of ``ids``."""
    wanted = list(dict.fromkeys(int(chunk) for chunk in ids))
    found: dict[int, StoredChunk] = {}
    known: dict[str, Document] = {}
    for batch in batches(wanted):
        rows = connection.execute(
            f"SELECT {_CHUNK}, {_DOCUMENT_OF_D} FROM chunks c JOIN documents d ON d.id = c.document "
            f"WHERE c.id IN ({marks(len(batch))})",
            batch,
        )
        for row in rows:
            whole = known.get(row[12]) or known.setdefault(row[12], _document(row[12:]))
            found[row[0]] = _stored(row[:12], whole)
    return {chunk: found[chunk] for chunk in wanted if chunk in found}


def paths_of(connection: sqlite3.Connection, ids: Iterable[int]) -> set[str]:
    """Return the paths of the documents that these chunks belong to."""
    found: set[str] = set()
    for batch in batches([int(chunk) for chunk in ids]):
        rows = connection.execute(
            f"SELECT path FROM documents WHERE id IN (SELECT document FROM chunks WHERE id IN ({marks(len(batch))}))",
            batch,
        )
        found.update(restored(path) for (path,) in rows)
    return found


def paths_ending(connection: sqlite3.Connection, end: str) -> list[tuple[str, int]]:
    """Return the paths that are ``end`` or end with a slash and it, each with its first chunk; in no order."""
    wanted, count = storable(end), len(end)
    rows = connection.execute(
        "SELECT path, first_chunk FROM documents WHERE chunk_count > 0 AND "
        "substr(path, -?) = ? COLLATE NOCASE AND (length(path) = ? OR substr(path, -? - 1, 1) = '/')",
        (count, wanted, count, count),
    )
    return [(restored(path), chunk) for path, chunk in rows]


def defining(connection: sqlite3.Connection, names: Iterable[str], k: int) -> list[int]:
    """Return up to ``k`` chunks that define any of ``names``; those that define most of them first."""
    wanted = [storable(name) for name in dict.fromkeys(name.lower() for name in names)]
    counts: dict[int, int] = {}
    for batch in batches(wanted):
        rows = connection.execute(
            f"SELECT chunk, count(*) AS matched FROM names WHERE name IN ({marks(len(batch))}) "
            "GROUP BY chunk ORDER BY matched DESC, chunk LIMIT ?",
            (*batch, max(k, 0)),
        )
        for chunk, matched in rows:
            counts[chunk] = counts.get(chunk, 0) + matched
    return sorted(counts, key=lambda chunk: (-counts[chunk], chunk))[: max(k, 0)]


def known_vectors(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    """Return the stored rows of those keys that are known."""
    found: dict[bytes, bytes] = {}
    for batch in batches(list(dict.fromkeys(keys))):
        rows = connection.execute(f"SELECT key, data FROM vectors WHERE key IN ({marks(len(batch))})", batch)
        found.update(rows.fetchall())
    return found


def stats(connection: sqlite3.Connection, store_bytes: int) -> StoreStats:
    """Return sizes; ``store_bytes`` is what the folder takes."""
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
    return {restored(value): count for value, count in rows}


def generation(connection: sqlite3.Connection) -> int:
    """Return the number of committed transactions."""
    return int(connection.execute("SELECT generation FROM state").fetchone()[0])


def all_metadata(connection: sqlite3.Connection) -> dict[str, str]:
    """Return every remembered string."""
    return {key: restored(value) for key, value in connection.execute("SELECT key, value FROM metadata")}


def metadata(connection: sqlite3.Connection, key: str) -> str | None:
    """Return a remembered string."""
    row = connection.execute("SELECT value FROM metadata WHERE key = ?", (key,)).fetchone()
    return restored(row[0]) if row else None
