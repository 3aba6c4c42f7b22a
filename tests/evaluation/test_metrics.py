"""Metrics and statistics against their definitions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.evaluation.metrics import (
    Location,
    Target,
    covers,
    each_document_once,
    ndcg,
    recall,
    reciprocal_rank,
)
from quaestor.evaluation.statistics import difference, estimate, holm

places = st.tuples(st.sampled_from(["a.py", "b.py", "src/a.py"]), st.integers(1, 30), st.integers(0, 9)).map(
    lambda drawn: (drawn[0], drawn[1], drawn[1] + drawn[2])
)
targets = st.one_of(
    places.map(lambda place: Target(*place)),
    st.sampled_from(["a.py", "b.py", "c.py"]).map(Target),
)


def test_a_target_is_covered_by_its_document_and_a_shared_line() -> None:
    assert covers(("src/a.py", 10, 20), Target("a.py", 20, 30))
    assert covers(("a.py", 30, 40), Target("a.py", 20, 30))
    assert covers(("a.py", 10, 20), Target("src/a.py"))
    assert covers(("a.py", 10, 20), Target("a.py", 30)), "without a last line, the whole document"
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
    slight = [Target("a", gain=0.5), Target("b", gain=1.0)]
    assert ndcg([("a", 1, 1)], slight) == pytest.approx(0.5 / (1 + 0.5 / math.log2(3)))


def test_answers_without_any_gain_are_worth_nothing() -> None:
    assert ndcg([("a", 1, 1)], [Target("a", gain=0.0)]) == 0.0


@given(st.lists(places, max_size=12), st.lists(targets, min_size=1, max_size=6))
def test_every_metric_lies_between_nothing_and_all(results: list[Location], wanted: list[Target]) -> None:
    values = (metric(results, wanted) for metric in (ndcg, recall, reciprocal_rank))
    assert all(0 <= value <= 1 + 1e-9 for value in values)
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


documents = st.sampled_from([f"d{number}" for number in range(15)])


@given(st.lists(documents, max_size=30), st.dictionaries(documents, st.integers(1, 3), min_size=1))
def test_of_documents_the_metrics_are_those_of_trec_eval(ranked: list[str], judged: dict[str, int]) -> None:
    results = each_document_once([(name, 1, 9) for name in ranked])
    wanted = [Target(name, gain=gain) for name, gain in judged.items()]
    # By the book, from a list of gains; `pytrec_eval` gave the same on 3,000 random lists.
    gains = [judged.get(name, 0) for name in dict.fromkeys(ranked)]
    ideal = sum(gain / math.log2(rank + 2) for rank, gain in enumerate(sorted(judged.values(), reverse=True)[:10]))
    assert ndcg(results, wanted) == pytest.approx(
        sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains[:10])) / ideal
    )
    assert recall(results, wanted, 5) == pytest.approx(sum(map(bool, gains[:5])) / len(judged))
    first = next((rank for rank, gain in enumerate(gains[:10], 1) if gain), None)
    assert reciprocal_rank(results, wanted) == pytest.approx(1 / first if first else 0)


def test_values_that_trec_eval_gave() -> None:
    judged = {"b": 1.0, "d": 3.0, "e": 2.0, "x": 1.0}
    wanted = [Target(name, gain=gain) for name, gain in judged.items()]
    results = [(name, 1, 9) for name in "abcdefghij"]
    # pytrec_eval-terrier 0.5.11, ndcg_cut_10, recall_5, recip_rank
    assert ndcg(results, wanted) == pytest.approx(0.519334869973288)
    assert recall(results, wanted, 5) == 0.75
    assert reciprocal_rank(results, wanted) == 0.5


def test_several_tests_are_adjusted_after_holm() -> None:
    assert holm([]) == []
    assert holm([0.03]) == [0.03]
    # By hand: 0.01 * 4, then 0.02 * 3, 0.03 * 2 raised to what stands before, 0.5.
    assert holm([0.03, 0.01, 0.5, 0.02]) == pytest.approx([0.06, 0.04, 0.5, 0.06])


@given(st.lists(st.floats(0, 1), max_size=12))
def test_adjusting_raises_and_keeps_the_order(chances: list[float]) -> None:
    adjusted = holm(chances)
    assert all(before <= after <= 1 for before, after in zip(chances, adjusted, strict=True))
    order = sorted(range(len(chances)), key=chances.__getitem__)
    assert [adjusted[index] for index in order] == sorted(adjusted)


@pytest.mark.parametrize("gains", [(2.0, 1.0), (1.0, 2.0)])
def test_targets_that_one_result_covers_share_the_highest_of_their_gains(gains: tuple[float, float]) -> None:
    wanted = [Target("a", 1, 2, gain=gains[0]), Target("a", 3, 4, gain=gains[1])]
    assert ndcg([("a", 1, 9)], wanted) == pytest.approx(2 / (2 + 1 / math.log2(3)))
