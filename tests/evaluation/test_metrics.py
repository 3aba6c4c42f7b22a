"""Metrics and statistics against their definitions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.evaluation.metrics import METRICS, Location, Target, covers, ndcg, recall, reciprocal_rank
from quaestor.evaluation.statistics import difference, estimate

places = st.tuples(st.sampled_from(["a.py", "b.py", "src/a.py"]), st.integers(1, 30), st.integers(0, 9)).map(
    lambda drawn: (drawn[0], drawn[1], drawn[1] + drawn[2])
)
targets = st.one_of(
    places.map(lambda place: Target(*place)),
    st.sampled_from(["a.py", "b.py", "c.py"]).map(Target),
)


def test_a_target_is_covered_by_its_document_and_a_shared_line() -> None:
    assert covers(("src/a.py", 10, 20), Target("a.py", 20, 30))
    assert covers(("a.py", 10, 20), Target("src/a.py"))
    assert not covers(("a.py", 10, 20), Target("a.py", 21, 30))
    assert not covers(("ba.py", 10, 20), Target("a.py", 10, 20))


def test_ndcg_by_hand() -> None:
    results: list[Location] = [("x", 1, 5), ("a", 1, 5), ("b", 1, 5)]
    ideal = 1 + 1 / math.log2(3)
    assert ndcg(results, [Target("a"), Target("b")]) == pytest.approx((1 / math.log2(3) + 1 / math.log2(4)) / ideal)
    # Both targets at one result: one rank, one gain.
    assert ndcg([("a", 1, 9)], [Target("a", 1, 2), Target("a", 3, 4)]) == pytest.approx(1 / ideal)


def test_graded_answers_count_by_their_gain() -> None:
    wanted = [Target("a", gain=2.0), Target("b", gain=1.0)]
    assert ndcg([("a", 1, 1), ("b", 1, 1)], wanted) == pytest.approx(1)
    assert ndcg([("b", 1, 1), ("a", 1, 1)], wanted) < 1


@given(st.lists(places, max_size=12), st.lists(targets, min_size=1, max_size=6))
def test_every_metric_lies_between_nothing_and_all(results: list[Location], wanted: list[Target]) -> None:
    values = {name: metric(results, wanted) for name, metric in METRICS.items()}
    assert all(0 <= value <= 1 + 1e-9 for value in values.values())
    assert (reciprocal_rank(results, wanted) > 0) == (recall(results, wanted) > 0) == (ndcg(results, wanted) > 0)


@given(st.lists(places, min_size=1, max_size=12), st.lists(targets, min_size=1, max_size=6))
def test_a_further_result_never_harms(results: list[Location], wanted: list[Target]) -> None:
    assert ndcg(results, wanted) >= ndcg(results[:-1], wanted) - 1e-9
    assert recall(results, wanted) >= recall(results[:-1], wanted)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=40))
def test_an_interval_holds_its_mean_and_stays_within_the_values(values: list[float]) -> None:
    found = estimate(values)
    assert min(values) - 1e-9 <= found.low <= found.mean + 1e-9
    assert found.mean - 1e-9 <= found.high <= max(values) + 1e-9
    assert estimate(values) == found


def test_a_real_difference_is_told_from_chance() -> None:
    worse = [0.1 * (number % 7) for number in range(60)]
    better = [value + 0.2 for value in worse]
    assert difference(worse, better).estimate.low > 0
    assert difference(worse, better).p < 0.01
    wavering = [value + (0.1 if number % 2 else -0.1) for number, value in enumerate(worse)]
    assert difference(worse, wavering).p > 0.2
    assert difference(worse, worse).p == 1.0
    assert estimate([]).mean == 0.0
