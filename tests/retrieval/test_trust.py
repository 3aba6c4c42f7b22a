"""Trusting the dense retriever more or less: its features alone count otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from quaestor.retrieval.features import FEATURES
from quaestor.retrieval.ranker import Ranker
from quaestor.retrieval.trust import trusting

DENSE = np.array(["dense" in name for name in FEATURES])


def test_trusted_as_it_is_nothing_changes() -> None:
    assert trusting(Ranker.bundled(), 1.0) is Ranker.bundled()


@pytest.mark.parametrize("trust", [0.5, 1.5, 2.0])
def test_only_what_the_dense_retriever_says_is_scaled(trust: float) -> None:
    before, after = Ranker.bundled(), trusting(Ranker.bundled(), trust)
    scaled = 0
    for name, one, other in zip(Ranker._fields, before, after, strict=True):
        if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
            continue
        assert np.array_equal(one[~DENSE], other[~DENSE])
        asked_by_name = name in ("of_symbols", "of_places")
        assert np.allclose(other[DENSE], one[DENSE] * (1 if asked_by_name else trust))
        scaled += not asked_by_name
    assert scaled and after.name != before.name
