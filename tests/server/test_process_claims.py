"""Claims: work that one process of a server does, and no other at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.server.process_claims import Claims, Renewal
from quaestor.state.rows import Shared, SharedFile


@pytest.fixture(params=["file", "server"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Shared]:
    """Opens the same claims anew each time, as several processes do."""
    if request.param == "file":
        return lambda: SharedFile(tmp_path / "shared")
    open_tables: Callable[[], Shared] = request.getfixturevalue("open_tables")
    return open_tables


@pytest.fixture
def pair(shared: Callable[[], Shared]) -> tuple[Claims, Claims]:
    return Claims(shared(), "1"), Claims(shared(), "2")


def test_only_one_has_it(pair: tuple[Claims, Claims]) -> None:
    one, other = pair
    with one.attempt("turn", "anna", "s") as mine:
        with other.attempt("turn", "anna", "s") as too, one.attempt("turn", "anna", "s") as again:
            assert (mine, too, again) == (True, False, False)
        assert other.is_claimed("turn", "anna", "s")
        with other.attempt("turn", "ben", "s") as another:
            assert another
    assert not other.is_claimed("turn", "anna", "s")
    with other.attempt("turn", "anna", "s") as mine:
        assert mine


def test_a_fault_frees_it(pair: tuple[Claims, Claims]) -> None:
    one, other = pair
    with pytest.raises(RuntimeError), one.attempt("x"):
        raise RuntimeError
    assert not other.is_claimed("x")


def test_what_the_dead_claimed_is_freed_and_nothing_else(pair: tuple[Claims, Claims]) -> None:
    one, other = pair
    with one.attempt("a"), other.attempt("b"):
        one.publish("so far", "a")
        assert other.published_text("a") == "so far"
        other.free_all("1")
        assert (one.is_claimed("a"), one.published_text("a"), one.is_claimed("b")) == (False, "", True)


@given(st.lists(st.lists(st.text(max_size=3), max_size=3).map(tuple), unique=True, max_size=6))
def test_no_two_names_are_one(names: list[tuple[str, ...]]) -> None:
    claims = Claims()
    for name in names:
        with claims.attempt(*name) as mine:
            assert mine
            assert not any(claims.is_claimed(*other) for other in names if other != name)


def until(said: Callable[[], bool]) -> None:
    """Ask until something is so; the test's own time limit ends what never is."""
    while not said():
        threading.Event().wait(0.02)


def test_a_lease_that_nobody_renews_ends_by_itself(shared: Callable[[], Shared]) -> None:
    dead, other = Claims(shared(), "dead", lease=0.3), Claims(shared(), "other", lease=60)
    with dead.attempt("turn") as mine:
        assert mine
        until(lambda: not other.is_claimed("turn"))
        with other.attempt("turn") as theirs:
            assert theirs
            with dead.attempt("turn") as again:
                assert not again
    # What had come to its end was not the dead one's to free.
    with other.attempt("turn") as mine, dead.attempt("turn") as theirs:
        assert (mine, theirs) == (True, False)


def test_a_lease_that_is_renewed_lasts_as_long_as_it_is_held(shared: Callable[[], Shared]) -> None:
    claims, other = Claims(shared(), "one", lease=1.0), shared()
    with Renewal(claims), claims.attempt("turn"):
        first = _end(other)
        until(lambda: _end(other) > first + 1.0)
        with Claims(other, "two", lease=1.0).attempt("turn") as mine:
            assert not mine


def _end(shared: Shared) -> float:
    with shared.step("") as connection:
        return float(connection.execute("select until from claims").fetchone()[0])
