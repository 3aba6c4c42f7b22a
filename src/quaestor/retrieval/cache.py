"""Chunks that were fetched lately, so that a conversation over the same files does not fetch them again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from quaestor.stores import Store, StoredChunk

_MOST = 8192


class ChunkCache:
    """Remembers fetched chunks for as long as the store stays at one generation."""

    def __init__(self) -> None:
        self._generation = -1
        self._chunks: dict[int, StoredChunk] = {}

    def get(self, store: Store, ids: Iterable[int]) -> Mapping[int, StoredChunk]:
        """Return the chunks that exist, as ``Store.get`` does; only unknown ones are asked for."""
        generation = store.generation()
        if generation != self._generation or len(self._chunks) > _MOST:
            self._chunks = {}
            self._generation = generation
        wanted = list(ids)
        known = self._chunks
        missing = [identifier for identifier in wanted if identifier not in known]
        if missing:
            known.update(store.get(missing))
        return {identifier: known[identifier] for identifier in wanted if identifier in known}
