"""BM25 over the few chunks that the lexical index on disk does not hold yet, by the formula of ``postings``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quaestor.named import NamedTuple
from quaestor.stores.embedded.postings import FIELDS, K1, B
from quaestor.stores.embedded.truth import DocumentTerms

if TYPE_CHECKING:
    from numpy.typing import NDArray

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

    def __init__(self, chunks: Iterable[RecentChunk]) -> None:
        self._chunks = list(chunks)
        self._places: dict[tuple[str, str], list[tuple[RecentChunk, int]]] = {}
        self.lengths = {field: sum(chunk.lengths[field] for chunk in self._chunks) for field in FIELDS}

    def __len__(self) -> int:
        return len(self._chunks)

    def frequencies(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of chunks with each term in each field, shape ``(len(FIELDS), terms)``."""
        if not self._chunks:
            return np.zeros((len(FIELDS), len(terms)), dtype=np.int64)
        return np.array([[len(self._matching(field, term)) for term in terms] for field in FIELDS], dtype=np.int64)

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
        self,
        terms: Sequence[str],
        factors: NDArray[np.float64],
        averages: Sequence[float],
        documents: Collection[int] | None = None,
    ) -> list[tuple[int, float]]:
        """Return the chunks that match, in no order.

        Args:
            terms: what is looked for.
            factors: what each term counts for in each field, shape ``(len(FIELDS), terms)``.
            averages: the mean length of each field.
            documents: only chunks of these.
        """
        scores: dict[int, float] = {}
        if not self._chunks:
            return []
        for field, average, counting in zip(FIELDS, averages, factors.tolist(), strict=True):
            for term, factor in zip(terms, counting, strict=True):
                for chunk, count in self._matching(field, term) if factor else ():
                    if documents is None or chunk.document in documents:
                        norm = K1 * (1 - B + B * chunk.lengths[field] / average)
                        scores[chunk.id] = scores.get(chunk.id, 0.0) + factor * (K1 + 1) * count / (count + norm)
        return list(scores.items())
