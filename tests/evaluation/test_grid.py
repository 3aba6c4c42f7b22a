"""Which configurations are tried, and which are compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.errors import UsageError
from quaestor.evaluation.grid import differ_in, grid, steps

names = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3, unique=True)
retrievers = st.lists(st.sampled_from(["hybrid", "lexical", "dense"]), min_size=1, max_size=3)
rankers = st.lists(st.booleans(), min_size=1, max_size=2, unique=True)


def test_every_combination_once() -> None:
    found = grid(["e", "f"], ["auto", "lines:40"], ["hybrid"], [True, False])
    assert [str(one) for one in found] == [
        *["e · auto · ranked", "e · auto · fusion", "e · lines:40 · ranked", "e · lines:40 · fusion"],
        *["f · auto · ranked", "f · auto · fusion", "f · lines:40 · ranked", "f · lines:40 · fusion"],
    ]


def test_one_retriever_is_not_ranked_and_words_need_no_vectors() -> None:
    found = grid(["e", "f"], ["auto"], ["lexical", "dense"], [True, False])
    assert [(one.embedder, one.search) for one in found] == [("e", "lexical"), ("e", "dense"), ("f", "dense")]


def test_what_cannot_be_tried_is_refused() -> None:
    with pytest.raises(UsageError, match="no retriever 'magic'"):
        grid(["e"], ["auto"], ["magic"], [True])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="400 configurations"):
        grid([str(number) for number in range(200)], ["auto"], ["hybrid"], [True, False])


@given(names, names, retrievers, rankers)
def test_steps_differ_in_one_thing_and_begin_at_what_was_given_first(
    embedders: list[str], chunkers: list[str], searches: list[str], ranked: list[bool]
) -> None:
    found = grid(embedders, chunkers, searches, ranked)  # type: ignore[arg-type]
    assert len(set(found)) == len(found)
    pairs = list(steps(found))
    assert len({(step.before, step.after) for step in pairs}) == len(pairs)
    for step in pairs:
        assert differ_in(step.before, step.after) == (step.what,)
        assert getattr(step.before, step.what) == getattr(found[0], step.what)
    # Whatever differs from the first configuration in one thing is compared with it.
    assert {step.after for step in pairs if step.before == found[0]} == {
        one for one in found if len(differ_in(found[0], one)) == 1
    }
