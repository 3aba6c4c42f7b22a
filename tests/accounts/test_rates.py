"""Rate limits, by a clock that the tests advance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.accounts.rates import RateLimiter
from quaestor.core.errors import LimitError
from quaestor.state.rows import Shared, SharedFile


class Clock:
    """Seconds that go on when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def allowed(limiter: RateLimiter, key: str = "anna") -> bool:
    try:
        limiter.take(key)
    except LimitError:
        return False
    return True


def test_a_burst_then_an_even_flow() -> None:
    clock = Clock()
    limiter = RateLimiter(60, burst=3, clock=clock)
    assert [allowed(limiter) for _ in range(4)] == [True, True, True, False]
    clock.now += 1
    assert [allowed(limiter) for _ in range(2)] == [True, False]
    assert allowed(limiter, "ben")
    clock.now += 3600
    assert [allowed(limiter) for _ in range(4)] == [True, True, True, False]


def test_it_says_when() -> None:
    clock = Clock()
    limiter = RateLimiter(6, burst=1, clock=clock)
    limiter.take("anna")
    clock.now += 2.5
    said = r"^Too many requests: 6 a minute are allowed. Try again in 8 seconds\.$"
    with pytest.raises(LimitError, match=said) as refused:
        limiter.take("anna")
    assert (refused.value.retry_after, refused.value.http_status) == (8, 429)
    clock.now += 7
    with pytest.raises(LimitError, match=r"Try again in 1 second\.$"):
        limiter.take("anna")
    clock.now += 1
    limiter.take("anna")


def test_no_limit() -> None:
    limiter = RateLimiter(0)
    assert all(allowed(limiter) for _ in range(10_000))


@given(
    per_minute=st.integers(1, 600),
    burst=st.integers(1, 20),
    steps=st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 30)), max_size=200),
)
def test_never_more_than_the_bucket_and_what_flows_in(
    per_minute: int, burst: int, steps: list[tuple[str, float]]
) -> None:
    clock = Clock()
    limiter = RateLimiter(per_minute, burst, clock=clock)
    taken = {"a": 0, "b": 0}
    for key, seconds in steps:
        clock.now += seconds
        taken[key] += allowed(limiter, key)
        assert taken[key] <= burst + (clock.now - 1000) * per_minute / 60 + 1e-6


def test_full_buckets_are_forgotten() -> None:
    clock = Clock()
    limiter = RateLimiter(60, burst=5, clock=clock)
    for number in range(1000):
        limiter.take(f"user {number}")
    clock.now += 60
    limiter.take("anna")
    assert limiter.bucket_count == 1


def test_processes_share_a_bucket(shared: Callable[[], Shared]) -> None:
    """Two limiters that share, as two processes of a server have them, or two servers."""
    clock = Clock()
    one, other = (RateLimiter(60, burst=3, clock=clock, shared=shared()) for _ in range(2))
    assert [allowed(limiter) for limiter in (one, other, one, other)] == [True, True, True, False]
    clock.now += 1
    assert [allowed(limiter) for limiter in (other, one)] == [True, False]


def test_what_is_checked_is_not_taken() -> None:
    clock = Clock()
    limiter = RateLimiter(60, burst=1, clock=clock)
    for _ in range(10):
        limiter.check("anna")
    limiter.take("anna")
    with pytest.raises(LimitError):
        limiter.check("anna")
    clock.now += 1
    limiter.check("anna")


def test_limiters_of_different_things_share_no_bucket(shared: Callable[[], Shared]) -> None:
    clock, together = Clock(), shared()
    requests, guesses = (
        RateLimiter(6000, 1, clock=clock, shared=together),
        RateLimiter(1, 1, clock=clock, shared=together, what="guesses"),
    )
    guesses.take("anna")
    requests.take("anna")
    clock.now += 1
    # Whoever sweeps its own full buckets away leaves the others.
    requests.take("ben")
    assert not allowed(guesses)


def test_without_a_clock_of_the_tests_all_who_share_have_the_same_time(shared: Callable[[], Shared]) -> None:
    one, other = (RateLimiter(1, burst=2, shared=shared()) for _ in range(2))
    assert [allowed(limiter) for limiter in (one, other, one, other)] == [True, True, False, False]
    assert one.bucket_count == other.bucket_count == 1


def test_full_buckets_are_forgotten_for_all(shared: Callable[[], Shared]) -> None:
    clock = Clock()
    one, other = (RateLimiter(60, burst=5, clock=clock, shared=shared()) for _ in range(2))
    for number in range(20):
        one.take(f"user {number}")
    clock.now += 60
    other.take("anna")
    assert one.bucket_count == 1


class OwnTime(SharedFile):
    """A database whose clock is asked in a transaction, as PostgreSQL's is."""

    def now(self, connection: Any) -> float:
        return float(connection.execute("select 1000.0").fetchone()[0])


def test_the_clock_of_the_database_is_asked_within_the_transaction() -> None:
    limiter = RateLimiter(60, burst=2, shared=OwnTime())
    assert [allowed(limiter) for _ in range(3)] == [True, True, False]
    with pytest.raises(LimitError):
        limiter.check("anna")
