"""From a query to ranked hits.

Knows stores and embedders only by their protocols, and nothing of files: freshness is looked after above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from quaestor.embedding import Embedder
from quaestor.passages import Hit
from quaestor.retrieval.fusion import convex
from quaestor.retrieval.query import Query, read_query
from quaestor.stores import Scored, Store, StoredChunk, Where

Mode = Literal["ranked", "fusion", "lexical", "dense"]

_CANDIDATES = 100
_DEFINITIONS = 20
_LEXICAL_WEIGHT = 0.5
_DENSE_WEIGHT = 0.5
_DEFINITION_WEIGHT = 0.5
# Each further chunk of a file counts this much of the one before, so that no file floods the list.
_DECAY = 0.6


@dataclass(frozen=True, slots=True)
class Retriever:
    """Searches one store with one embedder."""

    store: Store
    embedder: Embedder

    def search(self, text: str, k: int, *, mode: Mode = "ranked", where: Where | None = None) -> list[Hit]:
        """Return up to ``k`` hits, best first; none when nothing matches."""
        query = read_query(text)
        if not query.text:
            return []
        scores = self._scores(query, max(_CANDIDATES, k), mode, where)
        stored = self.store.get(scores)
        hits = [
            _hit(stored[identifier], score) for identifier, score in scores.items() if identifier in stored
        ]
        hits.sort(key=lambda hit: (-hit.score, hit.path, hit.start_line))
        return _spread(hits)[:k] if mode == "ranked" else hits[:k]

    def _scores(self, query: Query, count: int, mode: Mode, where: Where | None) -> Mapping[int, float]:
        if mode == "lexical":
            return dict(self._lexical(query, count, where))
        if mode == "dense":
            return dict(self._dense(query, count, where))
        parts = [
            (_LEXICAL_WEIGHT, self._lexical(query, count, where)),
            (_DENSE_WEIGHT, self._dense(query, count, where)),
        ]
        if mode == "ranked" and query.names and where is None:
            defining = [(identifier, 1.0) for identifier in self.store.defining(query.names, _DEFINITIONS)]
            parts.append((_DEFINITION_WEIGHT, defining))
        return convex(parts)

    def _lexical(self, query: Query, count: int, where: Where | None) -> Scored:
        return self.store.lexical(query.terms, count, where) if query.terms else []

    def _dense(self, query: Query, count: int, where: Where | None) -> Scored:
        vector = self.embedder.encode([query.text])[0]
        return self.store.dense(vector, count, where) if vector.any() else []


def _hit(stored: StoredChunk, score: float) -> Hit:
    return Hit(stored.document, stored.chunk, score, chunk_id=stored.id)


def _spread(hits: Sequence[Hit]) -> list[Hit]:
    """Lower each further chunk of a file, so that several files are seen."""
    seen: dict[str, int] = {}
    spread: list[Hit] = []
    for hit in hits:
        earlier = seen.get(hit.path, 0)
        seen[hit.path] = earlier + 1
        score = hit.score * _DECAY**earlier
        spread.append(Hit(hit.document, hit.chunk, score, hit.fresh, hit.features, hit.chunk_id))
    return sorted(spread, key=lambda hit: -hit.score)
