"""Selecting the rows to score exactly by the signs of their dimensions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from quaestor.stores.embedded import Thresholds
from quaestor.stores.embedded.vectors import _SAMPLED, Rows, most_alike, nearest, planes_of, quantise


def units(seed: int, count: int, dimensions: int) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([3, 64, 65, 256, 300]),
    st.integers(1, 60),
    st.integers(1, 70),
    st.sampled_from([5, 16_384]),
)
def test_no_row_that_is_left_out_is_more_alike(seed: int, dimensions: int, rows: int, count: int, block: int) -> None:
    data = quantise(units(seed, rows, dimensions))
    query = units(seed + 1, 1, dimensions)[0]
    searchable = np.random.default_rng(seed).random(rows) < 0.7
    found = most_alike(planes_of(data), query, searchable, count, block_rows=block)
    differing = ((data > 0) != (query > 0)).sum(axis=1)
    assert searchable[found].all()
    assert len(found) >= min(count, searchable.sum())
    others = np.setdiff1d(np.flatnonzero(searchable), found)
    assert not len(others) or not len(found) or differing[found].max() < differing[others].min()


@pytest.mark.parametrize("sampled_are_near", [True, False])
@pytest.mark.parametrize("dimensions", [256, 320])
def test_a_sample_that_is_like_no_other_rows_misleads_nobody(sampled_are_near: bool, dimensions: int) -> None:
    query = units(7, 1, dimensions)[0]
    data = quantise(units(8, 1000, dimensions))
    data[::_SAMPLED] = quantise((query if sampled_are_near else -query)[None, :])
    differing = ((data > 0) != (query > 0)).sum(axis=1)
    for count in (1, 200, 990, 2000):
        found = most_alike(planes_of(data), query, np.ones(1000, dtype=np.bool_), count)
        limit = np.sort(differing)[min(count, 1000) - 1]
        assert set(found) >= set(np.flatnonzero(differing <= limit))
        assert count > 900 or found.tolist() == np.flatnonzero(differing <= limit).tolist()


@pytest.mark.parametrize("dimensions", [64, 256, 320])
def test_a_row_is_most_alike_to_itself_and_its_opposite_least(dimensions: int) -> None:
    own = units(3, 1, dimensions)
    data = quantise(np.concatenate([units(4, 50, dimensions), own]))
    everything = np.ones(len(data), dtype=np.bool_)
    assert most_alike(planes_of(data), own[0], everything, 1).tolist() == [50]


def test_the_nearest_are_found_among_many() -> None:
    """Vectors near a few themes, as those of texts are: what is looked at exactly holds nearly all of the nearest."""
    random = np.random.default_rng(5)
    themes = random.standard_normal((40, 256))
    rows = themes[random.integers(0, 40, 4000)] + 0.8 * random.standard_normal((4000, 256))
    data = quantise((rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32))
    exact = Rows.of(np.arange(4000), data)
    quick = Rows(exact.ids, exact.data, exact.scales, exact.alive, planes_of(data))
    sizes = Thresholds(exact=1000, scored=200, scored_each=20)
    hits = 0
    for number in range(0, 4000, 100):
        query = data[number].astype(np.float32)
        expected = {chunk for chunk, _ in nearest([exact], query, 10)}
        hits += len(expected & {chunk for chunk, _ in nearest([quick], query, 10, sizes=sizes)})
    assert hits >= 0.95 * 400


def test_few_searchable_rows_are_all_scored() -> None:
    data = quantise(units(6, 300, 64))
    rows = Rows.of(np.arange(300), data)
    rows = Rows(rows.ids, rows.data, rows.scales, rows.alive, planes_of(data))
    allowed = (np.array([10]), np.array([90]))
    sizes = Thresholds(exact=100, scored=5, scored_each=1)
    found = nearest([rows], data[0].astype(np.float32), 90, allowed, sizes)
    assert {chunk for chunk, _ in found} == set(range(10, 100))
