"""A view of a store without some of its documents, so that one index serves questions about many parts of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quaestor.core.documents import Document
from quaestor.stores import (
    DEFAULT_BOOSTS,
    FieldBoosts,
    ScoredChunks,
    Store,
    StoredChunk,
    TermCounts,
    Where,
    WordMatches,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COUNTED = 64
"""Chunks up to which those that hold a term are counted one by one; of more, none of the hidden ones is the last."""


class Without:
    """A store that hides documents from every search.

    What is hidden still counts in the mean lengths and, of common terms, in their rarity: a few files among hundreds.

    Args:
        store: all of it.
        paths: the documents that are hidden.
    """

    def __init__(self, store: Store, paths: Collection[str]) -> None:
        self._store = store
        self._paths = frozenset(paths)
        self._hidden = np.array(sorted(one.id for path in paths for one in store.chunks_of(path)), dtype=np.int64)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def _left(self, found: ScoredChunks, k: int) -> ScoredChunks:
        keep = ~np.isin(found.ids, self._hidden)
        return ScoredChunks(found.ids[keep][:k], found.scores[keep][:k])

    def _only(self, found: Sequence[int], k: int) -> list[int]:
        hidden = set(self._hidden.tolist())
        return [one for one in found if one not in hidden][:k]

    def lexical(
        self, terms: Sequence[str], k: int, where: Where | None = None, boosts: FieldBoosts = DEFAULT_BOOSTS
    ) -> ScoredChunks:
        """Return the best of what is not hidden."""
        return self._left(self._store.lexical(terms, k + len(self._hidden), where, boosts), k)

    def lexical_each(
        self,
        terms: Sequence[str],
        k: int,
        each: Sequence[FieldBoosts],
        where: Where | None = None,
        among: TermCounts | None = None,
    ) -> WordMatches:
        """Return the best of what is not hidden, and how many such chunks hold each term."""
        found = self._store.lexical_each(terms, k + len(self._hidden), each, where, among).chunks
        return WordMatches([self._left(one, k) for one in found], self.frequencies(terms))

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return in how many chunks that are not hidden each term stands."""
        counts = self._store.frequencies(terms)
        return {term: self._count(term) if 0 < count <= _COUNTED else count for term, count in counts.items()}

    def _count(self, term: str) -> int:
        return len(self.lexical([term], 4 * _COUNTED))

    def holding(self, terms: Iterable[str], k: int, where: Where | None = None) -> Sequence[int]:
        """Return the chunks that hold all of the terms and are not hidden."""
        return self._only(self._store.holding(terms, k + len(self._hidden), where), k)

    def dense(self, vector: NDArray[np.float32], k: int, where: Where | None = None) -> ScoredChunks:
        """Return the most alike of what is not hidden."""
        return self._left(self._store.dense(vector, k + len(self._hidden), where), k)

    def defining(self, names: Iterable[str], k: int, where: Where | None = None) -> Sequence[int]:
        """Return the chunks that define any of some names and are not hidden."""
        return self._only(self._store.defining(names, k + len(self._hidden), where), k)

    def chunks_of(self, path: str) -> Sequence[StoredChunk]:
        """Return a document's chunks; none of a hidden one."""
        return () if path in self._paths else self._store.chunks_of(path)

    def document(self, path: str) -> Document | None:
        """Return a document that is not hidden."""
        return None if path in self._paths else self._store.document(path)

    def documents(self) -> Mapping[str, Document]:
        """Return the documents that are not hidden."""
        return {path: one for path, one in self._store.documents().items() if path not in self._paths}
