"""Writes the database in one transaction, in batches of documents."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from operator import itemgetter
from typing import Any

import numpy as np

from quaestor.core.documents import Document
from quaestor.core.errors import NotFoundError
from quaestor.core.light_imports import NamedTuple
from quaestor.stores import PackedDocument
from quaestor.stores.embedded import THRESHOLDS, Thresholds
from quaestor.stores.embedded.checksums import WRAP, bucket_of, data_sum, link_sum, name_sum, text_sum, vector_sums
from quaestor.stores.embedded.packing import Columns
from quaestor.stores.embedded.schema import check_state, seal_state
from quaestor.stores.embedded.sqlite_rows import batches, document_row, marks, places, storable

_Name = tuple[str | bytes, int]

LOOSE_SHARE = 0.5
"""Vectors without a chunk are kept up to this share of all vectors, for switching back to a branch."""


class _Place(NamedTuple):
    """Where the present rows of a document are."""

    id: int
    first_chunk: int
    chunk_count: int


class Transaction:
    """The writer of one transaction; see ``quaestor.stores.Writer``.

    Documents are gathered and written some thousand chunks at a time, in the order of the calls.

    Attributes:
        dimensions: the length of the vectors.
    """

    def __init__(self, connection: sqlite3.Connection, sizes: Thresholds = THRESHOLDS) -> None:
        self._connection = connection
        self._sizes = sizes
        self._pending: dict[str, PackedDocument | None] = {}
        self._pending_chunks = 0
        self._changed = False
        self._content_changed = False
        check_state(connection)
        row = connection.execute(
            "SELECT dimensions, generation, next_document, next_chunk, next_vector, loose_vectors, documents, chunks, "
            "remembered FROM state"
        ).fetchone()
        self.dimensions, self._generation = int(row[0]), int(row[1]) + 1
        self._next_document, self._next_chunk, self._next_vector, self._loose = map(int, row[2:6])
        self._documents, self._chunks, self._remembered = map(int, row[6:])
        self._name_sums: dict[int, int] = {}

    def put(self, packed: PackedDocument) -> None:
        """Add a document with its chunks, or replace the document of the same path.

        Raises:
            ValueError: its vectors do not have the index's dimensions.
        """
        shape = (packed.chunks, packed.columns.dimensions)
        if shape[1] != self.dimensions:
            raise ValueError(
                f"{packed.document.path!r}: vectors of shape {shape} in an index of {self.dimensions} dimensions"
            )
        self._put(packed.document.path, packed)

    def touch(self, document: Document) -> None:
        """Update a document's own fields while its chunks stay unchanged.

        Raises:
            NotFoundError: there is no document of this path.
        """
        self._flush()
        place = self._places([document.path]).get(document.path)
        if place is None:
            raise NotFoundError(f"{document.path!r} is not in the index: replace it instead of touching it.")
        self._put_documents([(place.id, *_fields(document), place.first_chunk, place.chunk_count)])
        self._changed = True

    def remove(self, path: str) -> None:
        """Drop a document with its chunks; an unknown path is not an error."""
        self._put(path, None)

    def set_metadata(self, key: str, value: str) -> None:
        """Store a string with the index under a key."""
        stored = storable(value)
        before = self._connection.execute("SELECT checksum FROM metadata WHERE key = ?", (key,)).fetchone()
        checksum = text_sum((key,), stored)
        self._connection.execute("INSERT OR REPLACE INTO metadata VALUES (?, ?, ?)", (key, checksum, stored))
        self._remembered += checksum - (before[0] if before else 0)
        self._changed = True

    def set_embedder(self, name: str, dimensions: int) -> None:
        """Record that all vectors are now those of another embedder; the caller replaces every document."""
        self._flush()
        self._connection.execute("UPDATE state SET embedder = ?, dimensions = ?", (name, dimensions))
        self.dimensions = dimensions
        # Also for an empty index, so that a process that has it open notices this before it writes.
        self._changed = self._content_changed = True

    def finish(self) -> bool:
        """Write pending rows and the new state, without committing; return whether anything changed."""
        self._flush()
        if not (self._changed or self._content_changed):
            return False
        if self._content_changed:
            self._connection.execute("INSERT INTO contents VALUES (?, ?)", (self._generation, os.urandom(8).hex()))
            self._connection.execute("UPDATE state SET content = ?", (self._generation,))
            self._collect()
        self._connection.executemany(
            "INSERT INTO name_sums VALUES (?, ?) "
            f"ON CONFLICT (bucket) DO UPDATE SET sum = (sum + excluded.sum) & {WRAP}",
            [(bucket, one & WRAP) for bucket, one in sorted(self._name_sums.items())],
        )
        self._connection.execute(
            "UPDATE state SET generation = ?, next_document = ?, next_chunk = ?, next_vector = ?, loose_vectors = ?, "
            "documents = ?, chunks = ?, remembered = ?",
            (
                *(self._generation, self._next_document, self._next_chunk, self._next_vector, self._loose),
                *(self._documents, self._chunks, self._remembered & WRAP),
            ),
        )
        seal_state(self._connection)
        return True

    def _put(self, path: str, version: PackedDocument | None) -> None:
        self._pending.pop(path, None)
        self._pending[path] = version
        self._pending_chunks += version.chunks if version else 1
        if self._pending_chunks >= self._sizes.written:
            self._flush()

    def _flush(self) -> None:
        if not self._pending:
            return
        pending, self._pending, self._pending_chunks = self._pending, {}, 0
        known = self._places(list(pending))
        self._drop([place for place in known.values() if place.chunk_count])
        gone = [known[path].id for path, version in pending.items() if version is None and path in known]
        self._connection.executemany("DELETE FROM documents WHERE id = ?", ((place,) for place in gone))
        self._documents -= len(gone)
        versions = [version for version in pending.values() if version is not None]
        self._add(versions, known)
        if gone:
            self._changed = True

    def _places(self, paths: Sequence[str]) -> dict[str, _Place]:
        by_key = {storable(path): path for path in paths}
        rows = places(self._connection, list(by_key))
        return {by_key[row[1]]: _Place(row[0], *row[-3:-1]) for row in rows}

    def _drop(self, places: Sequence[_Place]) -> None:
        """Delete the chunks at ``places``, and record that in the change log."""
        if not places:
            return
        self._content_changed = True
        execute, many = self._connection.execute, self._connection.executemany
        ranges = [(place.first_chunk, place.first_chunk + place.chunk_count - 1) for place in places]
        for bounds in ranges:
            rows = execute("SELECT id, defines FROM chunks WHERE id BETWEEN ? AND ? AND defines IS NOT NULL", bounds)
            defining = ((chunk, json.loads(defines)) for chunk, defines in rows)
            names = list(dict.fromkeys(_lower_names(defining)))  # Option and option of a chunk were added once
            many("DELETE FROM names WHERE bucket = ? AND name = ? AND chunk = ?", map(_in_bucket, names))
            self._count_names(names, -1)
        many("DELETE FROM chunks WHERE id BETWEEN ? AND ?", ranges)
        many("DELETE FROM terms WHERE first_chunk BETWEEN ? AND ?", ranges)
        many(
            "INSERT INTO removed VALUES (?, ?, ?, ?, ?)",
            (
                (self._generation, *run[1:], run[0], link_sum(*run, self._generation))
                for run in ((place.id, place.first_chunk, place.chunk_count) for place in places)
            ),
        )
        gone = sum(place.chunk_count for place in places)
        self._loose += gone
        self._chunks -= gone

    def _count_names(self, names: Iterable[_Name], sign: int) -> None:
        for name, chunk in names:
            bucket = bucket_of(name)
            self._name_sums[bucket] = self._name_sums.get(bucket, 0) + sign * name_sum(name, chunk)

    def _add(self, versions: Sequence[PackedDocument], known: dict[str, _Place]) -> None:
        if not versions:
            return
        self._changed = True
        vectors = self._vectors([version.columns for version in versions])
        documents: list[tuple[Any, ...]] = []
        chunks: list[tuple[Any, ...]] = []
        terms: list[tuple[Any, ...]] = []
        names: list[_Name] = []
        for version in versions:
            place = known.get(version.document.path)
            document = place.id if place else self._new_document()
            first, columns = self._next_chunk, version.columns
            self._next_chunk += version.chunks
            documents.append((document, *_fields(version.document), first, version.chunks))
            chunks.extend(
                (chunk, document, vectors[key], *own, link_sum(chunk, document, vectors[key], own[-1]))
                for chunk, key, own in zip(count(first), columns.keys, columns.chunks, strict=False)
            )
            terms.extend(
                (first + at, document, data, data_sum(data, document, first + at)) for at, data in columns.terms
            )
            names.extend((name, first + at) for name, at in columns.names)
        many = self._connection.executemany
        self._put_documents(documents)
        many(f"INSERT INTO chunks VALUES ({marks(14)})", chunks)
        many("INSERT INTO terms VALUES (?, ?, ?, ?)", terms)
        # Sorted roughly in the order of the table's index, which makes inserting faster.
        many("INSERT INTO names VALUES (?, ?, ?)", sorted(map(_in_bucket, names), key=itemgetter(0, 2)))
        self._count_names(names, 1)
        self._chunks += len(chunks)
        if chunks:
            self._content_changed = True

    def _put_documents(self, rows: Iterable[Sequence[Any]]) -> None:
        statement = f"INSERT OR REPLACE INTO documents VALUES ({marks(16)})"
        self._connection.executemany(statement, map(document_row, rows))

    def _new_document(self) -> int:
        self._documents += 1
        self._next_document += 1
        return self._next_document - 1

    def _vectors(self, every: Iterable[Columns]) -> dict[bytes, int]:
        """Store the vectors of new keys; return the identifiers of all keys."""
        rows = {key: row for columns in every for key, row in zip(columns.keys, columns.rows(), strict=True)}
        ids: dict[bytes, int] = {}
        for batch in batches(list(rows)):
            cursor = self._connection.execute(f"SELECT key, id FROM vectors WHERE key IN ({marks(len(batch))})", batch)
            ids.update(cursor.fetchall())
        fresh = [key for key in rows if key not in ids]
        data = [rows[key] for key in fresh]
        numbers = np.arange(self._next_vector, self._next_vector + len(fresh))
        matrix = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(fresh), self.dimensions)
        self._connection.executemany(
            "INSERT INTO vectors VALUES (?, ?, ?, ?)",
            zip(numbers.tolist(), fresh, data, vector_sums(numbers, matrix).tolist(), strict=True),
        )
        ids.update(zip(fresh, numbers.tolist(), strict=True))
        self._next_vector += len(fresh)
        return ids

    def _collect(self) -> None:
        """Delete the vectors that no chunk uses, if there may be too many."""
        if self._loose <= self._sizes.loose:
            return
        (count,) = self._connection.execute("SELECT count(*) FROM vectors").fetchone()
        if self._loose <= LOOSE_SHARE * count:
            return
        self._connection.execute("DELETE FROM vectors WHERE id NOT IN (SELECT vector FROM chunks)")
        self._loose = 0


def _fields(document: Document) -> tuple[Any, ...]:
    texts = (document.title, document.url, document.author, document.date)
    return (
        storable(document.path),
        document.sha256,
        document.size,
        document.stamp,
        document.language,
        document.encoding,
        *(None if text is None else storable(text) for text in texts),
        document.chunker,
        None if document.note is None else storable(document.note),
    )


def _in_bucket(name: _Name) -> tuple[int, str | bytes, int]:
    return bucket_of(name[0]), *name


def _lower_names(rows: Iterable[tuple[int, Iterable[str]]]) -> Iterator[_Name]:
    for chunk, names in rows:
        for name in names:
            yield storable(name.lower()), chunk
