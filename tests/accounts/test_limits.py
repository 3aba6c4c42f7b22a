"""Limits, money and periods at their boundary values: pure arithmetic without a file."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.accounts.limits import Length, Limit, Limits, Period, Scope, SpentInPeriod, Unit, day_at, month_at, until
from quaestor.accounts.money import Amount, Price, millionths, money_in_words
from quaestor.core.config import Settings
from quaestor.core.errors import BudgetError

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC).timestamp()
DAY, MONTH = day_at(NOON), month_at(NOON)


def limit(scope: Scope, length: Length, unit: Unit, most: int) -> Limit:
    return Limit(f"{'limit' if scope == 'user' else 'all'}_{length}_{unit}", scope, length, unit, most)


def spent(tokens: int = 0, cost: int = 0) -> tuple[SpentInPeriod, ...]:
    """Return that each user and all have used the same, today and this month."""
    return tuple(SpentInPeriod(period, scope, tokens, cost) for period in (DAY, MONTH) for scope in ("user", "all"))


def refusal(
    limits: tuple[Limit, ...], used: tuple[SpentInPeriod, ...], needed: Amount, now: float = NOON
) -> BudgetError:
    with pytest.raises(BudgetError) as caught:
        Limits(limits).check(used, needed, now)
    return caught.value


@pytest.mark.parametrize("scope", ["user", "all"])
@pytest.mark.parametrize("length", ["day", "month"])
@pytest.mark.parametrize("unit", ["tokens", "cost"])
def test_a_limit_may_be_reached_and_not_passed(scope: Scope, length: Length, unit: Unit) -> None:
    limits = (limit(scope, length, unit, 100),)
    # What is not limited is spent without end.
    other = {"tokens": 10**9, "cost": 10**9} | {unit: 70}
    used = tuple(
        SpentInPeriod(period, of, **other)
        if (of, period.length) == (scope, length)
        else SpentInPeriod(period, of, 10**9, 10**9)
        for period in (DAY, MONTH)
        for of in ("user", "all")
    )
    exact = Amount(20, 10, 30, "USD")
    Limits(limits).check(used, exact, NOON)
    more = Amount(20, 11, 31, "USD")
    assert f"setting '{limits[0].setting}'" in str(refusal(limits, used, more))


def test_without_limits_all_is_let_through() -> None:
    Limits(()).check(spent(10**12, 10**12), Amount(10**9, 0, 10**9, "USD"), NOON)
    assert not Limits(()).of_money
    assert not Limits((limit("user", "day", "tokens", 1),)).of_money
    assert Limits((limit("user", "day", "tokens", 1), limit("all", "day", "cost", 1))).of_money


def test_what_has_no_price_takes_no_money() -> None:
    Limits((limit("user", "day", "cost", 5),)).check(spent(cost=5), Amount(9, 9, None, "USD"), NOON)


def test_a_refusal_says_what_how_much_and_until_when() -> None:
    error = refusal((limit("user", "day", "tokens", 1000),), spent(tokens=990), Amount(6, 5, None, "USD"))
    assert str(error) == (
        "This request was not sent. It could take up to 11 tokens, and of the limit of 1,000 tokens a day for each user"
        " (setting 'limit_day_tokens') 990 tokens are used or reserved. It renews at 2026-11-25 00:00 UTC,"
        " in 12 h 0 min. Ask for less, wait, or raise the limit."
    )
    assert error.retry_after == 12 * 3600
    money = refusal((limit("all", "month", "cost", 2_000_000),), spent(cost=1_990_000), Amount(1, 1, 20_000, "EUR"))
    assert str(money) == (
        "This request was not sent. It could take up to 0.02 EUR, and of the limit of 2.00 EUR a month for all users"
        " together (setting 'all_month_cost') 1.99 EUR is used or reserved. It renews at 2026-12-01 00:00 UTC,"
        " in 6 d 12 h. Ask for less, wait, or raise the limit."
    )


def test_what_is_larger_than_a_limit_is_told_so_and_not_to_wait() -> None:
    error = refusal((limit("user", "day", "tokens", 10),), spent(), Amount(6, 5, None, "USD"))
    assert str(error) == (
        "This request was not sent. It could take up to 11 tokens, more than the whole limit of 10 tokens a day for"
        " each user (setting 'limit_day_tokens'). Ask for less, with a smaller window or reserve, or raise the limit."
    )
    assert error.retry_after is None
    exact = refusal((limit("user", "day", "tokens", 11),), spent(tokens=1), Amount(6, 5, None, "USD"))
    assert exact.retry_after is not None, "tomorrow it fits"


def test_of_several_limits_that_one_is_named_for_which_waiting_helps_least() -> None:
    today, this_month = limit("user", "day", "tokens", 100), limit("all", "month", "tokens", 100)
    for limits in ((today, this_month), (this_month, today)):
        assert "all_month_tokens" in str(refusal(limits, spent(tokens=95), Amount(6, 0, None, "USD")))
    # Alone, it is as large as the limit, and fits tomorrow.
    assert "all_month" in str(
        refusal((replace(today, most=6), this_month), spent(tokens=95), Amount(6, 0, None, "USD"))
    )
    tight = replace(today, most=5)
    for limits in ((tight, this_month), (this_month, tight)):
        assert "limit_day_tokens" in str(refusal(limits, spent(tokens=95), Amount(6, 0, None, "USD")))


def test_waiting_takes_a_second_at_least() -> None:
    end = DAY.end.timestamp()
    for before, wait in ((0.2, 1.0), (5.0, 5.0)):
        error = refusal((limit("user", "day", "tokens", 9),), spent(tokens=9), Amount(1, 0, None, "USD"), end - before)
        assert error.retry_after == wait


def test_what_is_left_is_never_less_than_nothing() -> None:
    limits = Limits((limit("user", "day", "tokens", 10), limit("all", "month", "cost", 10)))
    day, month = limits.balances(spent(tokens=4, cost=12))
    assert [(one.used, one.left, one.period) for one in (day, month)] == [(4, 6, DAY), (12, 0, MONTH)]


def test_settings_name_the_limits() -> None:
    assert Limits.of(Settings()) == Limits(())
    assert Limits.of(Settings(limit_day_cost=1.5, all_month_tokens=7)) == Limits(
        (limit("user", "day", "cost", 1_500_000), limit("all", "month", "tokens", 7))
    )
    every = Settings(
        **{
            f"{whose}_{length}_{unit}": 1
            for whose in ("limit", "all")
            for length in ("day", "month")
            for unit in ("cost", "tokens")
        }
    )
    assert len({(one.setting, one.scope, one.length, one.unit) for one in Limits.of(every).each}) == 8


# --- money --------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.decimals(0, 100, places=4), st.decimals(0, 100, places=4))
def test_a_request_costs_what_its_tokens_cost_rounded_up(sent: int, received: int, one: Decimal, two: Decimal) -> None:
    exact = Fraction(one) * sent + Fraction(two) * received
    assert 0 <= Price(one, two).cost(sent, received) - exact < 1


def test_no_request_is_free_where_tokens_have_a_price() -> None:
    price = Price(Decimal("0.15"), Decimal("0.6"))
    assert [price.cost(1, 0), price.cost(0, 1), price.cost(20, 0), price.cost(20, 5), price.cost(0, 0)] == [
        1,
        1,
        3,
        6,
        0,
    ]
    assert Amount(3, 4, None, "USD").tokens == 7
    assert not Amount(3, 4, None, "USD").reported


@pytest.mark.parametrize(
    ("units", "whole"), [(0.1, 100_000), (1.0, 1_000_000), (0.0000019, 1), (1e-7, 0), (0.3, 300_000), (2, 2_000_000)]
)
def test_limits_are_whole_millionths(units: float, whole: int) -> None:
    assert millionths(units) == whole


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (1_250_000, "1.25 USD"),
        (1_000_000, "1.00 USD"),
        (1, "0.000001 USD"),
        (0, "0.00 USD"),
        (1_234_567_890_100, "1,234,567.8901 USD"),
        (500_000, "0.50 USD"),
    ],
)
def test_money_has_as_many_digits_as_it_takes(cost: int, text: str) -> None:
    assert money_in_words(cost, "USD") == text


# --- periods ------------------------------------------------------------------------------------------------------


def at(*moment: int) -> float:
    return datetime(*moment, tzinfo=UTC).timestamp()  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("moment", "day", "tomorrow", "month", "next_month"),
    [
        ((2026, 11, 24, 12, 30, 5), "2026-11-24", (2026, 11, 25), "2026-11", (2026, 12, 1)),
        ((2026, 12, 31, 23, 59, 59), "2026-12-31", (2027, 1, 1), "2026-12", (2027, 1, 1)),
        ((2027, 1, 1), "2027-01-01", (2027, 1, 2), "2027-01", (2027, 2, 1)),
        ((2028, 2, 28, 23), "2028-02-28", (2028, 2, 29), "2028-02", (2028, 3, 1)),
    ],
)
def test_days_and_months_end_at_midnight_in_utc(
    moment: tuple[int, ...], day: str, tomorrow: tuple[int, ...], month: str, next_month: tuple[int, ...]
) -> None:
    for fraction in (0.0, 0.25):
        now = at(*moment) + fraction
        assert day_at(now) == Period("day", day, datetime(*tomorrow, tzinfo=UTC))  # type: ignore[misc, arg-type]
        assert month_at(now) == Period("month", month, datetime(*next_month, tzinfo=UTC))  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1 min"),
        (1, "1 min"),
        (60, "1 min"),
        (61, "2 min"),
        (3599, "1 h 0 min"),
        (3540, "59 min"),
        (3601, "1 h 1 min"),
        (86_340, "23 h 59 min"),
        (86_400, "1 d 0 h"),
        (2 * 86_400 + 5 * 3600 + 59 * 60, "2 d 5 h"),
    ],
)
def test_how_long_it_is_in_words(seconds: int, text: str) -> None:
    assert until(NOON - seconds, datetime.fromtimestamp(NOON, UTC)) == text
