"""BM25 over the few chunks that the lexical index on disk does not hold yet.

The formula and its constants are tantivy's (k1 = 1.2, b = 0.75; Robertson and Zaragoza, 2009), and the
statistics are those of disk and memory together, so that scores from both sides compare.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from quaestor.stores import FieldBoosts
from quaestor.stores.embedded.lexical import FIELDS, LexicalBase
from quaestor.stores.embedded.truth import DocumentTerms

_K1 = 1.2
_B = 0.75


@dataclass(frozen=True, slots=True)
class RecentChunk:
    """The counted terms of one chunk, by field."""

    id: int
    document: int
    counts: Mapping[str, Counter[str]]
    lengths: Mapping[str, int]


def count_terms(entry: DocumentTerms) -> list[RecentChunk]:
    """Count the terms of one document's chunks."""
    return [_count(number, entry.document, lines) for number, lines in enumerate(entry.chunks, entry.first_chunk)]


def _count(number: int, document: int, lines: tuple[str, str, str]) -> RecentChunk:
    terms = {field: line.split(" ") if line else [] for field, line in zip(FIELDS, lines, strict=True)}
    counts = {field: Counter(found) for field, found in terms.items()}
    return RecentChunk(number, document, counts, {field: len(found) for field, found in terms.items()})


class RecentChunks:
    """Chunks in memory beside the index on disk."""

    def __init__(self, chunks: Iterable[RecentChunk], base: LexicalBase | None) -> None:
        self._base = base
        self._chunks = list(chunks)
        stored = base.statistics if base else None
        # The entry that carries the mark counts on disk, so it does here.
        self._total = len(self._chunks) + (stored.chunks if stored else 0) + 1
        self._lengths = {
            field: sum(chunk.lengths[field] for chunk in self._chunks) + (stored.lengths[field] if stored else 0)
            for field in FIELDS
        }

    def frequency(self, field: str, term: str) -> int:
        """Return the number of chunks, here and on disk, with ``term`` in ``field``."""
        stored = self._base.frequency(field, term) if self._base else 0
        return stored + self._frequencies[field][term]

    @cached_property
    def _frequencies(self) -> dict[str, Counter[str]]:
        return {field: Counter(term for chunk in self._chunks for term in chunk.counts[field]) for field in FIELDS}

    def search(
        self, weights: Mapping[str, float], boosts: FieldBoosts, documents: Collection[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return the chunks that match, in no order."""
        chunks = [chunk for chunk in self._chunks if documents is None or chunk.document in documents]
        scores: dict[int, float] = {}
        for field, boost in boosts.items():
            if boost <= 0:
                continue
            for term, weight in weights.items():
                matching = [chunk for chunk in chunks if term in chunk.counts[field]]
                if matching:
                    factor = boost * weight * self._rarity(field, term)
                    for chunk in matching:
                        scores[chunk.id] = scores.get(chunk.id, 0.0) + factor * self._saturation(chunk, field, term)
        return list(scores.items())

    def _rarity(self, field: str, term: str) -> float:
        frequency = self.frequency(field, term)
        return math.log(1 + (max(self._total - frequency, 0) + 0.5) / (frequency + 0.5))

    def _saturation(self, chunk: RecentChunk, field: str, term: str) -> float:
        count = chunk.counts[field][term]
        average = self._lengths[field] / self._total
        norm = _K1 * (1 - _B + _B * chunk.lengths[field] / average)
        return (_K1 + 1) * count / (count + norm)
