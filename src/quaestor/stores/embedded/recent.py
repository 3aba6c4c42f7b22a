"""BM25 over the few chunks that the lexical index on disk does not hold yet.

The formula and its constants are tantivy's (k1 = 1.2, b = 0.75; Robertson and Zaragoza, 2009), and the
statistics are those of disk and memory together, so that scores from both sides compare.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from quaestor.stores import FieldBoosts
from quaestor.stores.embedded.lexical import FIELDS, LexicalBase
from quaestor.stores.embedded.truth import DocumentTerms

_K1 = 1.2
_B = 0.75
_REMEMBERED = 1 << 12  # terms; then they are looked for anew


class RecentChunk(NamedTuple):
    """The terms of one chunk.

    Attributes:
        id: the chunk.
        document: its document's row identifier.
        lines: by field its terms, each between two spaces of its own, so that a term can be counted in the text.
        lengths: by field the number of terms.
    """

    id: int
    document: int
    lines: Mapping[str, str]
    lengths: Mapping[str, int]


def recent_chunks(entry: DocumentTerms) -> list[RecentChunk]:
    """Return one document's chunks."""
    return [_chunk(number, entry.document, lines) for number, lines in enumerate(entry.chunks, entry.first_chunk)]


def _chunk(number: int, document: int, lines: tuple[str, str, str]) -> RecentChunk:
    fields = list(zip(FIELDS, lines, strict=True))
    return RecentChunk(
        number,
        document,
        {field: f" {line.replace(' ', '  ')} " for field, line in fields},
        {field: line.count(" ") + 1 if line else 0 for field, line in fields},
    )


class RecentChunks:
    """Chunks in memory beside the index on disk.

    A term is looked for in the text when it is first asked for: a command asks for a dozen, and counting all of them
    takes twenty times as long.
    """

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
        self._places: dict[tuple[str, str], list[tuple[RecentChunk, int]]] = {}

    def frequency(self, field: str, term: str) -> int:
        """Return the number of chunks, here and on disk, with ``term`` in ``field``."""
        stored = self._base.frequency(field, term) if self._base else 0
        return stored + len(self._matching(field, term))

    def _matching(self, field: str, term: str) -> list[tuple[RecentChunk, int]]:
        """Return the chunks here with ``term`` in ``field``, and how often it stands in each."""
        found = self._places.get((field, term))
        if found is None:
            wanted = f" {term} "
            if len(self._places) >= _REMEMBERED:
                self._places.clear()
            found = [(chunk, count) for chunk in self._chunks if (count := chunk.lines[field].count(wanted))]
            self._places[field, term] = found
        return found

    def search(
        self, weights: Mapping[str, float], boosts: FieldBoosts, documents: Collection[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return the chunks that match, in no order."""
        scores: dict[int, float] = {}
        for field, boost in boosts.items():
            if boost <= 0:
                continue
            for term, weight in weights.items():
                if matching := self._matching(field, term):
                    factor = boost * weight * self._rarity(field, term)
                    for chunk, count in matching:
                        if documents is None or chunk.document in documents:
                            saturation = self._saturation(chunk.lengths[field], field, count)
                            scores[chunk.id] = scores.get(chunk.id, 0.0) + factor * saturation
        return list(scores.items())

    def _rarity(self, field: str, term: str) -> float:
        frequency = self.frequency(field, term)
        return math.log(1 + (max(self._total - frequency, 0) + 0.5) / (frequency + 0.5))

    def _saturation(self, length: int, field: str, count: int) -> float:
        average = self._lengths[field] / self._total
        norm = _K1 * (1 - _B + _B * length / average)
        return (_K1 + 1) * count / (count + norm)
