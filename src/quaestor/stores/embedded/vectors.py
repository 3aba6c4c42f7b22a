"""Searches vectors by cosine similarity: unit vectors as int8, a quarter of their size, and as signs, one bit each.

A row is divided by its largest component and multiplied by 127. The scale is not stored: vectors have unit length, so
``row / |row|`` restores the vector. Quantising twice changes nothing.

The signs select the rows whose exact cosine is computed: the number of dimensions in which the signs of two vectors
differ estimates the angle between them (Charikar, 2002, "Similarity estimation techniques from rounding algorithms",
who takes random directions; a static embedder's dimensions do as well).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.stores import ScoredChunks
from quaestor.stores.embedded import THRESHOLDS, Thresholds
from quaestor.stores.embedded.checksums import RowSums

if TYPE_CHECKING:
    from numpy.typing import NDArray


Int8s: TypeAlias = "NDArray[np.int8]"
Floats: TypeAlias = "NDArray[np.float32]"

Plane: TypeAlias = "NDArray[np.uint64]"
"""The signs of 64 dimensions of every row; shape ``(rows,)``."""

Differing: TypeAlias = "NDArray[np.uint8] | NDArray[np.uint16]"

_DIMENSIONS = 64
_SAMPLED = 64  # one row of this many is in the sample
_MARGIN = 2  # the sample hardly ever errs by more than this among very many rows
_BLOCK_ROWS = 1 << 16  # 512 KiB of a plane: fewer rows need more calls, more do not fit into the cache of one core


def quantise(vectors: Floats) -> Int8s:
    """Return int8 rows of the same shape; NaN counts as zero."""
    finite = np.where(np.isfinite(vectors), vectors, np.float32(0))
    largest = np.abs(finite).max(axis=1, keepdims=True, initial=0.0)
    factor = np.divide(127.0, largest, out=np.zeros_like(largest), where=largest > 0)
    rows: Int8s = np.rint(finite * factor).astype(np.int8)
    return rows


def scales(rows: Int8s) -> Floats:
    """Return the factor that gives each row unit length, 0 for a row of zeros; shape ``(len(rows),)``."""
    wide = rows.astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    factors: Floats = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return factors


def restore(data: bytes) -> Floats:
    """Return the unit vector of one stored row."""
    row = np.frombuffer(data, dtype=np.int8)
    vector: Floats = row.astype(np.float32) * scales(row[None, :])[0]
    return vector


def plane_count(dimensions: int) -> int:
    """Return how many planes hold the signs of vectors of ``dimensions``."""
    return -(-dimensions // _DIMENSIONS)


def planes_of(rows: Int8s | Floats) -> list[Plane]:
    """Return the signs of each row of ``rows``, shape ``(n, dimensions)``: 1 above zero; first dimensions first."""
    missing = plane_count(rows.shape[1]) * _DIMENSIONS - rows.shape[1]
    bits = np.packbits(np.pad(rows > 0, ((0, 0), (0, missing))), axis=1)
    return list(np.ascontiguousarray(bits.view(np.uint64).T))


def most_alike(
    planes: Sequence[Plane],
    query: Floats,
    searchable: NDArray[np.bool_],
    count: int,
    block_rows: int = _BLOCK_ROWS,
) -> NDArray[np.intp]:
    """Return the places of the ``count`` searchable rows whose signs differ least from the query's, ascending.

    Rows that differ as much as the last of these are included, too; there may be fewer if there are not enough rows.
    """
    differing = _count_differing_signs(planes, [int(plane[0]) for plane in planes_of(query[None, :])], block_rows)
    whole = bool(searchable.all())
    most = min(len(planes) * _DIMENSIONS, int(np.iinfo(differing.dtype).max))
    if not whole:
        differing[~searchable] = most
    # A sample estimates how much the last one differs; a single pass then selects the rows that differ no more.
    sample = np.sort(differing[::_SAMPLED])
    limit = min(int(sample[min(count // _SAMPLED, len(sample) - 1)]) + _MARGIN, most)
    near = np.flatnonzero(differing <= limit)
    while len(near) < count and limit < most:
        limit = min(limit + _MARGIN, most)
        near = np.flatnonzero(differing <= limit)
    if not whole:
        near = near[searchable[near]]
    own = differing[near]
    reached = np.cumsum(np.bincount(own, minlength=most + 1))
    return near[own <= np.searchsorted(reached, min(count, len(near)))]


def _count_differing_signs(planes: Sequence[Plane], query: Sequence[int], block_rows: int) -> Differing:
    """Return in how many dimensions the signs of each row differ from the query's."""
    rows = len(planes[0])
    # The sum over four planes overflows only at 256, for the exact opposite of the query, which then is merely scored.
    total: NDArray[Any] = np.empty(rows, dtype=np.uint8 if len(planes) <= 4 else np.uint16)
    differs, counts = np.empty(block_rows, dtype=np.uint64), np.empty(block_rows, dtype=np.uint8)
    for start in range(0, rows, block_rows):
        part = total[start : start + block_rows]
        for number, (plane, signs) in enumerate(zip(planes, query, strict=True)):
            np.bitwise_xor(plane[start : start + block_rows], np.uint64(signs), out=differs[: len(part)])
            if number:
                np.bitwise_count(differs[: len(part)], out=counts[: len(part)])
                np.add(part, counts[: len(part)], out=part)
            else:
                np.bitwise_count(differs[: len(part)], out=part)
    return total


Ids: TypeAlias = "NDArray[np.int64]"
Runs = tuple[Ids, Ids]
"""Runs of chunks: the first chunk of each, ascending, and the number of chunks in each."""

# How many numbers are converted to floats at a time: 1 MiB stays in the cache of one core and is too little for BLAS to
# start threads, which on busy machines cost fifty times what they save.
_BLOCK_NUMBERS = 1 << 18


class Rows(NamedTuple):
    """Vectors of chunks.

    Attributes:
        ids: the chunks' identifiers, ascending; shape ``(n,)``.
        data: int8 vectors; shape ``(n, dimensions)``.
        scales: the factor that makes each row a unit vector, 0 for a zero row; shape ``(n,)``.
        alive: whether the chunk exists and its vector is not zero; shape ``(n,)``.
        planes: the signs of every row; without them, every row is scored.
        sums: checks the rows on disk; None for rows in memory.
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

    def search(self, query: Floats, k: int, allowed: Runs | None, sizes: Thresholds) -> tuple[Ids, Floats]:
        """Return the ``k`` chunks nearest to a unit vector among those ``allowed``, with their cosines.

        This is exact up to ``sizes.exact`` searchable rows; of more, only the most promising are scored.
        """
        searchable = self.alive if allowed is None else self.alive & which_are_covered(self.ids, allowed)
        places = self._candidates(query, searchable, k, sizes)
        scores = self._cosines(query, places)
        best = top(scores, k)
        return self.ids[places[best]], scores[best]

    def _candidates(self, query: Floats, searchable: NDArray[np.bool_], k: int, sizes: Thresholds) -> Ids:
        if self.planes and np.count_nonzero(searchable) > sizes.exact:
            return most_alike(self.planes, query, searchable, max(sizes.scored, sizes.scored_each * k))
        return np.flatnonzero(searchable)

    def without(self, ids: Ids) -> Rows:
        """Return these rows with some chunks marked as removed."""
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
        existing: Ids = places[self.ids[places] == ids]
        return existing

    def check(self, places: Ids) -> None:
        """Check the rows at ``places`` against their checksums.

        Raises:
            DamagedError: a row does not match its checksum.
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
    """Return the places of the ``k`` highest scores, highest first; of equal ones, the first."""
    if k <= 0:
        return np.empty(0, dtype=np.intp)
    if k >= len(scores):
        return (-scores).argsort(kind="stable")
    # Only the scores that are not below the last one wanted are sorted.
    [chosen] = np.nonzero(scores >= np.partition(scores, len(scores) - k)[len(scores) - k])
    order: NDArray[np.intp] = chosen[(-scores[chosen]).argsort(kind="stable")[:k]]
    return order


class BestScores:
    """Collects the ``k`` highest scores above 0; of equal ones, the first."""

    def __init__(self, k: int) -> None:
        self._k = k
        self._least = 0.0
        self._ids = np.empty(0, dtype=np.int64)
        self._scores = np.empty(0, dtype=np.float32)

    def offer(self, ids: Ids, scores: NDArray[np.floating]) -> None:
        """Keep the scores that are high enough; ``ids`` ascend from one call to the next."""
        if len(self._ids) > 2 * self._k:  # not more often, because it looks at all of them
            self._least = float(np.partition(self._scores, -self._k)[-self._k])
            kept = self._scores >= self._least
            self._ids, self._scores = self._ids[kept], self._scores[kept]
        [better] = np.nonzero(scores > self._least)
        if not len(better):
            return
        ids, scores = ids[better], scores[better]
        self._ids = np.concatenate([self._ids, ids]) if len(self._ids) else ids
        self._scores = np.concatenate([self._scores, scores]) if len(self._scores) else scores

    def best_first(self) -> ScoredChunks:
        """Return the collected scores, best first."""
        best = top(self._scores, self._k)
        return ScoredChunks(self._ids[best], self._scores[best])


def unit(vector: Floats) -> Floats | None:
    """Return ``vector`` with length 1; None if it has no direction."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0:
        return None
    return np.asarray(vector / length, dtype=np.float32)


def nearest(
    parts: list[Rows], vector: Floats, k: int, allowed: Runs | None = None, sizes: Thresholds = THRESHOLDS
) -> ScoredChunks:
    """Return the ``k`` nearest chunks of all ``parts``, best first; chunks ascend from one part to the next."""
    query = unit(vector)
    if query is None or k <= 0:
        return ScoredChunks.of(())
    parts_nearest = [part.search(query, k, allowed, sizes) for part in parts if len(part.ids)]
    if len(parts_nearest) == 1:
        return ScoredChunks(*parts_nearest[0])
    if not parts_nearest:
        return ScoredChunks.of(())
    ids = np.concatenate([ids for ids, _ in parts_nearest])
    scores = np.concatenate([scores for _, scores in parts_nearest])
    best = top(scores, k)
    return ScoredChunks(ids[best], scores[best])
