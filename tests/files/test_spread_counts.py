"""The distribution of counts."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.files.indexing_values import Range, histogram

counts = st.lists(st.integers(0, 2_000_000), max_size=60)


@given(counts)
def test_a_histogram_holds_every_count_once_in_bars_that_touch(numbers: list[int]) -> None:
    bars = histogram(numbers)
    assert sum(bar.number for bar in bars) == len(numbers)
    for bar in bars:
        inside = [number for number in numbers if bar.first <= number and (bar.last is None or number <= bar.last)]
        assert len(inside) == bar.number
    for one, other in pairwise(bars):
        assert one.last is not None
        assert one.last + 1 == other.first
    assert not bars or (bars[0].number and bars[-1].number)


@given(counts.filter(bool))
def test_least_mean_median_and_most(numbers: list[int]) -> None:
    found = Range.of(numbers)
    assert (found.least, found.most, found.total) == (min(numbers), max(numbers), sum(numbers))
    assert found.mean == pytest.approx(sum(numbers) / len(numbers))
    assert found.median == median(numbers)


def test_nothing_is_spread_over_nothing() -> None:
    assert Range.of([]) == Range()
