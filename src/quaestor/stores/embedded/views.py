"""What a query sees: the derived files with what has changed since laid over them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quaestor.stores import FieldBoosts, Scored
from quaestor.stores.embedded import truth
from quaestor.stores.embedded.lexical import FIELDS, LexicalBase
from quaestor.stores.embedded.marks import Lag
from quaestor.stores.embedded.matrix import MatrixBase
from quaestor.stores.embedded.quantise import Floats
from quaestor.stores.embedded.recent import RecentChunks, recent_chunks
from quaestor.stores.embedded.truth import Content
from quaestor.stores.embedded.vectors import Rows, nearest
from quaestor.stores.embedded.weights import rarest

if TYPE_CHECKING:
    from quaestor.stores.embedded.filtering import Allowed

_ROWS_AT_ONCE = 8192


class LexicalView(NamedTuple):
    """The lexical index as of one state of the chunks.

    Attributes:
        content: that state.
        base: what stands on disk.
        removed: chunks on disk that are gone.
        recent: chunks that came since.
    """

    content: Content
    base: LexicalBase | None
    removed: frozenset[int]
    recent: RecentChunks

    @classmethod
    def make(cls, connection: sqlite3.Connection, base: LexicalBase | None, lag: Lag) -> LexicalView:
        """Lay what ``lag`` tells over ``base``."""
        removed = {chunk for run in lag.removed for chunk in range(run.first_chunk, run.first_chunk + run.chunk_count)}
        entries = truth.terms_after(connection, base.mark.last_chunk if base else 0) if lag.added else ()
        recent = RecentChunks((chunk for entry in entries for chunk in recent_chunks(entry)), base)
        return cls(lag.content, base, frozenset(removed), recent)

    def frequency(self, term: str) -> int:
        """Return the number of chunks with ``term``, in the field where it is most frequent."""
        return max(self.recent.frequency(field, term) for field in FIELDS)

    def search(self, weights: Mapping[str, float], boosts: FieldBoosts, k: int, allowed: Allowed | None) -> Scored:
        """Return up to ``k`` chunks by BM25, best first; of equals, the oldest."""
        if k <= 0 or not weights:
            return []
        weights = rarest(weights, lambda term: sum(self.recent.frequency(field, term) for field in FIELDS))
        documents = None if allowed is None else allowed.documents.tolist()
        found = self.recent.search(weights, boosts, None if documents is None else frozenset(documents))
        if self.base is not None:
            stored = self.base.search(weights, boosts, k + len(self.removed), documents)
            found += [hit for hit in stored if hit[0] not in self.removed]
        # Nearly in order already, so the sort is quick; as plain tuples, quicker than by a key.
        ordered = sorted([(-score, chunk) for chunk, score in found])
        return [(chunk, -score) for score, chunk in ordered[:k]]


class DenseView(NamedTuple):
    """The matrix as of one state of the chunks.

    Attributes:
        content: that state.
        parts: the rows on disk and those that came since.
    """

    content: Content
    parts: list[Rows]

    @classmethod
    def make(cls, connection: sqlite3.Connection, base: MatrixBase | None, lag: Lag, dimensions: int) -> DenseView:
        """Lay what ``lag`` tells over ``base``."""
        parts: list[Rows] = []
        if base is not None:
            runs = [np.arange(run.first_chunk, run.first_chunk + run.chunk_count) for run in lag.removed]
            parts.append(base.rows.without(np.concatenate([np.empty(0, dtype=np.int64), *runs])))
        if lag.added:
            last = base.mark.last_chunk if base else 0
            parts.extend(
                Rows.of(ids, data) for ids, data in truth.vectors_after(connection, last, dimensions, _ROWS_AT_ONCE)
            )
        return cls(lag.content, parts)

    def search(self, vector: Floats, k: int, allowed: Allowed | None) -> Scored:
        """Return up to ``k`` chunks by cosine, best first; of equals, the oldest."""
        return nearest(self.parts, vector, k, None if allowed is None else allowed.runs())
