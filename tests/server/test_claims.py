"""What one process of a server does, and no other may do meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.accounts.shared import Shared
from quaestor.server.process_claims import Claims


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Claims, Claims]:
    return Claims(Shared(tmp_path / "shared"), 1), Claims(Shared(tmp_path / "shared"), 2)


def test_only_one_has_it(pair: tuple[Claims, Claims]) -> None:
    one, other = pair
    with one.attempt("turn", "anna", "s") as mine:
        with other.attempt("turn", "anna", "s") as too, one.attempt("turn", "anna", "s") as again:
            assert (mine, too, again) == (True, False, False)
        assert other.taken("turn", "anna", "s")
        with other.attempt("turn", "ben", "s") as another:
            assert another
    assert not other.taken("turn", "anna", "s")
    with other.attempt("turn", "anna", "s") as mine:
        assert mine


def test_a_fault_frees_it(pair: tuple[Claims, Claims]) -> None:
    one, other = pair
    with pytest.raises(RuntimeError), one.attempt("x"):
        raise RuntimeError
    assert not other.taken("x")


def test_what_the_dead_claimed_is_freed_and_nothing_else(pair: tuple[Claims, Claims]) -> None:
    one, other = pair
    with one.attempt("a"), other.attempt("b"):
        one.say("so far", "a")
        assert other.said("a") == "so far"
        other.free_all(1)
        assert (one.taken("a"), one.said("a"), one.taken("b")) == (False, "", True)


@given(st.lists(st.lists(st.text(max_size=3), max_size=3).map(tuple), unique=True, max_size=6))
def test_no_two_names_are_one(names: list[tuple[str, ...]]) -> None:
    claims = Claims()
    for name in names:
        with claims.attempt(*name) as mine:
            assert mine
            assert not any(claims.taken(*other) for other in names if other != name)
