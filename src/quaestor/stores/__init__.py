"""Stores of an index, and the protocol that each implements.

A store holds documents, their chunks, and the chunks' vectors and terms. It does not know how text is split into
terms, how results are fused or ranked, or whether files have changed; higher layers do.
Begin with ``Store`` below, then ``embedded``, which needs no server; ``postgres`` is for teams.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from operator import add
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np

from quaestor.core.documents import Chunk, Document
from quaestor.core.light_imports import NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ScoredChunks(Sequence["tuple[int, float]"]):
    """Identifiers of chunks with their scores, best first; equal to any sequence of the same pairs.

    A search gets some nine hundred of them and reads most only through the arrays.

    Attributes:
        ids: the chunks' identifiers, without duplicates; shape ``(n,)``.
        scores: their scores; shape ``(n,)``.
    """

    __slots__ = ("ids", "scores")

    def __init__(self, ids: NDArray[np.int64], scores: NDArray[np.floating]) -> None:
        self.ids = ids
        self.scores = scores

    @classmethod
    def of(cls, pairs: Sequence[tuple[int, float]]) -> ScoredChunks:
        """Make an instance from pairs, best first."""
        ids, scores = zip(*pairs, strict=True) if pairs else ((), ())
        return cls(np.array(ids, dtype=np.int64), np.array(scores, dtype=np.float64))

    def best(self, count: int) -> list[int]:
        """Return the first ``count`` chunks."""
        ids: list[int] = self.ids[:count].tolist()
        return ids

    def of_chunks(self, chunks: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the scores of some chunks, 0 for chunks that are not contained."""
        if not len(self.ids):
            return np.zeros(len(chunks), dtype=np.float32)
        order = self.ids.argsort()
        places = order.take(self.ids.searchsorted(chunks, sorter=order), mode="clip")
        return np.where(self.ids[places] == chunks, self.scores[places], 0).astype(np.float32)

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        return zip(self.ids.tolist(), self.scores.tolist(), strict=True)

    @overload
    def __getitem__(self, place: int) -> tuple[int, float]: ...

    @overload
    def __getitem__(self, place: slice) -> ScoredChunks: ...

    def __getitem__(self, place: int | slice) -> tuple[int, float] | ScoredChunks:
        if isinstance(place, slice):
            return ScoredChunks(self.ids[place], self.scores[place])
        return int(self.ids[place]), float(self.scores[place])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as lists have none

    def __repr__(self) -> str:
        return repr(list(self))


class WordMatches(NamedTuple):
    """The chunks that match the words of a query.

    Attributes:
        chunks: the chunks with their scores, for each choice of boosts.
        frequencies: the words' frequencies, as ``Store.frequencies`` returns them.
    """

    chunks: Sequence[ScoredChunks]
    frequencies: Mapping[str, int]


class TermCounts(NamedTuple):
    """BM25's counts: the size of the whole index, and the number of chunks that contain each term of a query.

    Attributes:
        chunks: the number of chunks.
        lengths: the number of terms in each field, in the order of ``FieldBoosts``.
        frequencies: for each term, the number of chunks that hold it in each field.
    """

    chunks: int
    lengths: tuple[int, ...]
    frequencies: Mapping[str, tuple[int, ...]]

    def plus(self, other: TermCounts) -> TermCounts:
        """Return the sum of two stores' counts of the same terms."""
        return TermCounts(
            self.chunks + other.chunks,
            _sums(self.lengths, other.lengths),
            {term: _sums(counts, other.frequencies[term]) for term, counts in self.frequencies.items()},
        )


class ChunkTerms(NamedTuple):
    """The keys of one chunk's lexical terms by field, each as often as its term occurs; ``term_keys`` makes them.

    Attributes:
        body: terms of the text.
        path: terms of the document's path.
        symbol: terms of the names defined here and of the scope; headings for prose.
    """

    body: bytes
    path: bytes = b""
    symbol: bytes = b""


class KeptBytes(NamedTuple):
    """A document's bytes, against which citations are checked, as a store keeps them; see ``shared_store``.

    Attributes:
        hash: the SHA-256 hash of the bytes.
        data: the compressed bytes.
    """

    hash: bytes
    data: bytes


class PackedDocument(NamedTuple):
    """A document that ``Store.pack`` prepared for writing.

    Attributes:
        document: the document.
        chunks: its number of chunks.
        columns: the chunks' rows in the store's own format.
        kept: its bytes, for a store that keeps them; None if they are not available.
    """

    document: Document
    chunks: int
    columns: Any
    kept: KeptBytes | None = None


class Pack(Protocol):
    """Prepares a document for a store without access to the store. It can be pickled for worker processes."""

    def __call__(
        self,
        document: Document,
        chunks: Sequence[Chunk],
        vectors: NDArray[np.float32],
        terms: Sequence[ChunkTerms],
        keys: Sequence[bytes],
    ) -> PackedDocument:
        """Return a document with its chunks, ready to be written.

        ``vectors`` has shape ``(len(chunks), dimensions)`` with unit or zero rows; ``terms`` and ``keys`` have one
        entry per chunk. A key is the hash of the embedded text; vectors are kept by key, so that after a rename or a
        branch switch ``Store.known_vectors`` finds them again.

        Raises:
            ValueError: the lengths of the arguments do not match.
        """
        ...


class FieldBoosts(NamedTuple):
    """The weight of a match in each field; 0 leaves a field out."""

    body: float = 1.0
    path: float = 1.0
    symbol: float = 0.5

    def items(self) -> Iterator[tuple[str, float]]:
        """Yield each field's name with its boost."""
        yield from (("body", self.body), ("path", self.path), ("symbol", self.symbol))


DEFAULT_BOOSTS = FieldBoosts()


class StoredChunk(NamedTuple):
    """A chunk as the store returns it.

    Attributes:
        id: the chunk's identifier, stable until the document is replaced.
        document: its document.
        chunk: the chunk itself.
        position: its index among the document's chunks, from 0.
    """

    id: int
    document: Document
    chunk: Chunk
    position: int


class Where(NamedTuple):
    """A filter on documents; all given conditions apply.

    Attributes:
        paths: globs, any of which must match; empty means all. As in ignore files: ``*`` stays within
            one name, ``**`` spans folders, a glob without ``/`` matches a name in any folder (``*.py``), and
            what matches a folder matches everything below it (``src``, ``src/**``).
        languages: names, any of which must match; empty means all.
        since: the first date that matches, in ISO 8601: a day, a month or a year; ``2020`` is the year's first day.
            Documents without a date do not match.
        before: the first date that no longer matches; otherwise as ``since``.
        authors: names, any of which must match: the document's author contains all words of the name, regardless of
            case, accents and order.
        within: another filter that must match, too.
    """

    paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    since: str = ""
    before: str = ""
    authors: tuple[str, ...] = ()
    within: Where | None = None

    def parts(self) -> Iterator[Where]:
        """Yield this filter and those in ``within``, each without its own ``within``."""
        one: Where | None = self
        while one is not None:
            yield one._replace(within=None)
            one = one.within


class Bylines(NamedTuple):
    """Who wrote the documents of a store, and when.

    Attributes:
        documents: number of documents.
        dated: number of documents with a date.
        earliest: the first date; None if no document has one.
        latest: the last date; None if no document has one.
        authors: number of documents per author, as documents name them.
    """

    documents: int = 0
    dated: int = 0
    earliest: str | None = None
    latest: str | None = None
    authors: Mapping[str, int] = MappingProxyType({})


class StoreStats(NamedTuple):
    """Sizes of everything in a store.

    Attributes:
        documents: number of documents.
        chunks: number of chunks.
        bytes: sum of the documents' sizes.
        store_bytes: the store's size on disk in bytes.
        languages: number of documents per language.
        chunkers: number of documents per chunker.
        notes: number of documents per note on how they were read (fallbacks and losses).
    """

    documents: int
    chunks: int
    bytes: int
    store_bytes: int
    languages: Mapping[str, int]
    chunkers: Mapping[str, int]
    notes: Mapping[str, int]


class Writer(Protocol):
    """A transaction. Readers see nothing of it before it commits; an exception rolls all of it back."""

    def put(self, packed: PackedDocument) -> None:
        """Add a document with its chunks, or replace the document of the same path.

        Raises:
            ValueError: its vectors do not have the index's dimensions.
        """
        ...

    def touch(self, document: Document) -> None:
        """Update a document's own fields (path excepted) when its bytes, and so its chunks, are unchanged.

        Raises:
            NotFoundError: there is no document of this path.
        """
        ...

    def remove(self, path: str) -> None:
        """Drop a document with its chunks; an unknown path is not an error."""
        ...

    def set_metadata(self, key: str, value: str) -> None:
        """Store a string with the index under a key."""
        ...

    def set_embedder(self, name: str, dimensions: int) -> None:
        """Record that all vectors are now those of another embedder.

        The caller replaces every document in the same transaction. A process that has the index open for the former
        embedder gets ``EmbedderChangedError`` and must open it again.
        """
        ...


LOCK_SECONDS = 60.0
"""Seconds for which a writer waits for another one, by default."""


class Store(Protocol):
    """A stored index. Every method sees the last committed generation, completely."""

    @property
    def pack(self) -> Pack:
        """Prepares documents for ``Writer.put``."""
        ...

    def writing(self, *, timeout: float = LOCK_SECONDS) -> AbstractContextManager[Writer]:
        """Open a transaction; commits at the end of the block. One writer at a time, across processes.

        Args:
            timeout: seconds to wait for another writer.

        Raises:
            IndexBusyError: the other writer did not end in time.
            LimitError: the disk is full.
        """
        ...

    def settle(self) -> None:
        """After many writes, build what makes searches faster, such as a vector index; results stay the same."""
        ...

    def lexical(
        self, terms: Sequence[str], k: int, where: Where | None = None, boosts: FieldBoosts = DEFAULT_BOOSTS
    ) -> ScoredChunks:
        """Return up to ``k`` chunks by BM25 over body, path and symbol terms, without chunks that do not match.

        A repeated term counts once, with a little more weight. Of a long query, only the rarest terms count.
        """
        ...

    def lexical_each(
        self,
        terms: Sequence[str],
        k: int,
        each: Sequence[FieldBoosts],
        where: Where | None = None,
        among: TermCounts | None = None,
    ) -> WordMatches:
        """Return the result of ``lexical`` for each choice of boosts, faster than one call for each.

        ``among`` holds the counts of these terms over several stores including this one: scores and frequencies are
        then those that one store with all their chunks would give.
        """
        ...

    def counts(self, terms: Iterable[str]) -> TermCounts:
        """Return BM25's counts of terms, to be added to other stores' counts."""
        ...

    def holding(self, terms: Iterable[str], k: int, where: Where | None = None) -> Sequence[int]:
        """Return identifiers of up to ``k`` chunks whose text contains all of the terms, in arbitrary order.

        Terms are compared by their hashed keys, so a caller must check the text. Without terms, nothing is found.
        """
        ...

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return the number of chunks that contain each term, counted in the field with most of them."""
        ...

    def dense(self, vector: NDArray[np.float32], k: int, where: Where | None = None) -> ScoredChunks:
        """Return up to ``k`` chunks by cosine similarity to ``vector`` of shape ``(dimensions,)``.

        Chunks whose own vector is zero are absent; a query of zeros finds nothing.
        """
        ...

    def defining(self, names: Iterable[str], k: int, where: Where | None = None) -> Sequence[int]:
        """Return identifiers of up to ``k`` chunks that define any of ``names``, case-insensitively.

        Those that define most of them come first.
        """
        ...

    def get(self, ids: Iterable[int]) -> Mapping[int, StoredChunk]:
        """Return the chunks that exist, by identifier."""
        ...

    def paths_of(self, ids: Iterable[int]) -> Collection[str]:
        """Return the paths of these chunks' documents, without duplicates."""
        ...

    def paths_ending(self, end: str, k: int, where: Where | None = None) -> Sequence[str]:
        """Return up to ``k`` paths of documents that equal ``end`` or end with a slash and ``end``, shortest first.

        ASCII letters are compared regardless of case.
        """
        ...

    def chunks_of(self, path: str) -> Sequence[StoredChunk]:
        """Return a document's chunks in order; empty if it is not in the store."""
        ...

    def documents(self) -> Mapping[str, Document]:
        """Return every document by path."""
        ...

    def document(self, path: str) -> Document | None:
        """Return the document of a path; None if there is none."""
        ...

    def bylines(self, where: Where | None = None) -> Bylines:
        """Return the authors and dates of the documents that match a filter."""
        ...

    def known_vectors(self, keys: Sequence[bytes]) -> Mapping[bytes, NDArray[np.float32]]:
        """Return the stored vectors of these keys, without unknown keys."""
        ...

    def packed_documents(self, paths: Sequence[str]) -> Sequence[PackedDocument]:
        """Yield the given documents that exist, in the form that ``pack`` returns, for another store."""
        ...

    def all_metadata(self) -> Mapping[str, str]:
        """Return every stored string by key."""
        ...

    def stats(self) -> StoreStats:
        """Return the store's sizes."""
        ...

    def generation(self) -> int:
        """Return the number of committed transactions that changed anything."""
        ...

    def metadata(self, key: str) -> str | None:
        """Return the string stored under a key; None if there is none."""
        ...

    @property
    def repaired(self) -> Collection[str]:
        """The parts that were found damaged since the store was opened and were rebuilt from the rest."""
        ...

    def close(self) -> None:
        """Release files; further use is an error."""
        ...


def _sums(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    return tuple(map(add, one, other))
