"""From a query to ranked hits.

Knows stores and embedders only by their protocols, and nothing of files: freshness is looked after above.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from quaestor.embedding import Embedder, Vectors
from quaestor.passages import Hit
from quaestor.retrieval.features import Candidate, compute_features
from quaestor.retrieval.fusion import convex
from quaestor.retrieval.paths import profile_path
from quaestor.retrieval.query import Query, read_query
from quaestor.retrieval.ranker import Ranker, spread
from quaestor.stores import FieldBoosts, Store, StoredChunk, Where

Mode = Literal["ranked", "fusion", "lexical", "dense"]

# Scores are known for this many chunks of each retriever, and this many of them become candidates: a chunk that one
# retriever puts first has then a score from the other even where that one puts it far down.
_SCORED = 400
_CANDIDATES = 100
_DEFINITIONS = 20
_BODY = FieldBoosts(1.0, 0.0, 0.0)
_SYMBOL = FieldBoosts(0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Retriever:
    """Searches one store with one embedder and one ranker."""

    store: Store
    embedder: Embedder
    ranker: Ranker

    def search(self, text: str, k: int, *, mode: Mode = "ranked", where: Where | None = None) -> list[Hit]:
        """Return up to ``k`` hits, best first; none when nothing matches.

        Each hit's ``features`` hold every feature's share in its score, when it was ranked.
        """
        query = read_query(text)
        if not query.text:
            return []
        if mode == "ranked":
            return self._ranked(query, k, where)
        return self._scored(query, k, mode, where)

    def candidates(self, query: Query, count: int = _CANDIDATES, where: Where | None = None) -> list[Candidate]:
        """Return the chunks that any retriever puts among its first ``count``, with both scores where known."""
        lexical = self._lexical(query, max(_SCORED, count), where)
        dense = self._dense(query, max(_SCORED, count), where)
        chosen = dict.fromkeys([*list(lexical)[:count], *list(dense)[:count]])
        if query.names and where is None:
            chosen |= dict.fromkeys(self.store.defining(query.names, _DEFINITIONS))
        stored = self.store.get(chosen)
        body = dict(self.store.lexical(query.terms, _SCORED, where, _BODY)) if query.terms else {}
        symbol = dict(self.store.lexical(query.terms, _SCORED, where, _SYMBOL)) if query.terms else {}
        return [
            Candidate(
                stored[identifier],
                lexical.get(identifier, 0.0),
                dense.get(identifier, 0.0),
                body.get(identifier, 0.0),
                symbol.get(identifier, 0.0),
            )
            for identifier in chosen
            if identifier in stored
        ]

    def rarity(self, query: Query) -> Mapping[str, float]:
        """Return how much each content term of a query tells: the fewer chunks hold it, the more."""
        frequencies = self.store.frequencies(query.terms)
        total = max(frequencies.values(), default=0) + 1
        return {term: math.log(1 + 2 * total / (1 + count)) for term, count in frequencies.items()}

    def _ranked(self, query: Query, k: int, where: Where | None) -> list[Hit]:
        candidates = self.candidates(query, max(_CANDIDATES, k), where)
        if not candidates:
            return []
        matrix = compute_features(query, candidates, self.rarity(query))
        scores = self.ranker.scores(matrix, query.kind).tolist()
        paths = [candidate.stored.document.path for candidate in candidates]
        decays = [self._decay(path) for path in paths]
        return [
            _hit(candidates[index].stored, score, self._shares(matrix[index], query, score))
            for index, score in spread(scores, paths, decays, k)
        ]

    def _shares(self, row: Vectors, query: Query, score: float) -> Mapping[str, float]:
        shares = dict(self.ranker.shares(row, query.kind))
        lost = score - sum(shares.values())
        return {**shares, "further_of_file": lost}

    def _decay(self, path: str) -> float:
        return self.ranker.prose_decay if profile_path(path).prose else self.ranker.decay

    def _scored(self, query: Query, k: int, mode: Mode, where: Where | None) -> list[Hit]:
        """Return the hits of one retriever, or of both fused without any ranking."""
        count = max(_CANDIDATES, k)
        lexical = self._lexical(query, count, where) if mode != "dense" else {}
        dense = self._dense(query, count, where) if mode != "lexical" else {}
        scores = (
            convex([(0.5, list(lexical.items())), (0.5, list(dense.items()))]) if mode == "fusion" else lexical or dense
        )
        stored = self.store.get(scores)
        hits = [_hit(stored[identifier], score) for identifier, score in scores.items() if identifier in stored]
        return sorted(hits, key=lambda hit: (-hit.score, hit.path, hit.start_line))[:k]

    def _lexical(self, query: Query, count: int, where: Where | None) -> dict[int, float]:
        return dict(self.store.lexical(query.terms, count, where)) if query.terms else {}

    def _dense(self, query: Query, count: int, where: Where | None) -> dict[int, float]:
        vector = self.embedder.encode([query.text])[0]
        return dict(self.store.dense(vector, count, where)) if vector.any() else {}


def _hit(stored: StoredChunk, score: float, features: Mapping[str, float] | None = None) -> Hit:
    return Hit(stored.document, stored.chunk, score, features=features or {}, chunk_id=stored.id)
