"""Fusion: scores of several retrievers in one list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.search.retriever import convex, normalise

# No score is so small that scaling it loses digits.
SCORES = st.floats(-1000, 1000, allow_nan=False).map(lambda score: round(score, 6))
RESULTS = st.dictionaries(st.integers(0, 20), SCORES, max_size=10).map(lambda found: sorted(found.items()))


def test_the_best_becomes_one() -> None:
    assert normalise([(1, 8.0), (2, 4.0), (3, 0.0)]) == {1: 1.0, 2: 0.5, 3: 0.0}


def test_negative_scores_count_as_none() -> None:
    assert normalise([(1, 2.0), (2, -1.0)]) == {1: 1.0, 2: 0.0}
    assert normalise([(1, -2.0)]) == {}
    assert normalise([]) == {}


def test_weights_add_up() -> None:
    fused = convex([(0.5, [(1, 10.0), (2, 5.0)]), (0.25, [(2, 3.0)])])
    assert fused == {1: 0.5, 2: 0.5}


@given(st.lists(st.tuples(st.floats(0, 1), RESULTS), max_size=4))
def test_bounds(parts: list[tuple[float, list[tuple[int, float]]]]) -> None:
    fused = convex(parts)
    assert set(fused) <= {identifier for _, results in parts for identifier, _ in results}
    assert all(0 <= score <= sum(weight for weight, _ in parts) + 1e-9 for score in fused.values())


@given(RESULTS)
def test_one_retriever_keeps_its_order(results: list[tuple[int, float]]) -> None:
    fused = convex([(1.0, results)])
    positive = sorted((pair for pair in results if pair[1] > 0), key=lambda pair: -pair[1])
    scores = [fused[identifier] for identifier, _ in positive]
    assert scores == sorted(scores, reverse=True)


@given(RESULTS, st.floats(0.1, 100))
def test_the_scale_of_a_retriever_does_not_matter(results: list[tuple[int, float]], factor: float) -> None:
    scaled = [(identifier, score * factor) for identifier, score in results]
    assert convex([(1.0, scaled)]) == pytest.approx(dict(convex([(1.0, results)])))
