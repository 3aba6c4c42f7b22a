"""Grouping many vectors, so that a query looks at the nearest groups only (an inverted file, IVF).

Spherical k-means (Dhillon and Modha, 2001) on a sample; then every row joins its nearest centre. A query
visits groups in the order of their centres' cosines until it has seen some hundred thousand rows. Those are scored by
sketches, their first principal components; the few thousand that these put first are scored exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.stores.embedded.quantise import Floats, Int8s

Ints = NDArray[np.int64]

LEAST_ROWS = 150_000
"""Fewer rows than this are not grouped: looking at all of them is quick enough."""
VISITED_ROWS = 196_608
"""Rows whose sketches a query looks at, some 5 ms on one core; of fewer rows, all are scored exactly."""
_VISITED_SHARE = 0.3

SCORED_ROWS = 4096
"""Rows of these that are scored exactly, or ten for each one wanted: under 1 ms."""

_TAIL_LEAST = 100_000
_TAIL_SHARE = 1.0
_SAMPLES_PER_GROUP = 64
_ROUNDS = 6
_BLOCK_ROWS = 4096
_SKETCH_COLUMNS = 96  # of 256 in a static embedder's vectors, with four fifths of their variance
_SKETCH_SAMPLES = 65_536


def visited_rows(rows: int) -> int:
    """Return how many of so many rows are looked at: a fixed number loses recall as the rows grow."""
    return max(VISITED_ROWS, int(_VISITED_SHARE * rows))


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows in groups.

    Attributes:
        centres: the groups' unit centres; shape ``(groups, dimensions)``.
        bounds: group ``g`` has the rows from ``bounds[g]`` to ``bounds[g + 1]``; shape ``(groups + 1,)``.
        members: the groups of the rows that came later and stand behind; shape ``(rows - bounds[-1],)``.
        sizes: the number of rows of each group, these included; shape ``(groups,)``.
        axes: what turns a vector into its sketch; shape ``(dimensions, columns)``.
        sketches: every row's; shape ``(rows, columns)``.
    """

    centres: Floats
    bounds: Ints
    members: NDArray[np.int32]
    sizes: Ints
    axes: Floats
    sketches: Int8s

    @classmethod
    def of(cls, centres: Floats, bounds: Ints, members: NDArray[np.int32], axes: Floats, sketches: Int8s) -> Groups:
        """Return groups with their sizes counted."""
        sizes = np.diff(bounds) + np.bincount(members, minlength=len(centres))
        return cls(centres, bounds, members, sizes, axes, sketches)

    def foremost(self, query: Floats, places: Ints, count: int) -> Ints:
        """Return up to ``count`` of the rows at ``places``, those whose sketches are nearest to the query's."""
        if len(places) <= count:
            return places
        outline = query @ self.axes
        scores = np.empty(len(places), dtype=np.float32)
        for start in range(0, len(places), _BLOCK_ROWS):
            end = start + _BLOCK_ROWS
            np.dot(self.sketches[places[start:end]].astype(np.float32), outline, out=scores[start:end])
        best: Ints = places[np.argpartition(scores, len(scores) - count)[-count:]]
        return best

    def places(self, query: Floats, searchable: NDArray[np.bool_], *, sparse: bool) -> Ints:
        """Return the searchable rows of the nearest groups; ``sparse`` if most rows may not be searchable."""
        sizes = self._count(searchable) if sparse else self.sizes
        order = np.argsort(-(self.centres @ query))
        visited = order[: int(np.searchsorted(np.cumsum(sizes[order]), visited_rows(int(sizes.sum())))) + 1]
        starts, ends = self.bounds[visited], self.bounds[visited + 1]
        runs = [np.arange(start, end) for start, end in zip(starts, ends, strict=True)]
        chosen = np.zeros(len(self.centres), dtype=np.bool_)
        chosen[visited] = True
        places = np.concatenate([*runs, np.flatnonzero(chosen[self.members]) + self.bounds[-1]])
        found: Ints = places[searchable[places]]
        return found

    def _count(self, searchable: NDArray[np.bool_]) -> Ints:
        grouped = int(self.bounds[-1])
        before = np.concatenate([[0], np.cumsum(searchable[:grouped], dtype=np.int64)])
        later = np.bincount(self.members[searchable[grouped:]], minlength=len(self.centres))
        return np.diff(before[self.bounds]) + later


def is_outgrown(grouped: int, rows: int) -> bool:
    """Tell whether so many ``rows`` came after the ``grouped`` ones that all should be grouped anew."""
    if not grouped:
        return rows >= LEAST_ROWS
    return rows - grouped > max(_TAIL_LEAST, _TAIL_SHARE * grouped)


def group(data: Int8s) -> tuple[Groups, Ints]:
    """Return groups for the rows of ``data``, and the order that brings each group's rows together.

    The sketches are of the rows in that order.
    """
    count = max(1, math.isqrt(len(data)))
    centres = _centres(data, count)
    members = nearest_groups(data, centres)
    order: Ints = np.argsort(members, kind="stable").astype(np.int64)
    bounds = np.searchsorted(members[order], np.arange(count + 1))
    axes = _axes(data)
    sketches = sketch(data, axes)[order]
    return Groups.of(centres, bounds.astype(np.int64), np.empty(0, dtype=np.int32), axes, sketches), order


def nearest_groups(data: Int8s, centres: Floats) -> NDArray[np.int32]:
    """Return the group of each row; its length does not matter for that. Shape ``(len(data),)``."""
    members = np.empty(len(data), dtype=np.int32)
    for start in range(0, len(data), _BLOCK_ROWS):
        block = data[start : start + _BLOCK_ROWS].astype(np.float32)
        members[start : start + _BLOCK_ROWS] = np.argmax(block @ centres.T, axis=1)
    return members


def sketch(data: Int8s, axes: Floats) -> Int8s:
    """Return each row's place along the ``axes``, scaled so as to fit; shape ``(len(data), columns)``."""
    made = np.empty((len(data), axes.shape[1]), dtype=np.int8)
    for start in range(0, len(data), _BLOCK_ROWS):
        block = _units(data[start : start + _BLOCK_ROWS].astype(np.float32)) @ axes
        made[start : start + _BLOCK_ROWS] = np.rint(np.clip(block, -127, 127)).astype(np.int8)
    return made


def _axes(data: Int8s) -> Floats:
    """Return the principal axes of a sample of rows, about the origin as cosines are, scaled for int8."""
    step = max(1, len(data) // _SKETCH_SAMPLES)
    sample = _units(data[::step].astype(np.float32))
    _, vectors = np.linalg.eigh(sample.T @ sample)
    axes = vectors[:, ::-1][:, :_SKETCH_COLUMNS]
    # One scale for all: the few larger components than the sample's largest are clipped.
    largest = float(np.abs(sample @ axes).max(initial=0.0)) or 1.0
    scaled: Floats = np.ascontiguousarray(axes * (127 / largest), dtype=np.float32)
    return scaled


def _centres(data: Int8s, count: int) -> Floats:
    # A fixed seed: the same corpus gives the same groups.
    random = np.random.default_rng(0)
    size = min(len(data), count * _SAMPLES_PER_GROUP)
    sample = _units(data[np.sort(random.choice(len(data), size, replace=False))].astype(np.float32))
    centres = sample[random.choice(size, min(count, size), replace=False)]
    for _ in range(_ROUNDS):
        members = np.concatenate(
            [
                np.argmax(sample[start : start + _BLOCK_ROWS] @ centres.T, axis=1)
                for start in range(0, size, _BLOCK_ROWS)
            ]
        )
        order = np.argsort(members, kind="stable")
        present, firsts = np.unique(members[order], return_index=True)
        centres[present] = _units(np.add.reduceat(sample[order], firsts, axis=0))
    return centres


def _units(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    units: Floats = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return units
