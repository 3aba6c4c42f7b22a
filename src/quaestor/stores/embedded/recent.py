"""The few chunks that the lexical index on disk does not hold yet: segments in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quaestor.stores.embedded.lexical_segments import merged, runs
from quaestor.stores.embedded.postings import FIELDS, MOST_ROWS, Asked, keys_of
from quaestor.stores.embedded.truth import DocumentTerms

if TYPE_CHECKING:
    from numpy.typing import NDArray


class RecentChunks:
    """Chunks in memory beside the index on disk.

    Args:
        entries: their terms, by document.
    """

    def __init__(self, entries: Iterable[DocumentTerms]) -> None:
        found = list(entries)
        sizes = [len(entry.segment.chunks) for entry in found]
        self._documents = np.repeat(np.array([entry.document for entry in found], dtype=np.int64), sizes)
        self._segments = [
            merged(run, [np.ones(len(one.chunks), dtype=np.bool_) for one in run])
            for run in runs((entry.segment for entry in found), MOST_ROWS)
        ]
        self.lengths = {
            field: sum(int(segment.lengths[number].sum(dtype=np.int64)) for segment in self._segments)
            for number, field in enumerate(FIELDS)
        }

    def __len__(self) -> int:
        return len(self._documents)

    def frequencies(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of chunks with each term in each field, shape ``(len(FIELDS), terms)``."""
        total = np.zeros((len(FIELDS), len(terms)), dtype=np.int64)
        for segment in self._segments:
            starts, ends = segment.bounds(keys_of(terms))
            total += ends - starts
        return total

    def holding(self, terms: Sequence[str]) -> list[int]:
        """Return the chunks whose body holds all of the terms."""
        keys = keys_of(terms)
        return [chunk for segment in self._segments for chunk in segment.holding(segment.bounds(keys)).tolist()]

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
        keys, asked = keys_of(terms), Asked.of(factors[None], averages)
        every = [segment.scores(segment.bounds(keys), asked)[0] for segment in self._segments]
        scores = np.concatenate([np.empty(0, dtype=np.float32), *every])
        if documents is not None:
            scores = scores * np.isin(self._documents, list(documents))
        places = np.flatnonzero(scores)
        chunks = np.concatenate([np.empty(0, dtype=np.int64), *(segment.chunks for segment in self._segments)])
        return list(zip(chunks[places].tolist(), scores[places].tolist(), strict=True))
