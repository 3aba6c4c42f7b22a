"""Holding an index: the protocol that every store follows.

A store keeps documents, their chunks, the chunks' vectors and their terms. It does not know how text is split
into terms, how results are fused or ranked, or whether files have changed; all of that lies above it.
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


class Scored(Sequence["tuple[int, float]"]):
    """Identifiers of chunks with scores, best first; equal to any sequence of the same pairs.

    A search asks for some nine hundred of them and reads most only through the arrays.

    Attributes:
        ids: the chunks, none twice; shape ``(n,)``.
        scores: theirs; shape ``(n,)``.
    """

    __slots__ = ("ids", "scores")

    def __init__(self, ids: NDArray[np.int64], scores: NDArray[np.floating]) -> None:
        self.ids = ids
        self.scores = scores

    @classmethod
    def of(cls, pairs: Sequence[tuple[int, float]]) -> Scored:
        """Return some pairs, best first."""
        ids, scores = zip(*pairs, strict=True) if pairs else ((), ())
        return cls(np.array(ids, dtype=np.int64), np.array(scores, dtype=np.float64))

    def best(self, count: int) -> list[int]:
        """Return the first ``count`` chunks."""
        found: list[int] = self.ids[:count].tolist()
        return found

    def of_chunks(self, chunks: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the scores of some chunks, 0 for those that are not here."""
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
    def __getitem__(self, place: slice) -> Scored: ...

    def __getitem__(self, place: int | slice) -> tuple[int, float] | Scored:
        if isinstance(place, slice):
            return Scored(self.ids[place], self.scores[place])
        return int(self.ids[place]), float(self.scores[place])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as lists have none

    def __repr__(self) -> str:
        return repr(list(self))


class Matched(NamedTuple):
    """The chunks that the words of a query find.

    Attributes:
        found: the chunks, for each choice of boosts.
        frequencies: the words' frequencies, as ``Store.frequencies`` returns them.
    """

    found: Sequence[Scored]
    frequencies: Mapping[str, int]


class Counts(NamedTuple):
    """BM25's counts: the size of the whole index, and the number of chunks that contain each term of a query.

    Attributes:
        chunks: number of chunks.
        lengths: the number of terms in each field, in the order of ``FieldBoosts``.
        frequencies: of each term, the number of chunks that hold it in each field.
    """

    chunks: int
    lengths: tuple[int, ...]
    frequencies: Mapping[str, tuple[int, ...]]

    def plus(self, other: Counts) -> Counts:
        """Return the sum of two stores' counts of the same terms."""
        return Counts(
            self.chunks + other.chunks,
            _sums(self.lengths, other.lengths),
            {term: _sums(counts, other.frequencies[term]) for term, counts in self.frequencies.items()},
        )


class ChunkTerms(NamedTuple):
    """The keys of one chunk's lexical terms, by field, each as often as its term occurs; as ``term_keys`` gives them.

    Attributes:
        body: terms of the text.
        path: terms of the document's path.
        symbol: terms of the names defined here and of the scope; headings for prose.
    """

    body: bytes
    path: bytes = b""
    symbol: bytes = b""


class Kept(NamedTuple):
    """The bytes that a document's citations quote, as a store keeps them; see ``shared_store``.

    Attributes:
        hash: SHA-256 of the bytes.
        data: the bytes, compressed.
    """

    hash: bytes
    data: bytes


class Packed(NamedTuple):
    """A document that ``Store.pack`` made ready to be written.

    Attributes:
        document: the document.
        chunks: how many it has.
        columns: their rows, in the store's own form.
        kept: its bytes, for a store that keeps them; None if they are not at hand.
    """

    document: Document
    chunks: int
    columns: Any
    kept: Kept | None = None


class Pack(Protocol):
    """Prepares a document for a store: all work that needs no store. It can be pickled for other processes."""

    def __call__(
        self,
        document: Document,
        chunks: Sequence[Chunk],
        vectors: NDArray[np.float32],
        terms: Sequence[ChunkTerms],
        keys: Sequence[bytes],
    ) -> Packed:
        """Return a document with its chunks, ready to be written.

        ``vectors`` has shape ``(len(chunks), dimensions)`` with unit or zero rows; ``terms`` and ``keys``
        have one entry a chunk. A key is the hash of the text that was embedded; vectors are kept by key, so
        that a rename or a branch switch finds them again through ``Store.known_vectors``.

        Raises:
            ValueError: the arguments' lengths do not fit each other.
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
        id: stable while the document is not replaced.
        document: the document that it is a part of.
        chunk: the chunk itself.
        position: its place among the document's chunks, from 0.
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
        languages: any of which must match; empty means all.
        since: the first date that matches, in ISO 8601: a day, a month or a year; ``2020`` is the year's first day.
            Documents without a date do not match.
        before: the first date that no longer matches; otherwise as ``since``.
        authors: names, any of which must be an author's: all words of it stand in the document's author, without
            regard to case, accents and order.
        within: another filter that must hold as well.
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
        dated: of those that have a date.
        earliest: the first date, or None.
        latest: the last date.
        authors: documents per author, as documents name them.
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
        store_bytes: what the store takes on disk.
        languages: documents per language.
        chunkers: documents per chunker.
        notes: documents per note (fallbacks and lossy readings).
    """

    documents: int
    chunks: int
    bytes: int
    store_bytes: int
    languages: Mapping[str, int]
    chunkers: Mapping[str, int]
    notes: Mapping[str, int]


class Writer(Protocol):
    """One transaction. Nothing is visible to readers before it ends; an exception undoes all of it."""

    def put(self, packed: Packed) -> None:
        """Put a document with its chunks in place of any earlier version of the same path.

        Raises:
            ValueError: its vectors have other dimensions than the index.
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
        """Remember a string with the index."""
        ...

    def set_embedder(self, name: str, dimensions: int) -> None:
        """Record that all vectors are now another embedder's.

        The caller replaces every document in the same transaction. A process that has the index open for the former
        embedder gets ``EmbedderChangedError`` and opens it again.
        """
        ...


LOCK_SECONDS = 60.0
"""How long a writer waits for another one, by default."""


class Store(Protocol):
    """An index at rest. Every method sees the last committed generation, whole."""

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
        """Build what makes searches faster, such as an index of vectors, after many writes; results stay the same."""
        ...

    def lexical(
        self, terms: Sequence[str], k: int, where: Where | None = None, boosts: FieldBoosts = DEFAULT_BOOSTS
    ) -> Scored:
        """Return up to ``k`` chunks by BM25 over body, path and symbol terms; chunks without a match are
        absent.

        A repeated term counts once, with a little more weight. Of a long query, the rarest terms count.
        """
        ...

    def lexical_each(
        self,
        terms: Sequence[str],
        k: int,
        each: Sequence[FieldBoosts],
        where: Where | None = None,
        among: Counts | None = None,
    ) -> Matched:
        """Return the result of ``lexical`` for each choice of boosts, faster than one call after the other.

        ``among`` holds the counts of these terms over several stores, this one included: scores and frequencies are
        then those of one store with all their chunks.
        """
        ...

    def counts(self, terms: Iterable[str]) -> Counts:
        """Return BM25's counts of terms, to be added to other stores' counts."""
        ...

    def holding(self, terms: Iterable[str], k: int, where: Where | None = None) -> Sequence[int]:
        """Return identifiers of up to ``k`` chunks whose text contains all of the terms, in arbitrary order.

        Terms are compared by their keys, so a caller must check the text. No terms find nothing.
        """
        ...

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return the number of chunks that contain each term, counted in the field with most of them."""
        ...

    def dense(self, vector: NDArray[np.float32], k: int, where: Where | None = None) -> Scored:
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
        """Return the paths of the documents that these chunks belong to, each once."""
        ...

    def paths_ending(self, end: str, k: int, where: Where | None = None) -> Sequence[str]:
        """Return up to ``k`` paths of documents that are ``end`` or end with a slash and it, the shortest first.

        Letters of ASCII compare whatever their case is.
        """
        ...

    def chunks_of(self, path: str) -> Sequence[StoredChunk]:
        """Return a document's chunks in order; empty if it is not in the store."""
        ...

    def documents(self) -> Mapping[str, Document]:
        """Return every document by path."""
        ...

    def document(self, path: str) -> Document | None:
        """Return one document."""
        ...

    def bylines(self, where: Where | None = None) -> Bylines:
        """Return who wrote the documents that a filter lets through, and when."""
        ...

    def known_vectors(self, keys: Sequence[bytes]) -> Mapping[bytes, NDArray[np.float32]]:
        """Return the vectors that are kept for these keys; unknown keys are absent."""
        ...

    def packed_documents(self, paths: Sequence[str]) -> Sequence[Packed]:
        """Yield the given documents that exist, as ``pack`` made them, for storing them in another store."""
        ...

    def all_metadata(self) -> Mapping[str, str]:
        """Return every remembered string."""
        ...

    def stats(self) -> StoreStats:
        """Return sizes."""
        ...

    def generation(self) -> int:
        """Return the number of committed transactions that changed anything."""
        ...

    def metadata(self, key: str) -> str | None:
        """Return a remembered string."""
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
