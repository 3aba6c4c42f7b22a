"""The ledger's arithmetic, its limits, its days and months."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from account_parts import NOON, Clock, limits, tokens
from hypothesis import given
from hypothesis import strategies as st

from quaestor.accounts import Purpose
from quaestor.accounts.ledger import Ledger
from quaestor.accounts.limits import Limits, day_at, month_at, until
from quaestor.accounts.money import Amount
from quaestor.core.errors import BudgetError
from quaestor.state.rows import Database

Opened = Callable[[], Database]

ANNA, BEN = Purpose(user="anna"), Purpose(user="ben")


def reserved(ledger: Ledger, count: int, allowed: Limits, purpose: Purpose = ANNA, cost: int | None = None) -> int:
    return ledger.reserve(purpose, "m", tokens(count, cost), allowed)


def refusal(ledger: Ledger, count: int, allowed: Limits, purpose: Purpose = ANNA, cost: int | None = None) -> str:
    with pytest.raises(BudgetError) as refused:
        reserved(ledger, count, allowed, purpose, cost)
    assert refused.value.exit_code == 5
    assert refused.value.http_status == 429
    return str(refused.value)


def test_what_is_reserved_counts_until_it_is_settled(opened: Opened) -> None:
    ledger = Ledger(opened(), clock=Clock())
    allowed = limits(limit_day_tokens=100)
    number = reserved(ledger, 80, allowed)
    assert "80 tokens are used or reserved" in refusal(ledger, 21, allowed)
    reserved(ledger, 20, allowed)
    ledger.settle(number, tokens(30), "done")
    reserved(ledger, 50, allowed)
    refusal(ledger, 1, allowed)
    reserved(ledger, 100, allowed, BEN)


def test_a_refusal_says_everything(opened: Opened) -> None:
    ledger = Ledger(opened(), clock=Clock())
    allowed = limits(limit_day_cost=1.0)
    reserved(ledger, 1, allowed, cost=970_000)
    with pytest.raises(BudgetError) as refused:
        reserved(ledger, 1, allowed, cost=50_000)
    assert str(refused.value) == (
        "This request was not sent. It could take up to 0.05 USD, and of the limit of 1.00 USD a day for each user"
        " (setting 'limit_day_cost') 0.97 USD is used or reserved. It renews at 2026-11-22 00:00 UTC, in 12 h 0 min."
        " Ask for less, wait, or raise the limit."
    )
    assert refused.value.retry_after == 12 * 3600


def test_waiting_does_not_help_what_is_larger_than_the_limit(opened: Opened) -> None:
    ledger = Ledger(opened(), clock=Clock())
    with pytest.raises(BudgetError, match="more than the whole limit of 100 tokens a month for all") as refused:
        reserved(ledger, 101, limits(all_month_tokens=100, limit_day_tokens=5))
    assert refused.value.retry_after is None


def test_the_limit_that_renews_last_is_named(opened: Opened) -> None:
    ledger = Ledger(opened(), clock=Clock())
    allowed = limits(limit_day_tokens=10, limit_month_tokens=10)
    reserved(ledger, 10, allowed)
    assert "2026-12-01 00:00 UTC, in 9 d 12 h" in refusal(ledger, 1, allowed)


def test_a_limit_on_all_is_shared(opened: Opened) -> None:
    ledger = Ledger(opened(), clock=Clock())
    allowed = limits(all_day_tokens=100, limit_day_tokens=80)
    reserved(ledger, 80, allowed)
    assert "'limit_day_tokens'" in refusal(ledger, 10, allowed)
    assert "'all_day_tokens'" in refusal(ledger, 30, allowed, BEN)
    reserved(ledger, 20, allowed, BEN)


def test_midnight_and_the_first_of_the_month(opened: Opened) -> None:
    clock = Clock(datetime(2026, 11, 30, 23, 59, 59, 999_000, tzinfo=UTC).timestamp())
    ledger = Ledger(opened(), clock=clock)
    allowed = limits(limit_day_tokens=10, limit_month_tokens=15)
    number = reserved(ledger, 10, allowed)
    refusal(ledger, 1, allowed)
    clock.now += 0.001
    reserved(ledger, 10, allowed)
    # What is settled after midnight belongs to the day in which it was sent.
    ledger.settle(number, tokens(4), "done")
    assert "10 tokens are used" in refusal(ledger, 6, allowed)
    assert [(row.key, row.prompt_tokens) for row in ledger.usage("day")] == [("2026-11-30", 4), ("2026-12-01", 10)]
    assert [row.key for row in ledger.usage("day", since=date(2026, 12, 1))] == ["2026-12-01"]
    clock.now += 86_400
    reserved(ledger, 5, allowed)
    assert "'limit_month_tokens'" in refusal(ledger, 1, allowed)


def test_a_reservation_that_nobody_settles_stays_counted_and_is_shown_as_lapsed(opened: Opened) -> None:
    clock = Clock()
    ledger = Ledger(opened(), clock=clock)
    allowed = limits(limit_day_tokens=100)
    number = reserved(ledger, 100, allowed)
    [row] = ledger.usage("user")
    assert (row.reserved, row.lapsed) == (1, 0)
    clock.now += 3601
    [row] = ledger.usage("user")
    assert (row.reserved, row.lapsed, row.prompt_tokens) == (0, 1, 100)
    refusal(ledger, 1, allowed)
    # A stream of more than an hour is settled all the same.
    ledger.settle(number, tokens(7), "done")
    reserved(ledger, 93, allowed)


def test_sums_by_model_and_user(opened: Opened) -> None:
    ledger = Ledger(opened(), clock=Clock())
    for purpose, model, cost in ((ANNA, "small", 5), (BEN, "large", 100), (ANNA, "large", None)):
        number = ledger.reserve(purpose, model, Amount(10, 10, cost, "USD"))
        ledger.settle(number, Amount(3, 2, cost, "USD", reported=model == "large"), "done")
    ledger.reserve(ANNA, "small", Amount(10, 10, 40, "USD"))
    large, small = ledger.usage("model")
    assert (large.key, large.requests, large.prompt_tokens, large.completion_tokens) == ("large", 2, 6, 4)
    assert (large.cost, large.unpriced, large.counted) == (100, 1, 0)
    assert (small.key, small.cost, small.counted, small.reserved, small.reserved_cost) == ("small", 45, 1, 1, 40)
    assert [(row.key, row.requests) for row in ledger.usage("user")] == [("ben", 1), ("anna", 3)]
    assert [(row.key, row.requests) for row in ledger.usage("day", user="anna")] == [("2026-11-21", 3)]


def test_money_of_another_currency_is_no_part_of_a_limit(opened: Opened) -> None:
    ledger = Ledger(opened(), clock=Clock())
    ledger.reserve(ANNA, "m", Amount(1, 1, 10**6, "USD"))
    allowed = limits(limit_day_cost=1)
    ledger.reserve(ANNA, "m", Amount(1, 1, 10**6, "EUR"), allowed)
    with pytest.raises(BudgetError, match="EUR is used"):
        ledger.reserve(ANNA, "m", Amount(1, 1, 1, "EUR"), allowed)
    assert [(row.currency, row.cost) for row in ledger.usage("user")] == [("EUR", 10**6), ("USD", 10**6)]


def test_reading_makes_no_file(file: Path) -> None:
    ledger = Ledger.open(file)
    assert ledger.usage("day") == []
    assert {one.tokens for one in ledger.spent("", "USD")} == {0}
    assert not file.parent.exists()


STEPS = st.lists(
    st.tuples(
        st.sampled_from(("reserve", "settle", "wait")),
        st.sampled_from((ANNA, BEN)),
        st.integers(0, 60),
        st.floats(0, 1),
    ),
    max_size=60,
)


@given(steps=STEPS, each=st.integers(1, 150), together=st.integers(1, 200))
def test_no_interleaving_passes_a_limit(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, Purpose, int, float]], each: int, together: int
) -> None:
    file = tmp_path_factory.mktemp("ledger") / "accounts.sqlite"
    clock = Clock()
    ledger = Ledger.open(file, clock=clock)
    allowed = limits(limit_day_tokens=each, all_day_tokens=together, all_day_cost=together * 3 / 1e6)
    held: dict[int, tuple[str, str, int]] = {}
    opened: list[int] = []
    for action, purpose, count, share in steps:
        today = day_at(clock.now).name
        if action == "wait":
            clock.now += share * 40_000
        elif action == "settle" and opened:
            number = opened.pop(int(share * (len(opened) - 1)))
            user, day, bound = held[number]
            took = int(bound * share)
            ledger.settle(number, tokens(took, took * 3), "done")
            held[number] = (user, day, took)
        elif action == "reserve":
            own = sum(amount for user, day, amount in held.values() if (user, day) == (purpose.user, today))
            all_of_them = sum(amount for _, day, amount in held.values() if day == today)
            fits = own + count <= each and all_of_them + count <= together
            try:
                number = reserved(ledger, count, allowed, purpose, cost=count * 3)
            except BudgetError:
                assert not fits, "what fits is let through"
            else:
                assert fits, "what does not fit is refused"
                held[number] = (purpose.user, today, count)
                opened.append(number)
    ledger.close()
    with sqlite3.connect(file) as raw:
        for period, length in (("%Y-%m-%d", 10), ("%Y-%m", 7)):
            by_rows = (
                raw.execute(
                    f"select strftime('{period}', at / 1000, 'unixepoch'), user, sum(prompt_tokens), sum(cost)"
                    " from requests group by 1, 2 order by 1, 2"
                ).fetchall()
                if held
                else []
            )
            totals = (
                raw.execute(
                    f"select period, user, tokens, cost from totals where length(period) = {length} order by 1, 2"
                ).fetchall()
                if held
                else []
            )
            assert by_rows == totals
    raw.close()


@given(st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1)))
def test_periods_end_where_the_next_ones_begin(moment: datetime) -> None:
    seconds = moment.replace(tzinfo=UTC).timestamp()
    for at in (day_at, month_at):
        period = at(seconds)
        assert period.name == f"{moment:%Y-%m-%d}"[: len(period.name)]
        assert period.end.timestamp() > seconds
        assert at(period.end.timestamp() - 0.001).name == period.name
        assert at(period.end.timestamp()).name > period.name
        assert re.fullmatch(r"\d+ d \d+ h|\d+ h \d+ min|\d+ min", until(seconds, period.end))


def test_how_long_it_is() -> None:
    end = datetime.fromtimestamp(NOON, UTC)
    assert [until(NOON - gone, end) for gone in (1, 61, 3600, 90_000)] == ["1 min", "2 min", "1 h 0 min", "1 d 1 h"]
