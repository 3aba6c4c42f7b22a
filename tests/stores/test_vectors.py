from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quaestor.stores.embedded import sqlite_rows, vectors
from quaestor.stores.embedded.vectors import Rows, nearest, quantise, restore, scales, top


def random_units(seed: int, count: int, dimensions: int = 32) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def rows_of(units: np.ndarray, first: int = 1) -> Rows:
    data = quantise(units)
    return Rows.of(np.arange(first, first + len(data)), data)


@given(st.integers(0, 2**32 - 1))
def test_quantising_keeps_direction_and_is_stable(seed: int) -> None:
    units = random_units(seed, 3)
    data = quantise(units)
    restored = np.array([restore(row.tobytes()) for row in data])
    assert np.abs(restored - units).max() < 0.01
    np.testing.assert_allclose(np.linalg.norm(restored, axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(quantise(restored), data)


def test_zeros_and_what_is_no_number_have_no_direction() -> None:
    data = quantise(np.array([[0, 0], [np.nan, np.inf], [3, -4]], dtype=np.float32))
    assert data[:2].tolist() == [[0, 0], [0, 0]]
    assert scales(data)[:2].tolist() == [0, 0]
    assert restore(data[0].tobytes()).tolist() == [0, 0]
    assert quantise(np.empty((0, 4), dtype=np.float32)).shape == (0, 4)


@given(st.lists(st.integers(-3, 3), max_size=30), st.integers(0, 40))
def test_top_is_a_stable_sort(values: list[int], k: int) -> None:
    scores = np.array(values, dtype=np.float32)
    expected = sorted(range(len(values)), key=lambda place: (-values[place], place))[:k]
    assert top(scores, k).tolist() == expected


def test_nearest_over_parts_with_gaps_and_filters() -> None:
    units = random_units(1, 5000)
    parts = [rows_of(units[:3000]), rows_of(units[3000:], first=3001)]
    gone = np.array([1, 2, 2999, 9999])
    parts[0] = parts[0].without(gone)
    firsts = np.arange(1, 5001, 3)
    allowed = (firsts, np.ones_like(firsts))
    query = units[42]
    for within in (None, allowed):
        found = nearest(parts, query, 10, within)
        cosines = units @ query
        legal = [number for number in range(1, 5001) if number not in gone and (within is None or number % 3 == 1)]
        expected = sorted(legal, key=lambda number: -cosines[number - 1])[:10]
        assert len({chunk for chunk, _ in found} & set(expected)) >= 9
        np.testing.assert_allclose([score for _, score in found], cosines[np.array(expected) - 1], atol=0.01)


def test_a_query_is_blockwise_the_same() -> None:
    block = vectors._BLOCK_NUMBERS // 32
    units = random_units(2, 2 * block + 100)
    starts = range(0, len(units), block)
    one_by_one = nearest([rows_of(units[start : start + block], start + 1) for start in starts], units[3], 100)
    assert nearest([rows_of(units)], units[3], 100) == one_by_one


@given(st.lists(st.text(alphabet='ab", []\\é\n') | st.text()).map(tuple))
def test_listed_names_are_read_as_json(names: tuple[str, ...]) -> None:
    assert sqlite_rows._names(json.dumps(names) if names else None) == names
