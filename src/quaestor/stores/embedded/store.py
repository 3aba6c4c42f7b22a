"""The embedded store: opens an index, and runs its transactions and queries."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from quaestor.core.config import make_private
from quaestor.core.documents import Document
from quaestor.core.errors import IndexUnusableError
from quaestor.stores import (
    LOCK_SECONDS,
    Bylines,
    Pack,
    PackedDocument,
    ScoredChunks,
    StoredChunk,
    StoreStats,
    Where,
)
from quaestor.stores.embedded import THRESHOLDS, Thresholds, derive, lexical, matrix, packing, schema, sqlite_rows
from quaestor.stores.embedded.current_views import CurrentViews, TruthReader
from quaestor.stores.embedded.derived_files import discard
from quaestor.stores.embedded.lock import WriteLock
from quaestor.stores.embedded.schema import upgrade
from quaestor.stores.embedded.sqlite_failures import translate_failures
from quaestor.stores.embedded.vectors import restore
from quaestor.stores.embedded.views import LexicalQueries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quaestor.stores.embedded.filtering import AllowedDocuments
    from quaestor.stores.embedded.transaction import Transaction
    from quaestor.stores.embedded.views import LexicalView

_Read = TypeVar("_Read")

_MOST_DEFINITIONS = 10_000


class EmbeddedStore(LexicalQueries):
    """An index in one folder; see ``quaestor.stores.Store``.

    Threads may share it. Several processes may have it open, of which one at a time writes.
    """

    def __init__(self, folder: Path, embedder: str, dimensions: int, reader: TruthReader, sizes: Thresholds) -> None:
        """Not for callers; use ``open``."""
        self._sizes = sizes
        self._folder = folder
        self._embedder = embedder
        self._dimensions = dimensions
        self._reader = reader
        self._lock = WriteLock(folder)
        self._path_ends: tuple[int, sqlite_rows.PathEnds | None] = (-1, None)
        self._views = CurrentViews(folder, reader, self._lock, embedder, dimensions, sizes)

    @classmethod
    def open(
        cls, folder: Path, *, embedder: str, dimensions: int, create: bool, sizes: Thresholds = THRESHOLDS
    ) -> EmbeddedStore:
        """Open the index in ``folder``; create it first if it is missing and ``create`` is set.

        Args:
            folder: the index's folder.
            embedder: the name of the index's embedder.
            dimensions: the length of its vectors.
            create: whether to create the index if it is missing.
            sizes: thresholds at which the store changes its strategy.

        Raises:
            IndexUnusableError: the index is missing or damaged, or has another schema version or embedder.
            LimitError: the disk is full.
        """
        missing = IndexUnusableError(f"There is no index in {str(folder)!r}: run `quaestor index`.")
        if not create and not (folder / schema.FILE).exists():
            raise missing
        with translate_failures(folder):
            if create:
                make_private(folder)
            reader, fixed = schema.connect_reading(folder)
            try:
                if schema.is_blank(reader):
                    if not create:
                        raise missing
                    _create(reader, folder, embedder, dimensions)
                upgrade(reader)
                schema.check(reader, folder, embedder, dimensions)
            except BaseException:
                reader.close()
                raise
        return cls(folder, embedder, dimensions, TruthReader(folder, reader, fixed=fixed), sizes)

    @staticmethod
    def recorded_embedder(folder: Path) -> tuple[str, int] | None:
        """Return the name and dimensions of the embedder of the index in ``folder``.

        Return None if there is no readable index; opening it raises the reason.
        """
        if not (folder / schema.FILE).exists():
            return None
        with suppress(sqlite3.Error, OSError), closing(schema.connect_reading(folder)[0]) as connection:
            return schema.recorded_embedder(connection)
        return None

    @property
    def pack(self) -> Pack:
        """Prepares documents for ``Writer.put``."""
        return packing.pack

    @staticmethod
    def erase(folder: Path) -> None:
        """Delete the index in ``folder``, and nothing else there; a missing index is not an error.

        Derived files are deleted first, so that an interruption leaves a complete index or none. The lock file stays,
        because another process may be waiting for it.
        """
        if not folder.is_dir():
            return
        with translate_failures(folder), WriteLock(folder).hold(LOCK_SECONDS):
            for path in (folder / lexical.FOLDER, *folder.glob(f"{matrix.PREFIX}*")):
                with suppress(OSError):  # a file that another process has mapped cannot be deleted everywhere
                    discard(path)
            database = (schema.FILE, f"{schema.FILE}-wal", f"{schema.FILE}-shm")
            for name in (matrix.STATE, f"{matrix.STATE}.new", *database):
                discard(folder / name)

    @contextmanager
    def writing(self, *, timeout: float = LOCK_SECONDS) -> Iterator[Transaction]:
        """Open a transaction, which commits at the end of the block, or rolls back if the block raises an error.

        A block that changes nothing does not begin a new generation.

        Raises:
            EmbedderChangedError: the index was given another embedder since it was opened.
            IndexBusyError: another writer was busy for ``timeout`` seconds.
            LimitError: the disk is full; nothing was written.
        """
        from quaestor.stores.embedded.transaction import Transaction  # noqa: PLC0415 - most commands write nothing

        with (
            translate_failures(self._folder),
            self._lock.hold(timeout),
            closing(schema.connect(self._folder, writing=True)) as connection,
        ):
            connection.execute("BEGIN IMMEDIATE")
            try:
                schema.check_embedder(connection, self._folder, self._embedder)
                transaction = Transaction(connection, self._sizes)
                yield transaction
                if not transaction.finish():
                    connection.execute("ROLLBACK")
                    return
                derivation = derive.prepare(
                    connection,
                    self._folder,
                    transaction.dimensions,
                    self._sizes,
                    trim=True,
                    whole=bool(self._views.damaged),
                    on_damage=self._views.damaged.add,
                )
                try:
                    connection.execute("COMMIT")
                except BaseException:
                    derivation.abandon()
                    raise
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            # The database is committed: files that cannot be published now are brought up to date later.
            derivation.publish()
            schema.shorten_journal(connection, self._folder)
            self._reader.follow_writer()

    def settle(self) -> None:
        """Do nothing, because writers and searches build everything that is needed."""

    def _of_lexical(
        self, read: Callable[[LexicalView, AllowedDocuments | None], _Read], where: Where | None = None
    ) -> _Read:
        return self._views.of_lexical(read, where)

    def dense(self, vector: NDArray[np.float32], k: int, where: Where | None = None) -> ScoredChunks:
        """Return up to ``k`` chunks by cosine similarity; chunks whose vector is zero are absent.

        Raises:
            EmbedderChangedError: the index was given another embedder since it was opened.
            ValueError: ``vector`` does not have the index's dimensions.
        """
        if vector.shape != (self._dimensions,):
            raise ValueError(f"a query vector of shape {vector.shape} in an index of {self._dimensions} dimensions")
        return self._views.nearest(vector, k, where)

    def defining(self, names: Iterable[str], k: int, where: Where | None = None) -> Sequence[int]:
        """Return up to ``k`` chunks that define any of ``names``, case-insensitively; most names first."""
        with self._reader.state() as connection:
            allowed = self._reader.allowed_documents(connection, where)
            if allowed is None:
                return sqlite_rows.defining(connection, names, k)
            # A name has few definitions, so all of them are filtered.
            return allowed.only(sqlite_rows.defining(connection, names, _MOST_DEFINITIONS))[: max(k, 0)]

    def get(self, ids: Iterable[int]) -> Mapping[int, StoredChunk]:
        """Return the chunks that exist, by identifier."""
        with self._reader.state() as connection:
            return sqlite_rows.chunks(connection, ids)

    def paths_of(self, ids: Iterable[int]) -> Collection[str]:
        """Return the paths of these chunks' documents, without duplicates."""
        with self._reader.state() as connection:
            return sqlite_rows.paths_of(connection, ids)

    def paths_ending(self, end: str, k: int, where: Where | None = None) -> Sequence[str]:
        """Return up to ``k`` paths that equal ``end`` or end with a slash and it, in any case; shortest first."""
        with self._reader.state() as connection:
            rows = self._paths_ending(connection, end)
            allowed = self._reader.allowed_documents(connection, where)
            let_through = None if allowed is None else set(allowed.only([chunk for _, chunk in rows]))
        paths = [path for path, chunk in rows if let_through is None or chunk in let_through]
        return sorted(paths, key=lambda path: (len(path), path))[: max(k, 0)]

    def _paths_ending(self, connection: sqlite3.Connection, end: str) -> list[tuple[str, int]]:
        """Return the paths with an end, each with its first chunk; all paths are read for the second question."""
        generation, path_ends = self._path_ends
        present = sqlite_rows.generation(connection)
        if generation != present:
            self._path_ends = (present, None)
            return sqlite_rows.paths_ending(connection, end)
        if path_ends is None:
            path_ends = sqlite_rows.PathEnds(connection)
            self._path_ends = (present, path_ends)
        return path_ends.find(connection, end)

    def chunks_of(self, path: str) -> Sequence[StoredChunk]:
        """Return a document's chunks in order; empty if it is not in the store."""
        with self._reader.state() as connection:
            return sqlite_rows.chunks_of(connection, path)

    def documents(self) -> Mapping[str, Document]:
        """Return every document by path."""
        with self._reader.state() as connection:
            return sqlite_rows.documents(connection)

    def document(self, path: str) -> Document | None:
        """Return the document of a path; None if there is none."""
        with self._reader.state() as connection:
            return sqlite_rows.document(connection, path)

    def bylines(self, where: Where | None = None) -> Bylines:
        """Return the authors and dates of the documents that match a filter."""
        from quaestor.stores.embedded.filtering import bylines  # noqa: PLC0415 - no search needs it

        with self._reader.state() as connection:
            return bylines(connection, where)

    def known_vectors(self, keys: Sequence[bytes]) -> Mapping[bytes, NDArray[np.float32]]:
        """Return the stored vectors of these keys with int8 precision, without unknown keys."""
        with self._reader.state() as connection:
            vectors = sqlite_rows.known_vectors(connection, keys)
        return {key: restore(data) for key, data in vectors.items()}

    def packed_documents(self, paths: Sequence[str]) -> Sequence[PackedDocument]:
        """Yield the given documents that exist, in the form that ``pack`` returns."""
        with self._reader.state() as connection:
            return list(packing.packed_documents(connection, paths, self._dimensions))

    def all_metadata(self) -> Mapping[str, str]:
        """Return every stored string by key."""
        return self._reader.ask(sqlite_rows.all_metadata)

    def stats(self) -> StoreStats:
        """Return the store's sizes."""
        with self._reader.state() as connection:
            return sqlite_rows.stats(connection, self._store_bytes())

    def generation(self) -> int:
        """Return the number of committed transactions."""
        return self._reader.ask(sqlite_rows.generation)

    def metadata(self, key: str) -> str | None:
        """Return the string stored under a key; None if there is none."""
        return self._reader.ask(lambda connection: sqlite_rows.metadata(connection, key))

    def close(self) -> None:
        """Release files; further use is an error."""
        self._views.forget()
        self._reader.close()

    @property
    def repaired(self) -> Collection[str]:
        """The derived files that were found damaged since the index was opened; they are rebuilt."""
        return frozenset(self._views.damaged)

    def _store_bytes(self) -> int:
        total = 0
        for path in self._folder.rglob("*"):
            # Another process may add and remove files meanwhile.
            with suppress(OSError):
                total += path.stat().st_size if path.is_file() else 0
        return total


def _create(connection: sqlite3.Connection, folder: Path, embedder: str, dimensions: int) -> None:
    """Create the tables, unless another process has done so."""
    with WriteLock(folder).hold(LOCK_SECONDS):
        if schema.is_blank(connection):
            schema.create(connection, embedder, dimensions)
