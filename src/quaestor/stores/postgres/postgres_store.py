"""The PostgreSQL store: opens a corpus, and runs its transactions and queries."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from quaestor.core.documents import Document
from quaestor.core.errors import EmbedderChangedError, IndexBusyError, IndexUnusableError
from quaestor.stores import (
    LOCK_SECONDS,
    Bylines,
    KeptBytes,
    Pack,
    PackedDocument,
    ScoredChunks,
    StoredChunk,
    StoreStats,
    Where,
)
from quaestor.stores.embedded.checksums import DamagedError
from quaestor.stores.embedded.packing import pack
from quaestor.stores.embedded.sqlite_rows import Content
from quaestor.stores.embedded.vectors import restore, unit
from quaestor.stores.embedded.views import LexicalQueries, LexicalView
from quaestor.stores.postgres import THRESHOLDS, Thresholds, nearest, stored_rows, upkeep, word_segments
from quaestor.stores.postgres.connection import WRITE_SECONDS, Connection, Database, number_of
from quaestor.stores.postgres.corpus_states import (
    State,
    check_embedder,
    erase_corpus,
    find_corpus,
    first_state,
    make_corpus,
    read_state,
    state,
    state_query,
)
from quaestor.stores.postgres.corpus_writer import Transaction
from quaestor.stores.postgres.document_filter import allowed_documents, bylines
from quaestor.stores.postgres.leased_work import LeasedWork
from quaestor.stores.postgres.migrations import migrate, reached_step
from quaestor.stores.postgres.stored_rows import from_half_vector
from quaestor.stores.postgres.word_segments import CorpusWords
from quaestor.stores.shared_store import restore_bytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from quaestor.stores.embedded.filtering import AllowedDocuments

_REMEMBERED_FILTERS = 16
_MOST_DEFINITIONS = 10_000

_Read = TypeVar("_Read")


def _find(database: Database, name: str) -> int | None:
    """Return the number of the corpus of this name; None if there is none."""
    return _read_anywhere(database, lambda connection: find_corpus(connection, name))


def _read_anywhere(database: Database, look: Callable[[Connection], _Read | None]) -> _Read | None:
    """Return the result from a standby, or from the primary if the standby may lag."""
    result = database.read(lambda connection: look(connection) if reached_step(connection) else None)
    return database.read(look, primary=True) if result is None and database.address.standbys else result


class _LagsError(Exception):
    """A standby has not yet reached the state that this store has seen."""


class PostgresStore(LexicalQueries):
    """One corpus of a database; see ``quaestor.stores.Store``.

    Threads may share it, and any number of processes on any number of machines may have it open; one at a time writes a
    corpus. Reads go to a standby if the address names one, unless it lags behind what this store has seen.
    """

    def __init__(
        self, database: Database, name: str, corpus: int, opened: State, cache: Path | None, sizes: Thresholds
    ) -> None:
        """Not for callers; use ``open``."""
        self._database = database
        self._name = name
        self._corpus = corpus
        self._embedder, self._dimensions = opened.embedder, opened.dimensions
        self._sizes = sizes
        self._newest_seen = opened.generation
        self._mutex = threading.RLock()
        self._words = CorpusWords(corpus, cache)
        self._indexed: Content | None = None  # the state of the chunks in which the index of vectors was found
        self._filters: dict[Where, AllowedDocuments] = {}
        self._filters_of = -1
        self._documents: tuple[int, Mapping[str, Document]] = (-1, {})
        self._unkept: tuple[int, Sequence[str]] = (-1, ())
        self._damaged: set[str] = set()

    @classmethod
    def open(
        cls,
        database: Database,
        name: str,
        *,
        embedder: str,
        dimensions: int,
        create: bool,
        cache: Path | None = None,
        sizes: Thresholds = THRESHOLDS,
    ) -> PostgresStore:
        """Open a corpus; create it first if it is missing and ``create`` is set.

        Args:
            database: the database that holds the corpus; it is closed with the store.
            name: the name of the corpus.
            embedder: the name of the corpus's embedder.
            dimensions: the length of its vectors.
            create: whether to create the corpus, and the tables, if they are missing.
            cache: a folder for segments of this database's corpora, shared by processes; None keeps them in memory.
            sizes: thresholds at which the store changes its strategy.

        Raises:
            IndexUnusableError: it is missing, made by a newer version, or made with another embedder.
        """
        migrate(database)
        corpus = _find(database, name)
        if corpus is None:
            if not create:
                raise IndexUnusableError(
                    f"There is no corpus {name!r} in the store {str(database.address)!r}: run `quaestor index`."
                )
            corpus = database.write(
                lambda connection: make_corpus(connection, name, embedder, dimensions), repeatable=True
            )
        number = corpus
        current = _read_anywhere(database, lambda connection: first_state(connection, number))
        assert current is not None
        if (current.embedder, current.dimensions) != (embedder, dimensions):
            raise IndexUnusableError(
                f"The corpus {name!r} in the store {str(database.address)!r} was made with the embedder "
                f"{current.embedder!r} ({current.dimensions} dimensions), not {embedder!r} ({dimensions}): "
                "run `quaestor index --rebuild`."
            )
        return cls(database, name, number, current, cache, sizes)

    @staticmethod
    def recorded_embedder(database: Database, name: str) -> tuple[str, int] | None:
        """Return the name and dimensions of a corpus's embedder; None if the corpus is missing."""
        migrate(database)
        corpus = _find(database, name)
        if corpus is None:
            return None
        current = _read_anywhere(database, lambda connection: first_state(connection, corpus))
        return None if current is None else current[:2]

    @staticmethod
    def erase(database: Database, name: str) -> None:
        """Delete a corpus, if it exists."""
        migrate(database)

        def erase(connection: Connection) -> int | None:
            corpus = find_corpus(connection, name)
            if corpus is not None:
                erase_corpus(connection, corpus)
            return corpus

        corpus = database.write(erase)
        if corpus is not None:
            upkeep.drop_indexes(database, corpus)

    @property
    def pack(self) -> Pack:
        """Prepares documents for ``Writer.put``, in the embedded store's format, so that each can read the other's."""
        return pack

    @contextmanager
    def writing(self, *, timeout: float = LOCK_SECONDS) -> Iterator[Transaction]:
        """Open a transaction, which commits at the end of the block, or rolls back if the block raises an error.

        A block that changes nothing does not begin a new generation.

        Raises:
            EmbedderChangedError: the corpus was given another embedder since it was opened.
            IndexBusyError: another writer was busy for ``timeout`` seconds.
            IndexReadOnlyError: the database is a standby or read-only.
            LimitError: the server's disk is full; nothing was written.
        """
        ended: State | None = None
        number: str | None = None
        try:
            with self._database.writing(lock_seconds=timeout) as connection:
                current = state(connection, self._corpus, lock=True)
                check_embedder(current, self._embedder, self._name)
                transaction = Transaction(connection, self._corpus, current, self._sizes)
                yield transaction
                ended = transaction.finish()
                if ended is None and not transaction.must_commit:
                    connection.execute("ROLLBACK")
                elif ended is not None:
                    if ended.content == ended.generation:
                        word_segments.catch_up(connection, self._corpus, ended.next_chunk - 1, self._sizes)
                    number = number_of(connection)
        except IndexUnusableError:
            # A connection that is lost while it commits does not tell whether it did: the database does.
            if ended is None or not self._was_committed(ended, number):
                raise
        if ended is not None:
            self._newest_seen = max(self._newest_seen, ended.generation)

    def sharing(self) -> AbstractContextManager[LeasedWork]:
        """Join the processes that fill the corpus; at the end of the block all leases of this process end."""
        return LeasedWork.join(self._database, self._corpus)

    def settle(self) -> None:
        """Build the index of vectors once the corpus is too large to compare all of them.

        Tables that have grown much are analysed, too; autovacuum would take a minute or more.
        """

        if any(self._needs_settling()):
            with upkeep.one_at_a_time(self._database):
                lacks_index, is_unknown = self._needs_settling()
                if lacks_index:
                    nearest.make_index(self._database, self._corpus, self._dimensions)
                if is_unknown:
                    upkeep.analyse_tables(self._database, self._corpus)

    def _needs_settling(self) -> tuple[bool, bool]:
        """Return whether the corpus lacks its index of vectors, and whether the planner knows too few rows."""

        def look(connection: Connection) -> tuple[bool, bool]:
            query = "SELECT count(*) FROM quaestor.chunks WHERE corpus_id = %s"
            [(count,)] = connection.execute(query, (self._corpus,))
            wanted = count > self._sizes.exact and self._dimensions <= nearest.MOST_DIMENSIONS
            has = nearest.has_index(connection, self._corpus, self._dimensions)
            return wanted and not has, not upkeep.is_known(connection, self._corpus)

        return self._database.read(look, seconds=WRITE_SECONDS, primary=True)

    def bytes_of(self, path: str) -> bytes | None:
        """Return the bytes that a document's citations quote; see ``quaestor.stores.shared_store.SharingStore``."""
        stored = self._read(lambda connection, _: stored_rows.kept_bytes(connection, self._corpus, path))
        return None if stored is None else restore_bytes(stored, path)

    def unkept_paths(self) -> Collection[str]:
        """Return the paths of documents whose bytes are not stored; they are read once for each generation."""
        if self._unkept[0] != self.generation():
            self._unkept = self._read(
                lambda connection, now: (now.generation, stored_rows.unkept_paths(connection, self._corpus))
            )
        return self._unkept[1]

    def add_bytes(self, bytes_by_document: Mapping[Document, KeptBytes]) -> None:
        """Store the bytes of documents that lack them; see ``quaestor.stores.shared_store.SharingStore``."""
        with self.writing() as writer:
            writer.add_bytes(bytes_by_document)

    def check(self) -> list[str]:
        """Return the corpus's problems as text."""
        return self._database.read(
            lambda connection: list(upkeep.find_wrong(connection, self._corpus)), seconds=WRITE_SECONDS, primary=True
        )

    def vacuum(self) -> None:
        """Drop unused rows, rebuild worn segments and indexes, and free space."""

        def clean_up(connection: Connection) -> State:
            return upkeep.clean_corpus(connection, self._corpus, self._sizes)

        self._database.write(clean_up)
        upkeep.drop_indexes(self._database, self._corpus, besides=nearest.index_name(self._corpus, self._dimensions))
        with upkeep.one_at_a_time(self._database):
            nearest.renew_index(self._database, self._corpus, self._dimensions)
        self.settle()
        upkeep.vacuum_tables(self._database)
        self._words.forget()

    def dense(self, vector: NDArray[np.float32], k: int, where: Where | None = None) -> ScoredChunks:
        """Return up to ``k`` chunks by cosine similarity; chunks whose vector is zero are absent.

        Raises:
            EmbedderChangedError: the corpus was given another embedder since it was opened.
            ValueError: ``vector`` does not have the index's dimensions.
        """
        if vector.shape != (self._dimensions,):
            raise ValueError(f"a query vector of shape {vector.shape} in an index of {self._dimensions} dimensions")
        query = unit(vector)
        if query is None or k <= 0:
            return ScoredChunks.of(())

        def search(connection: Connection, now: State) -> ScoredChunks:
            check_embedder(now, self._embedder, self._name)
            allowed = self._allowed(connection, now, where)
            indexed = self._has_index(connection, now)
            if allowed is not None and (not indexed or int(allowed.chunk_counts.sum()) <= self._sizes.exact):
                return nearest.compare_some(connection, self._corpus, query, k, allowed)
            if not indexed:
                return nearest.compare_all(connection, self._corpus, query, k, now.loose_vectors)
            return nearest.ask_index(connection, self._corpus, query, k, allowed)

        return self._read(search)

    def defining(self, names: Iterable[str], k: int, where: Where | None = None) -> Sequence[int]:
        """Return up to ``k`` chunks that define any of ``names``, case-insensitively; most names first."""
        wanted = list(names)

        def search(connection: Connection, now: State) -> Sequence[int]:
            allowed = self._allowed(connection, now, where)
            if allowed is None:
                return stored_rows.defining(connection, self._corpus, wanted, k)
            # A name is defined in a few places: all of them are looked at.
            chunks = stored_rows.defining(connection, self._corpus, wanted, _MOST_DEFINITIONS)
            return allowed.only(chunks)[: max(k, 0)]

        return self._read(search)

    def get(self, ids: Iterable[int]) -> Mapping[int, StoredChunk]:
        """Return the chunks that exist, by identifier."""
        wanted = list(ids)
        return self._read(lambda connection, _: stored_rows.chunks(connection, self._corpus, wanted)) if wanted else {}

    def paths_of(self, ids: Iterable[int]) -> Collection[str]:
        """Return the paths of these chunks' documents, without duplicates."""
        wanted = list(ids)
        return (
            self._read(lambda connection, _: stored_rows.paths_of(connection, self._corpus, wanted)) if wanted else ()
        )

    def paths_ending(self, end: str, k: int, where: Where | None = None) -> Sequence[str]:
        """Return up to ``k`` paths that equal ``end`` or end with a slash and it, in any case; shortest first."""

        def search(connection: Connection, now: State) -> list[str]:
            paths = stored_rows.paths_ending(connection, self._corpus, end)
            allowed = self._allowed(connection, now, where)
            let_through = None if allowed is None else set(allowed.only([chunk for _, chunk in paths]))
            return [path for path, chunk in paths if let_through is None or chunk in let_through]

        return sorted(self._read(search), key=lambda path: (len(path), path))[: max(k, 0)]

    def chunks_of(self, path: str) -> Sequence[StoredChunk]:
        """Return a document's chunks in order; empty if it is not in the store."""
        return self._read(lambda connection, _: stored_rows.chunks_of(connection, self._corpus, path))

    def documents(self) -> Mapping[str, Document]:
        """Return every document by path; they are read once for each generation."""

        def read(connection: Connection, now: State) -> tuple[int, Mapping[str, Document]]:
            known = self._documents
            if known[0] == now.generation:
                return known
            return now.generation, MappingProxyType(stored_rows.documents(connection, self._corpus))

        self._documents = self._read(read)
        return self._documents[1]

    def document(self, path: str) -> Document | None:
        """Return the document of a path; None if there is none."""
        return self._read(lambda connection, _: stored_rows.document(connection, self._corpus, path))

    def bylines(self, where: Where | None = None) -> Bylines:
        """Return the authors and dates of the documents that match a filter."""
        return self._read(lambda connection, _: bylines(connection, self._corpus, where))

    def known_vectors(self, keys: Sequence[bytes]) -> Mapping[bytes, NDArray[np.float32]]:
        """Return the stored vectors of these keys with int8 precision, without unknown keys."""
        query = (
            "SELECT key, embedding FROM quaestor.vectors WHERE corpus_id = %s AND key = ANY(%s) "
            "AND (embedding IS NULL OR vector_dims(embedding) = %s)"
        )
        wanted = list(dict.fromkeys(keys))

        def read(connection: Connection, _: State) -> Mapping[bytes, bytes]:
            rows = connection.cursor(binary=True).execute(query, (self._corpus, wanted, self._dimensions)).fetchall()
            return {key: from_half_vector(data, self._dimensions) for key, data in rows}

        return {key: restore(row) for key, row in self._read(read).items()}

    def packed_documents(self, paths: Sequence[str]) -> Sequence[PackedDocument]:
        """Yield the given documents that exist, in the form that ``pack`` returns."""

        def read(connection: Connection, _: State) -> list[PackedDocument]:
            return list(stored_rows.packed_documents(connection, self._corpus, paths, self._dimensions))

        return self._read(read)

    def all_metadata(self) -> Mapping[str, str]:
        """Return every stored string by key."""
        return self._read(lambda connection, _: stored_rows.all_metadata(connection, self._corpus))

    def stats(self) -> StoreStats:
        """Return the corpus's sizes."""
        return self._read(lambda connection, _: stored_rows.stats(connection, self._corpus))

    def generation(self) -> int:
        """Return the number of committed transactions."""
        return self._present_state().generation

    def metadata(self, key: str) -> str | None:
        """Return the string stored under a key; None if there is none."""
        return self._read(lambda connection, _: stored_rows.metadata(connection, self._corpus, key))

    @property
    def repaired(self) -> Collection[str]:
        """The segments on this machine that were damaged and fetched again."""
        return frozenset(self._damaged)

    def close(self) -> None:
        """Close the connections; further use is an error."""
        self._words.close()
        self._database.close()

    def _read(self, work: Callable[[Connection, State], _Read]) -> _Read:
        """Return what ``work`` reads of one state of the corpus, at least as new as the last one seen."""

        def read_checked(connection: Connection, state_row: Sequence[Any] | None) -> tuple[_Read, int]:
            now = read_state(state_row)
            if now.generation < self._newest_seen and self._database.address.standbys:
                raise _LagsError
            return work(connection, now), now.generation

        try:
            result, generation = self._database.read_after(state_query(self._corpus), read_checked)
        except (_LagsError, IndexUnusableError) as error:
            # What a standby has not taken in yet may be missing altogether.
            if not self._database.address.standbys or isinstance(error, IndexBusyError | EmbedderChangedError):
                raise
            self._newest_seen = 0  # after a promotion, the primary itself may be behind what was seen
            result, generation = self._database.read_after(state_query(self._corpus), read_checked, primary=True)
        self._newest_seen = max(self._newest_seen, generation)
        return result

    def _present_state(self) -> State:
        """Return the state of the corpus, at least as new as the last one seen."""
        if self._database.address.standbys:
            return self._read(lambda _, now: now)
        return read_state(self._database.look(state_query(self._corpus)))

    def _was_committed(self, ended: State, number: str | None) -> bool:
        """Return whether a transaction was committed, also if another writer has come since."""
        now = self._database.read(lambda connection: state(connection, self._corpus), primary=True)
        # Its stamp tells it in Citus, too, where the number is the coordinator's and may be missing.
        return now.written == ended.written or self._database.was_committed(number)

    def _allowed(self, connection: Connection, now: State, where: Where | None) -> AllowedDocuments | None:
        """Return the documents that match a filter; None without a filter. The last few results are cached."""
        if where is None or where == Where():
            return None
        with self._mutex:
            if self._filters_of != now.generation or len(self._filters) >= _REMEMBERED_FILTERS:
                self._filters, self._filters_of = {}, now.generation
            known = self._filters.get(where)
        if known is None:
            known = allowed_documents(connection, self._corpus, where)
            with self._mutex:
                if self._filters_of == now.generation:
                    self._filters[where] = known
        return known

    def _has_index(self, connection: Connection, now: State) -> bool:
        """Return whether the corpus has its index of vectors; a missing one is looked for again after each commit."""
        if now.next_chunk - 1 <= self._sizes.exact:
            return False  # it was never needed
        content = _content(now)
        has = self._indexed == content or nearest.has_index(connection, self._corpus, self._dimensions)
        if has:
            self._indexed = content
        return has

    def _of_lexical(
        self, read: Callable[[LexicalView, AllowedDocuments | None], _Read], where: Where | None = None
    ) -> _Read:
        """Return the result of a lexical query of the present state; fetch damaged segments again and retry."""
        try:
            return read(*self._lexical_now(where))
        except DamagedError:
            self._damaged.add("lexical")
            self._words.forget(damaged=True)
            return read(*self._lexical_now(where))

    def _lexical_now(self, where: Where | None) -> tuple[LexicalView, AllowedDocuments | None]:
        """Return the lexical view of the present state and the documents that match a filter."""
        known = self._words.cached_view(_content(self._present_state())) if where is None else None
        if known is not None:
            return known, None

        def read(connection: Connection, now: State) -> tuple[LexicalView, AllowedDocuments | None]:
            return self._words.view(connection, _content(now)), self._allowed(connection, now, where)

        return self._read(read)


def _content(now: State) -> Content:
    """Return the state of the chunks."""
    return Content(now.content, now.stamp)
