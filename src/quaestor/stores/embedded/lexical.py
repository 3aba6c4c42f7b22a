"""The lexical index on disk: BM25 by tantivy over terms that were split before.

A query is built from term clauses, never parsed, so that no text can be anything but terms. One extra entry,
which no query matches, carries the mark and the statistics; tantivy commits it together with the rest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from quaestor.stores import FieldBoosts
from quaestor.stores.embedded.marks import Mark

if TYPE_CHECKING:
    import tantivy

FIELDS = ("body", "path", "symbol")
FOLDER = "lexical"

MARK_DOCUMENT = -1
"""What the entry with the mark has for a document."""

# Up to this many documents a filter becomes part of the query; beyond it, hits are filtered.
_LISTED_DOCUMENTS = 4096


class Statistics(NamedTuple):
    """What BM25 needs to know of the whole index.

    Attributes:
        chunks: number of chunks, the dead ones that tantivy still counts included.
        lengths: terms per field.
    """

    chunks: int
    lengths: Mapping[str, int]


class LexicalBase:
    """The lexical index as it was last committed; later commits do not change it."""

    def __init__(self, index: tantivy.Index, searcher: tantivy.Searcher) -> None:
        import tantivy  # noqa: PLC0415

        self._tantivy = tantivy
        self._index = index
        self._searcher = searcher
        query = tantivy.Query.term_query(index.schema, "document", MARK_DOCUMENT)
        [(_, address)] = searcher.search(query, 1, count=False).hits
        state = json.loads(searcher.doc(address)["mark"][0])
        self.mark = Mark.read(state["mark"])
        self.statistics = Statistics(**state["statistics"])

    @classmethod
    def load(cls, folder: Path) -> LexicalBase | None:
        """Return the last commit; None if there is none that can be read."""
        path = folder / FOLDER
        if not (path / "meta.json").exists():
            return None
        import tantivy  # noqa: PLC0415

        try:
            index = tantivy.Index.open(str(path))
            index.config_reader("manual")
            index.reload()
            return cls(index, index.searcher())
        except (ValueError, OSError, KeyError, TypeError):
            return None

    def frequency(self, field: str, term: str) -> int:
        """Return the number of chunks with ``term`` in ``field``."""
        return self._searcher.doc_freq(field, term)

    def search(
        self,
        weights: Mapping[str, float],
        boosts: FieldBoosts,
        k: int,
        documents: Sequence[int] | None = None,
    ) -> list[tuple[int, float]]:
        """Return up to ``k`` chunks with scores, best first, of the given ``documents`` if any are given."""
        query = self._query(weights, boosts)
        if query is None or k <= 0 or not self.statistics.chunks:
            return []
        if documents is None:
            return self._top(query, k)
        if len(documents) <= _LISTED_DOCUMENTS:
            return self._top(self._within(query, documents), k)
        return self._filtered(query, k, set(documents))

    def _query(self, weights: Mapping[str, float], boosts: FieldBoosts) -> tantivy.Query | None:
        query, schema = self._tantivy.Query, self._index.schema
        should = self._tantivy.Occur.Should
        clauses = [
            (should, query.boost_query(query.term_query(schema, field, term, "freq"), boost * weight))
            for field, boost in boosts.items()
            if boost > 0
            for term, weight in weights.items()
        ]
        return query.boolean_query(clauses) if clauses else None

    def _within(self, query: tantivy.Query, documents: Sequence[int]) -> tantivy.Query:
        must, make = self._tantivy.Occur.Must, self._tantivy.Query
        listed = make.const_score_query(make.term_set_query(self._index.schema, "document", list(documents)), 0.0)
        return make.boolean_query([(must, query), (must, listed)])

    def _top(self, query: tantivy.Query, k: int) -> list[tuple[int, float]]:
        hits = self._searcher.search(query, min(k, self._searcher.num_docs), count=False).hits
        if not hits:
            return []
        scores, addresses = zip(*hits, strict=True)
        chunks = cast("list[int | None]", self._searcher.fast_field_values("chunk", list(addresses)))
        return [(chunk, score) for chunk, score in zip(chunks, scores, strict=True) if chunk is not None]

    def _filtered(self, query: tantivy.Query, k: int, documents: set[int]) -> list[tuple[int, float]]:
        """Look further down the list until ``k`` hits lie in ``documents`` or the list ends."""
        limit = k
        while True:
            limit = min(limit * 8, self._searcher.num_docs)
            hits = self._searcher.search(query, limit, count=False).hits
            addresses = [address for _, address in hits]
            owners = self._searcher.fast_field_values("document", addresses)
            kept = [place for place, owner in enumerate(owners) if owner in documents][:k]
            if len(kept) < k and len(hits) == limit < self._searcher.num_docs:
                continue
            chunks = self._searcher.fast_field_values("chunk", [addresses[place] for place in kept])
            return [(int(chunk or 0), hits[place][0]) for chunk, place in zip(chunks, kept, strict=True)]
