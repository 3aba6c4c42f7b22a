"""Searching int8 vectors by cosine similarity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.stores import Scored
from quaestor.stores.embedded.checksums import RowSums
from quaestor.stores.embedded.quantise import Floats, Int8s, Plane, most_alike, scales
from quaestor.stores.embedded.sizes import SIZES, Sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

Ids: TypeAlias = "NDArray[np.int64]"
Runs = tuple[Ids, Ids]
"""Runs of chunks: the first of each, ascending, and their numbers."""

# Numbers turned into floats at a time: 1 MiB, which stays in the cache of one core and is too little for a BLAS to
# start threads for; on busy machines those cost fifty times what they save.
_BLOCK_NUMBERS = 1 << 18


class Rows(NamedTuple):
    """Vectors of chunks.

    Attributes:
        ids: the chunks, ascending; shape ``(n,)``.
        data: int8 vectors; shape ``(n, dimensions)``.
        scales: the factor that makes each row a unit vector, 0 for a zero row; shape ``(n,)``.
        alive: whether the chunk exists and its vector is not zero; shape ``(n,)``.
        planes: the signs of every row; without them, every row is scored.
        sums: checksums of rows on disk.
    """

    ids: Ids
    data: Int8s
    scales: Floats
    alive: NDArray[np.bool_]
    planes: Sequence[Plane] = ()
    sums: RowSums | None = None

    @classmethod
    def of(cls, ids: Ids, data: Int8s) -> Rows:
        """Return rows of chunks that exist; ``ids`` ascend."""
        factors = scales(data)
        return cls(ids, data, factors, factors > 0)

    def search(self, query: Floats, k: int, allowed: Runs | None, sizes: Sizes) -> tuple[Ids, Floats]:
        """Return the ``k`` chunks nearest to a unit vector, of those ``allowed``, with their cosines.

        Exact up to ``sizes.exact`` searchable rows; of more, only the most promising are scored.
        """
        searchable = self.alive if allowed is None else self.alive & which_are_covered(self.ids, allowed)
        places = self._promising(query, searchable, k, sizes)
        scores = self._cosines(query, places)
        best = top(scores, k)
        return self.ids[places[best]], scores[best]

    def _promising(self, query: Floats, searchable: NDArray[np.bool_], k: int, sizes: Sizes) -> Ids:
        if self.planes and np.count_nonzero(searchable) > sizes.exact:
            return most_alike(self.planes, query, searchable, max(sizes.scored, sizes.scored_each * k))
        return np.flatnonzero(searchable)

    def without(self, ids: Ids) -> Rows:
        """Return these rows with some chunks marked as gone."""
        if not len(ids):
            return self
        alive = self.alive.copy()
        alive[self.places(ids)] = False
        return self._replace(alive=alive)

    def places(self, ids: Ids) -> Ids:
        """Return the row numbers of the ``ids`` that exist."""
        places = np.searchsorted(self.ids, ids)
        inside = places < len(self.ids)
        places, ids = places[inside], ids[inside]
        found: Ids = places[self.ids[places] == ids]
        return found

    def check(self, places: Ids) -> None:
        """See to it that the rows at ``places`` are as they were written.

        Raises:
            DamagedError: one is not.
        """
        if self.sums is not None:
            self.sums.check(places)

    def _cosines(self, query: Floats, places: Ids) -> Floats:
        """Return the cosines of the rows at ``places``."""
        self.check(places)
        scores = np.empty(len(places), dtype=np.float32)
        whole = len(places) == len(self.ids)
        rows = max(1, _BLOCK_NUMBERS // self.data.shape[1])
        for start in range(0, len(places), rows):
            end = start + rows
            block = self.data[start:end] if whole else self.data.take(places[start:end], axis=0, mode="clip")
            np.dot(block.astype(np.float32), query, out=scores[start:end])
        scores *= self.scales if whole else self.scales[places]
        return scores


def which_are_covered(ascending: Ids, runs: Runs) -> NDArray[np.bool_]:
    """Return which of the ``ascending`` chunks lie in ``runs``."""
    firsts, counts = runs
    steps = np.zeros(len(ascending) + 1, dtype=np.int32)
    np.add.at(steps, np.searchsorted(ascending, firsts), 1)
    np.subtract.at(steps, np.searchsorted(ascending, firsts + counts), 1)
    return np.cumsum(steps[:-1]) > 0


def top(scores: NDArray[np.floating], k: int) -> NDArray[np.intp]:
    """Return the places of the ``k`` highest scores, highest first; of equals, the first."""
    if k <= 0:
        return np.empty(0, dtype=np.intp)
    if k >= len(scores):
        return np.argsort(-scores, kind="stable")
    # Few are put in order, those that are no less than the last one wanted.
    [chosen] = np.nonzero(scores >= np.partition(scores, len(scores) - k)[len(scores) - k])
    order: NDArray[np.intp] = chosen[np.argsort(-scores[chosen], kind="stable")[:k]]
    return order


class Best:
    """Keeps the ``k`` highest scores above 0 of those offered; of equal ones, the first."""

    def __init__(self, k: int) -> None:
        self._k = k
        self._least = 0.0
        self._ids = np.empty(0, dtype=np.int64)
        self._scores = np.empty(0)

    def offer(self, ids: Ids, scores: NDArray[np.floating]) -> None:
        """Keep the scores that are high enough; ``ids`` ascend from one call to the next."""
        [better] = np.nonzero(scores > self._least)
        if not len(better):
            return
        self._ids = np.concatenate([self._ids, ids[better]])
        self._scores = np.concatenate([self._scores, scores[better]])
        if len(self._ids) > 2 * self._k:  # fewer are not worth a look at all of them
            self._least = float(np.partition(self._scores, -self._k)[-self._k])
            kept = self._scores >= self._least
            self._ids, self._scores = self._ids[kept], self._scores[kept]

    def scored(self) -> Scored:
        """Return them, best first."""
        best = top(self._scores, self._k)
        return Scored(self._ids[best], self._scores[best])


def unit(vector: Floats) -> Floats | None:
    """Return ``vector`` with length 1; None if it has no direction."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0:
        return None
    return np.asarray(vector / length, dtype=np.float32)


def nearest(parts: list[Rows], vector: Floats, k: int, allowed: Runs | None = None, sizes: Sizes = SIZES) -> Scored:
    """Return the ``k`` nearest chunks of all ``parts``, best first; chunks ascend from one part to the next."""
    query = unit(vector)
    if query is None or k <= 0:
        return Scored.of(())
    found = [part.search(query, k, allowed, sizes) for part in parts if len(part.ids)]
    if len(found) == 1:
        return Scored(*found[0])
    if not found:
        return Scored.of(())
    ids = np.concatenate([ids for ids, _ in found])
    scores = np.concatenate([scores for _, scores in found])
    best = top(scores, k)
    return Scored(ids[best], scores[best])
