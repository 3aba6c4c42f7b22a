"""Trusting the dense retriever more or less changes the weight of its features alone."""

from __future__ import annotations

import numpy as np
import pytest

from quaestor.search.features import FEATURES
from quaestor.search.ranker import Ranker, with_dense_factor

DENSE = np.array(["dense" in name for name in FEATURES])


def test_trusted_as_it_is_nothing_changes() -> None:
    assert with_dense_factor(Ranker.bundled(), 1.0) is Ranker.bundled()


@pytest.mark.parametrize("trust", [0.5, 1.5, 2.0])
def test_only_what_the_dense_retriever_says_is_scaled(trust: float) -> None:
    before, after = Ranker.bundled(), with_dense_factor(Ranker.bundled(), trust)
    scaled = 0
    for one, other in zip(before, after, strict=True):
        if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
            continue
        assert np.array_equal(one[~DENSE], other[~DENSE])
        assert np.allclose(other[DENSE], one[DENSE] * trust)
        scaled += 1
    assert scaled == 2
    assert after.name != before.name
