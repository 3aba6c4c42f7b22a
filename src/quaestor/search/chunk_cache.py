"""Chunks that were fetched lately, taken apart: a conversation over the same files does not fetch them again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from quaestor.search.chunk_traits import Traits
from quaestor.stores import Store, StoredChunk, Where

_MOST_RECENT = 1 << 14
"""Two hundred different queries use some ten thousand chunks, each of 2 to 3 kB."""

_MOST_DOCUMENTS = 256
_MOST_POINTED = 1 << 10

Fits: TypeAlias = "Sequence[tuple[float, str]]"
"""Documents by how well they fit, best first."""


class ChunkCache:
    """Remembers fetched chunks for as long as the store stays at one generation, which ``follow`` is told.

    Those in use stay: when there are ``_MOST_RECENT`` recent ones, the ones that were recent before are forgotten.
    """

    def __init__(self) -> None:
        self._generation = -1
        self._recent: dict[int, Traits] = {}
        self._earlier: dict[int, Traits] = {}
        self._documents: dict[str, Sequence[StoredChunk]] = {}
        self._pointed: dict[tuple[str, Where | None], Fits] = {}

    def get(self, store: Store, ids: Collection[int]) -> list[Traits]:
        """Return the chunks that exist, in the order of ``ids``, taken apart; only unknown ones are asked for."""
        recent = self._recent
        missing = [identifier for identifier in ids if identifier not in recent]
        if missing:
            earlier = self._earlier
            recent.update((identifier, earlier[identifier]) for identifier in missing if identifier in earlier)
            unknown = [identifier for identifier in missing if identifier not in recent]
            recent.update((identifier, Traits(stored)) for identifier, stored in store.get(unknown).items())
        return [recent[identifier] for identifier in ids if identifier in recent]

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

    def follow(self, generation: int) -> None:
        """Forget what is outdated, and what was not in use lately where that is too much."""
        if generation != self._generation:
            self._recent, self._earlier, self._documents, self._pointed = {}, {}, {}, {}
            self._generation = generation
        if len(self._recent) > _MOST_RECENT:
            self._recent, self._earlier = {}, self._recent
        if len(self._documents) > _MOST_DOCUMENTS or len(self._pointed) > _MOST_POINTED:
            self._documents, self._pointed = {}, {}
