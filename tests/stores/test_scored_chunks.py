"""Scored chunks as pairs and as arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quaestor.stores import ScoredChunks

scores = st.dictionaries(st.integers(0, 40), st.floats(-9, 9, width=32), max_size=20)


@given(scores, st.lists(st.integers(0, 40), max_size=30))
def test_scores_are_found_by_chunk(known: dict[int, float], asked: list[int]) -> None:
    found = ScoredChunks.of(list(known.items())).of_chunks(np.array(asked, dtype=np.int64))
    assert found.dtype == np.float32
    assert found.tolist() == [known.get(chunk, 0.0) for chunk in asked]


@given(scores, st.integers(0, 25))
def test_it_is_a_sequence_of_pairs(known: dict[int, float], count: int) -> None:
    pairs = list(known.items())
    scored = ScoredChunks.of(pairs)
    assert scored == pairs
    assert pairs == scored
    assert scored[:count] == pairs[:count]
    assert scored.best(count) == list(known)[:count]
    assert [scored[place] for place in range(len(scored))] == pairs
    assert dict(scored) == known
    assert bool(scored) is bool(pairs)
    assert repr(scored) == repr(pairs)
    assert scored != "pairs"
