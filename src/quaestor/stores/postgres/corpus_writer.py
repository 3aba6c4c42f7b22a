"""Writes a corpus in one transaction, in batches of documents by ``COPY``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quaestor.core.documents import Document
from quaestor.core.errors import NotFoundError
from quaestor.core.light_imports import NamedTuple
from quaestor.stores import KeptBytes, PackedDocument
from quaestor.stores.embedded.packing import MOST_TOGETHER, Columns
from quaestor.stores.embedded.sqlite_rows import storable
from quaestor.stores.embedded.transaction import LOOSE_SHARE
from quaestor.stores.postgres import THRESHOLDS, Thresholds, stored_rows
from quaestor.stores.postgres.corpus_states import State, new_stamp, set_state
from quaestor.stores.postgres.stored_rows import escape, to_half_vectors

if TYPE_CHECKING:
    from quaestor.stores.postgres.connection import Connection

# The columns of the tables that are filled by ``COPY``, with the types in which they are sent; a ``halfvec`` is bytes.
_COPIED = {
    "documents": (
        f"corpus_id, id, path_key, {stored_rows.DOCUMENT}, first_chunk, chunk_count, content_hash",
        "int8 int8 bytea text text int8 int8 text text text text text text text text int8 int8 bytea",
    ),
    "contents": ("corpus_id, hash, data", "int8 bytea bytea"),
    "chunks": (
        f"corpus_id, id, document, vector, {stored_rows.CHUNK}",
        "int8 int8 int8 int8 int8 int8 int8 int8 text text text text text int8",
    ),
    "vectors": ("corpus_id, id, key, embedding", "int8 int8 bytea bytea"),
    "names": ("corpus_id, name, chunk", "int8 int8 int8"),
    "terms": ("corpus_id, first_chunk, document, data", "int8 int8 int8 bytea"),
}


class _Place(NamedTuple):
    """Where the present rows of a document are."""

    id: int
    first_chunk: int
    chunk_count: int
    content_hash: bytes | None


class Transaction:
    """The writer of one transaction; see ``quaestor.stores.Writer``.

    Documents are gathered and written some thousand chunks at a time, in the order of the calls.

    Args:
        connection: a connection in a transaction that has locked the corpus.
        corpus: the corpus's number.
        state: the corpus's state at the beginning of the transaction.
    """

    def __init__(self, connection: Connection, corpus: int, state: State, sizes: Thresholds = THRESHOLDS) -> None:
        self._connection = connection
        self._corpus = corpus
        self._sizes = sizes
        self._pending: dict[str, PackedDocument | None] = {}
        self._pending_chunks = 0
        self._left: set[bytes] = set()  # hashes of contents that some documents no longer have
        self._changed = False
        self._content_changed = False
        self._beside = False
        self._state = state._replace(generation=state.generation + 1, written=new_stamp())

    @property
    def dimensions(self) -> int:
        """The length of the vectors."""
        return self._state.dimensions

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
        columns = stored_rows.DOCUMENT.split(", ")[1:]
        changes = ", ".join(f"{column} = %s" for column in columns)
        done = self._connection.execute(
            f"UPDATE quaestor.documents SET {changes} WHERE corpus_id = %s AND path_key = %s".encode(),
            (*stored_rows.document_row(document)[1:], self._corpus, stored_rows.path_key(document.path)),
        )
        if not done.rowcount:
            raise NotFoundError(f"{document.path!r} is not in the index: replace it instead of touching it.")
        self._changed = True

    def remove(self, path: str) -> None:
        """Drop a document with its chunks; an unknown path is not an error."""
        self._put(path, None)

    def set_metadata(self, key: str, value: str) -> None:
        """Store a string with the index under a key."""
        self._connection.execute(
            "INSERT INTO quaestor.metadata (corpus_id, key, value) VALUES (%s, %s, %s) "
            "ON CONFLICT (corpus_id, key) DO UPDATE SET value = excluded.value",
            (self._corpus, escape(key), escape(value)),
        )
        self._changed = True

    def set_embedder(self, name: str, dimensions: int) -> None:
        """Record that all vectors are now those of another embedder; the caller replaces every document."""
        self._flush()
        self._state = self._state._replace(embedder=name, dimensions=dimensions)
        # Also for an empty index, so that a process that has it open notices this before it writes.
        self._changed = self._content_changed = True

    @property
    def must_commit(self) -> bool:
        """Whether the transaction must be committed even if ``finish`` found no change of the corpus."""
        return self._beside

    def run_beside(self, query: str, values: Mapping[str, Any]) -> list[Any]:
        """Run a statement that changes nothing that readers see, in the same transaction; return its rows."""
        self._beside = True
        return self._connection.execute(query.encode(), values).fetchall()

    def finish(self) -> State | None:
        """Write pending rows and the new state, without committing; return the state, None if nothing changed."""
        self._flush()
        if not (self._changed or self._content_changed):
            return None
        if self._content_changed:
            self._state = self._state._replace(content=self._state.generation, stamp=new_stamp())
            self._collect()
        self._drop_contents()
        set_state(self._connection, self._corpus, self._state)
        return self._state

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
        places = self._places(pending)
        self._left.update(place.content_hash for place in places.values() if place.content_hash is not None)
        self._drop([place for place in places.values() if place.chunk_count])
        self._execute(
            "DELETE FROM quaestor.documents WHERE corpus_id = %s AND id = ANY(%s)",
            [place.id for place in places.values()],
        )
        if any(version is None for path, version in pending.items() if path in places):
            self._changed = True
        self._add([version for version in pending.values() if version is not None], places)

    def _places(self, paths: Iterable[str]) -> dict[str, _Place]:
        by_key = {stored_rows.path_key(path): path for path in paths}
        rows = self._execute(
            "SELECT path_key, id, first_chunk, chunk_count, content_hash FROM quaestor.documents "
            "WHERE corpus_id = %s AND path_key = ANY(%s)",
            list(by_key),
        )
        return {by_key[key]: _Place(*place) for key, *place in rows}

    def _drop(self, places: Sequence[_Place]) -> None:
        """Delete the chunks at ``places``; record those that a segment holds in the change log."""
        if not places:
            return
        self._content_changed = True
        firsts = [place.first_chunk for place in places]
        lasts = [place.first_chunk + place.chunk_count - 1 for place in places]
        gone = self._execute(
            "DELETE FROM quaestor.chunks WHERE corpus_id = %s AND id = ANY(%s) RETURNING id, defines",
            [chunk for first, last in zip(firsts, lasts, strict=True) for chunk in range(first, last + 1)],
        )
        names = [
            (stored_rows.name_key(storable(name.lower())), chunk)
            for chunk, some in gone
            for name in json.loads(some or "[]")
        ]
        self._execute(
            "DELETE FROM quaestor.names n USING unnest(%s::bigint[], %s::bigint[]) AS gone(name, chunk) "
            "WHERE n.corpus_id = %s AND n.name = gone.name AND n.chunk = gone.chunk",
            values=([name for name, _ in names], [chunk for _, chunk in names], self._corpus),
        )
        self._execute(
            "DELETE FROM quaestor.terms WHERE corpus_id = %s AND first_chunk = ANY(%s)",
            [
                chunk
                for first, last in zip(firsts, lasts, strict=True)
                for chunk in range(first, last + 1, MOST_TOGETHER)
            ],
        )
        self._execute(
            "INSERT INTO quaestor.removed (corpus_id, first_chunk, chunk_count, document) "
            "SELECT %s, run.first, run.last - run.first + 1, run.document "
            "FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS run(first, last, document) "
            "WHERE run.first <= (SELECT max(last_chunk) FROM quaestor.segments WHERE corpus_id = %s)",
            values=(self._corpus, firsts, lasts, [place.id for place in places], self._corpus),
        )
        loose = self._state.loose_vectors + sum(place.chunk_count for place in places)
        self._state = self._state._replace(loose_vectors=loose)

    def _add(self, versions: Sequence[PackedDocument], places: dict[str, _Place]) -> None:
        if not versions:
            return
        self._changed = True
        self.keep([version.kept for version in versions if version.kept is not None])
        vectors = self._vectors([version.columns for version in versions])
        rows_by_table: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _COPIED}
        for version in versions:
            place = places.get(version.document.path)
            document = place.id if place else self._new_document()
            self._add_rows(rows_by_table, version, document, vectors)
        for table in ("documents", "chunks", "names", "terms"):
            self._copy(table, rows_by_table[table])
        if rows_by_table["chunks"]:
            self._content_changed = True

    def _add_rows(
        self,
        rows_by_table: dict[str, list[tuple[Any, ...]]],
        version: PackedDocument,
        document: int,
        vectors: dict[bytes, int],
    ) -> None:
        """Add the rows of one document to those of each table."""
        corpus, first, columns = self._corpus, self._state.next_chunk, version.columns
        self._state = self._state._replace(next_chunk=first + version.chunks)
        key = stored_rows.path_key(version.document.path)
        rows_by_table["documents"].append(
            (
                corpus,
                document,
                key,
                *stored_rows.document_row(version.document),
                first,
                version.chunks,
                None if version.kept is None else version.kept.hash,
            )
        )
        rows_by_table["chunks"].extend(
            (corpus, first + at, document, vectors[key], *stored_rows.chunk_row(own))
            for at, (key, own) in enumerate(zip(columns.keys, columns.chunks, strict=True))
        )
        rows_by_table["names"].extend((corpus, stored_rows.name_key(name), first + at) for name, at in columns.names)
        rows_by_table["terms"].extend((corpus, first + at, document, data) for at, data in columns.terms)

    def _new_document(self) -> int:
        number = self._state.next_document
        self._state = self._state._replace(next_document=number + 1)
        return number

    def _vectors(self, every: Iterable[Columns]) -> dict[bytes, int]:
        """Store the vectors of new keys; return the identifiers of all keys."""
        rows_by_key = {key: row for columns in every for key, row in zip(columns.keys, columns.rows(), strict=True)}
        query = "SELECT key, id FROM quaestor.vectors WHERE corpus_id = %s AND key = ANY(%s)"
        ids: dict[bytes, int] = dict(self._execute(query, list(rows_by_key)))
        fresh = {key: row for key, row in rows_by_key.items() if key not in ids}
        first = self._state.next_vector
        matrix = np.frombuffer(b"".join(fresh.values()), dtype=np.int8).reshape(len(fresh), self.dimensions)
        self._copy(
            "vectors",
            [
                (self._corpus, first + at, *row)
                for at, row in enumerate(zip(fresh, to_half_vectors(matrix), strict=True))
            ],
        )
        ids.update((key, first + at) for at, key in enumerate(fresh))
        self._state = self._state._replace(next_vector=first + len(fresh))
        return ids

    def keep(self, every: Iterable[KeptBytes]) -> None:
        """Store those bytes whose hashes are not stored yet."""
        data_by_hash = {kept.hash: kept.data for kept in every}
        query = "SELECT hash FROM quaestor.contents WHERE corpus_id = %s AND hash = ANY(%s)"
        known = {content_hash for (content_hash,) in self._execute(query, list(data_by_hash))}
        self._copy("contents", [(self._corpus, *one) for one in data_by_hash.items() if one[0] not in known])

    def add_bytes(self, bytes_by_document: Mapping[Document, KeptBytes]) -> None:
        """Store the bytes of documents that lack them; see ``quaestor.stores.shared_store.SharingStore``."""
        by_key = {stored_rows.path_key(document.path): (document, kept) for document, kept in bytes_by_document.items()}
        rows = self._execute(
            "SELECT path_key, sha256 FROM quaestor.documents "
            "WHERE corpus_id = %s AND path_key = ANY(%s) AND content_hash IS NULL",
            list(by_key),
        )
        lacking = [(key, by_key[key][1]) for key, sha256 in rows if by_key[key][0].sha256 == sha256]
        if not lacking:
            return
        self.keep([kept for _, kept in lacking])
        self._execute(
            "UPDATE quaestor.documents d SET content_hash = given.hash FROM unnest(%s::bytea[], %s::bytea[]) "
            "AS given(path_key, hash) WHERE d.corpus_id = %s AND d.path_key = given.path_key",
            values=([key for key, _ in lacking], [kept.hash for _, kept in lacking], self._corpus),
        )
        self._changed = True

    def _drop_contents(self) -> None:
        """Delete the former bytes of this transaction's documents that no document has now."""
        self._execute(
            "DELETE FROM quaestor.contents c WHERE c.corpus_id = %s AND c.hash = ANY(%s) AND NOT EXISTS "
            "(SELECT FROM quaestor.documents d WHERE d.corpus_id = c.corpus_id AND d.content_hash = c.hash)",
            list(self._left),
        )

    def _collect(self) -> None:
        """Delete the vectors that no chunk uses, if there may be too many."""
        if self._state.loose_vectors <= self._sizes.loose:
            return
        [(count,)] = self._execute("SELECT count(*) FROM quaestor.vectors WHERE corpus_id = %s", values=(self._corpus,))
        if self._state.loose_vectors <= LOOSE_SHARE * count:
            return
        self._execute(
            "DELETE FROM quaestor.vectors v WHERE v.corpus_id = %s AND NOT EXISTS "
            "(SELECT FROM quaestor.chunks c WHERE c.corpus_id = v.corpus_id AND c.vector = v.id)",
            values=(self._corpus,),
        )
        self._state = self._state._replace(loose_vectors=0)

    def _execute(self, query: str, among: Sequence[Any] | None = None, *, values: Sequence[Any] = ()) -> list[Any]:
        """Run a statement and return its rows, if it has any.

        Args:
            query: the statement; its parameters are the corpus and ``among``, if that is given.
            among: a list for ``ANY``; if it is empty, nothing is run.
            values: the parameters if ``among`` is not given.
        """
        if among is not None and not among:
            return []
        cursor = self._connection.execute(query.encode(), values if among is None else (self._corpus, among))
        return cursor.fetchall() if cursor.description else []

    def _copy(self, table: str, entries: Sequence[Sequence[Any]]) -> None:
        if not entries:
            return
        columns, types = _COPIED[table]
        statement = f"COPY quaestor.{table} ({columns}) FROM STDIN (FORMAT BINARY)"
        with self._connection.cursor() as cursor, cursor.copy(statement.encode()) as copy:
            copy.set_types(types.split())
            for entry in entries:
                copy.write_row(entry)
