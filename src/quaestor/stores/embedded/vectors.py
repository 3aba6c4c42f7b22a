"""Searching int8 vectors by cosine similarity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.stores import Scored
from quaestor.stores.embedded.quantise import Floats, Int8s

Ids = NDArray[np.int64]

# Rows turned into floats at a time: 2 MiB at 256 dimensions, which stays in the cache of one core.
_BLOCK_ROWS = 2048


@dataclass(frozen=True, slots=True)
class Rows:
    """Vectors of chunks.

    Attributes:
        ids: the chunks, ascending; shape ``(n,)``.
        data: int8 vectors; shape ``(n, dimensions)``.
        scales: what makes each row a unit vector, 0 for a row without direction; shape ``(n,)``.
        alive: whether the chunk exists; shape ``(n,)``.
    """

    ids: Ids
    data: Int8s
    scales: Floats
    alive: NDArray[np.bool_]

    def search(self, query: Floats, k: int, allowed: Ids | None = None) -> tuple[Ids, Floats]:
        """Return the ``k`` chunks nearest to a unit vector, of those ``allowed``, with their cosines."""
        places = np.flatnonzero(self._searchable(allowed))
        scores = self._exact(query, places)
        best = top(scores, k)
        return self.ids[places[best]], scores[best]

    def without(self, ids: Ids) -> Rows:
        """Return these rows with some chunks marked as gone."""
        if not len(ids):
            return self
        alive = self.alive.copy()
        alive[self._places(ids)] = False
        return Rows(self.ids, self.data, self.scales, alive)

    def _places(self, ids: Ids) -> Ids:
        """Return the rows of those ``ids`` that are here."""
        places = np.searchsorted(self.ids, ids)
        inside = places < len(self.ids)
        places, ids = places[inside], ids[inside]
        found: Ids = places[self.ids[places] == ids]
        return found

    def _searchable(self, allowed: Ids | None) -> NDArray[np.bool_]:
        searchable = self.alive & (self.scales > 0)
        if allowed is not None:
            inside = np.zeros(len(self.ids), dtype=np.bool_)
            inside[self._places(allowed)] = True
            searchable &= inside
        return searchable

    def _exact(self, query: Floats, places: Ids) -> Floats:
        """Return the cosines of the rows at ``places``."""
        scores = np.empty(len(places), dtype=np.float32)
        whole = len(places) == len(self.ids)
        for start in range(0, len(places), _BLOCK_ROWS):
            end = start + _BLOCK_ROWS
            block = self.data[start:end] if whole else self.data[places[start:end]]
            np.dot(block.astype(np.float32), query, out=scores[start:end])
        scores *= self.scales if whole else self.scales[places]
        return scores


def top(scores: Floats, k: int) -> NDArray[np.intp]:
    """Return the places of the ``k`` highest scores, highest first; of equals, the first."""
    k = min(k, len(scores))
    if k <= 0:
        return np.empty(0, dtype=np.intp)
    if k < len(scores):
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        chosen = np.flatnonzero(scores >= least)
    else:
        chosen = np.arange(len(scores))
    order = np.lexsort((chosen, -scores[chosen]))
    return chosen[order[:k]]


def unit(vector: Floats) -> Floats | None:
    """Return ``vector`` with length 1; None if it has no direction."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0:
        return None
    return np.asarray(vector / length, dtype=np.float32)


def nearest(parts: list[Rows], vector: Floats, k: int, allowed: Ids | None = None) -> Scored:
    """Return the ``k`` nearest chunks of all ``parts``, best first."""
    query = unit(vector)
    if query is None or k <= 0:
        return []
    found = [part.search(query, k, allowed) for part in parts if len(part.ids)]
    if not found:
        return []
    ids = np.concatenate([ids for ids, _ in found])
    scores = np.concatenate([scores for _, scores in found])
    best = top(scores, k)
    return list(zip(ids[best].tolist(), scores[best].tolist(), strict=True))
