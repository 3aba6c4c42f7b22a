"""Spending limits: for each user and for all together, by day and by month, in money and in tokens.

A request is allowed only if all that is used or reserved, plus the most that the request could take, stays within every
limit. This module is pure; the ledger calls it within the transaction that reserves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from quaestor.accounts.money import Amount, millionths, money_in_words
from quaestor.core.config import Settings
from quaestor.core.errors import BudgetError

Length = Literal["day", "month"]


@dataclass(frozen=True, slots=True)
class Period:
    """One day or month.

    Attributes:
        length: whether it is a day or a month.
        name: ``2026-11-21`` or ``2026-11``.
        end: the time at which the next one begins.
    """

    length: Length
    name: str
    end: datetime


def day_at(seconds: float) -> Period:
    """Return the day in UTC of a time in seconds since the epoch."""
    now = datetime.fromtimestamp(seconds, UTC)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return Period("day", f"{now:%Y-%m-%d}", midnight + timedelta(days=1))


def month_at(seconds: float) -> Period:
    """Return the month in UTC of a time in seconds since the epoch."""
    now = datetime.fromtimestamp(seconds, UTC)
    year, month = (now.year, now.month + 1) if now.month < 12 else (now.year + 1, 1)
    return Period("month", f"{now:%Y-%m}", datetime(year, month, 1, tzinfo=UTC))


def until(seconds: float, end: datetime) -> str:
    """Return the time from one moment to a later one, as text for people: ``8 h 12 min``."""
    minutes = max(1, -int((seconds - end.timestamp()) // 60))
    days, hours = minutes // 1440, minutes // 60 % 24
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"


Scope = Literal["user", "all"]
Unit = Literal["cost", "tokens"]

_SCOPES: Mapping[str, Scope] = {"limit": "user", "all": "all"}
_LENGTHS: tuple[Length, ...] = ("day", "month")
_UNITS: tuple[Unit, ...] = ("cost", "tokens")
_WHOSE: Mapping[Scope, str] = {"user": "for each user", "all": "for all users together"}


@dataclass(frozen=True, slots=True)
class SpentInPeriod:
    """What was used or reserved in one period.

    Attributes:
        period: the day or month.
        scope: whether by one user or by all.
        tokens: tokens sent and received.
        cost: the cost in millionths of the currency's unit.
    """

    period: Period
    scope: Scope
    tokens: int
    cost: int


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit.

    Attributes:
        setting: the setting's name.
        scope: whether it limits each user, or all together.
        length: whether it limits a day or a month.
        unit: whether it limits money or tokens.
        most: the limit in millionths of the currency's unit, or in tokens.
    """

    setting: str
    scope: Scope
    length: Length
    unit: Unit
    most: int

    def part_used(self, spent: SpentInPeriod) -> int:
        """Return the amount that counts toward this limit."""
        return spent.cost if self.unit == "cost" else spent.tokens

    def part_needed(self, amount: Amount) -> int:
        """Return the amount of a request that counts toward this limit."""
        return (amount.cost or 0) if self.unit == "cost" else amount.tokens

    def in_words(self, number: int, currency: str) -> str:
        """Return an amount in this limit's unit as text for people."""
        return money_in_words(number, currency) if self.unit == "cost" else f"{number:,} tokens"

    def describe(self, currency: str) -> str:
        """Return the limit in words: ``1.00 USD a day for each user (setting 'limit_day_cost')``."""
        return f"{self.in_words(self.most, currency)} a {self.length} {_WHOSE[self.scope]} (setting {self.setting!r})"


@dataclass(frozen=True, slots=True)
class LimitBalance:
    """How much of a limit is left.

    Attributes:
        limit: the limit.
        used: the amount used or reserved.
        period: the day or month after which the limit renews.
    """

    limit: Limit
    used: int
    period: Period

    @property
    def left(self) -> int:
        """The amount that may still be spent."""
        return max(0, self.limit.most - self.used)


@dataclass(frozen=True, slots=True)
class Limits:
    """All limits that are set.

    Attributes:
        each: the limits, in the order of their settings.
    """

    each: tuple[Limit, ...] = ()

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """Return the limits that the settings name; 0 means no limit."""
        return cls(tuple(_limits(settings)))

    @property
    def of_money(self) -> bool:
        """Whether any limit is about money, so that every price must be known."""
        return any(limit.unit == "cost" for limit in self.each)

    def balances(self, spent: tuple[SpentInPeriod, ...]) -> list[LimitBalance]:
        """Return how much of each limit is left."""
        places = {(one.scope, one.period.length): one for one in spent}
        places_of_limits = [(limit, places[limit.scope, limit.length]) for limit in self.each]
        return [LimitBalance(limit, limit.part_used(one), one.period) for limit, one in places_of_limits]

    def check(self, spent: tuple[SpentInPeriod, ...], needed: Amount, now: float) -> None:
        """Check that a request cannot exceed a limit.

        Args:
            spent: what the user and all users together have spent today and this month.
            needed: the most that the request could take.
            now: the time in seconds since the epoch.

        Raises:
            BudgetError: it could exceed a limit; of several limits, the error names the one that renews last.
        """
        passed = [one for one in self.balances(spent) if one.used + one.limit.part_needed(needed) > one.limit.most]
        if passed:
            # If a request is larger than a whole limit, waiting does not help.
            worst = max(passed, key=lambda one: (one.limit.part_needed(needed) > one.limit.most, one.period.end))
            raise _refusal(worst, needed, now)


def _limits(settings: Settings) -> Iterator[Limit]:
    for prefix, scope in _SCOPES.items():
        for length in _LENGTHS:
            for unit in _UNITS:
                name = f"{prefix}_{length}_{unit}"
                value = getattr(settings, name)
                if value:
                    yield Limit(name, scope, length, unit, millionths(value) if unit == "cost" else value)


def _refusal(exceeded: LimitBalance, amount: Amount, now: float) -> BudgetError:
    limit, period, currency = exceeded.limit, exceeded.period, amount.currency
    needed = limit.part_needed(amount)
    could = f"This request was not sent. It could take up to {limit.in_words(needed, currency)}"
    if needed > limit.most:
        return BudgetError(
            f"{could}, more than the whole limit of {limit.describe(currency)}."
            " Ask for less, with a smaller window or reserve, or raise the limit."
        )
    return BudgetError(
        f"{could}, and of the limit of {limit.describe(currency)} {limit.in_words(exceeded.used, currency)}"
        f" {'is' if limit.unit == 'cost' else 'are'} used or reserved. It renews at {period.end:%Y-%m-%d %H:%M} UTC,"
        f" in {until(now, period.end)}. Ask for less, wait, or raise the limit.",
        retry_after=max(1.0, period.end.timestamp() - now),
    )
