"""Chunks that were fetched lately, so that a conversation over the same files does not fetch them again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

from quaestor.stores import Store, StoredChunk, Where

_MOST = 1 << 14
_MOST_DOCUMENTS = 256
_MOST_POINTED = 1 << 10

Fits: TypeAlias = "Sequence[tuple[float, str]]"
"""Documents by how well they fit, best first."""


class ChunkCache:
    """Remembers fetched chunks for as long as the store stays at one generation; ``follow`` asks it for that."""

    def __init__(self) -> None:
        self._generation = -1
        self._chunks: dict[int, StoredChunk] = {}
        self._documents: dict[str, Sequence[StoredChunk]] = {}
        self._pointed: dict[tuple[str, Where | None], Fits] = {}

    def get(self, store: Store, ids: Collection[int]) -> Mapping[int, StoredChunk]:
        """Return the chunks that exist, as ``Store.get`` does; only unknown ones are asked for."""
        known = self._chunks
        missing = [identifier for identifier in ids if identifier not in known]
        if missing:
            known.update(store.get(missing))
        return {identifier: known[identifier] for identifier in ids if identifier in known}

    def of_document(self, store: Store, path: str) -> Sequence[StoredChunk]:
        """Return a document's chunks in order, as ``Store.chunks_of`` does."""
        if path not in self._documents:
            self._documents[path] = store.chunks_of(path)
        return self._documents[path]

    def pointed(self, path: str, where: Where | None, find: Callable[[str, Where | None], Fits]) -> Fits:
        """Return the documents that a path points at, as ``find`` tells: traces name the same files again and again."""
        known = self._pointed
        if (path, where) not in known:
            known[path, where] = find(path, where)
        return known[path, where]

    def follow(self, store: Store) -> None:
        """Forget what is outdated: once a search, for that takes as long as all the rest here."""
        generation = store.generation()
        full = len(self._chunks) > _MOST or len(self._documents) > _MOST_DOCUMENTS or len(self._pointed) > _MOST_POINTED
        if full or generation != self._generation:
            self._chunks, self._documents, self._pointed = {}, {}, {}
            self._generation = generation
