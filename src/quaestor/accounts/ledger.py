"""The ledger: one row for each request to a model, and totals of each day and month.

A request is reserved at its maximum before it is sent, and settled at its actual cost afterwards. Each step is one
transaction that also updates the totals, so the totals always equal the sum of all rows, with reserved ones at their
maximum. Therefore two requests can never exceed a limit together, and the reservation of a crashed process stays
counted at its maximum, because its request may have been sent and billed. After an hour such a row is shown as lapsed.
It stops counting when its day and month are over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from quaestor.accounts import Purpose
from quaestor.accounts.database import AccountsFile
from quaestor.accounts.limits import LimitBalance, Limits, SpentInPeriod, day_at, month_at
from quaestor.accounts.money import MILLION, Amount
from quaestor.state.rows import Connection, Database

State = Literal["done", "failed", "cancelled"]
Grouping = Literal["day", "model", "user"]

LAPSE_SECONDS = 3600.0
"""After this many seconds, a reservation is not expected to be settled any more. If it is, the settlement counts."""

_KEYS: dict[Grouping, str] = {
    "day": "at / 86400000",
    "model": "model",
    "user": '"user"',
}
_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class UsageRow:
    """The total of the requests of one day, model or user, in one currency.

    Attributes:
        key: the day, the model's name, or the user's id.
        currency: the currency of the costs.
        requests: the number of requests.
        counted: the number of requests whose tokens were counted here, because the server did not report them.
        prompt_tokens: tokens sent; those of reserved requests at their maximum.
        completion_tokens: tokens received; those of reserved requests at their maximum.
        cost: the cost in millionths of the currency's unit, reserved requests at their maximum; None if no price
            was known.
        unpriced: the number of requests without a known price, which ``cost`` does not include.
        reserved: the number of requests under way.
        reserved_cost: the maximum cost of requests under way, in millionths of the currency's unit.
        lapsed: the number of requests that were never settled, because their process crashed.
    """

    key: str
    currency: str
    requests: int
    counted: int
    prompt_tokens: int
    completion_tokens: int
    cost: int | None
    unpriced: int
    reserved: int
    reserved_cost: int
    lapsed: int


class Ledger:
    """The recorded requests in one file, or of all servers that share a PostgreSQL database.

    Args:
        database: the database that holds them.
        clock: returns the time in seconds since the epoch.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    @classmethod
    def open(cls, path: Path, *, clock: Callable[[], float] = time.time) -> Ledger:
        """Return the ledger in a file, which the first row creates."""
        return cls(AccountsFile(path), clock=clock)

    @property
    def name(self) -> str:
        """The ledger's location, for people."""
        return self._database.name

    def close(self) -> None:
        """Close the database; the next use opens it again."""
        self._database.close()

    def reserve(self, purpose: Purpose, model: str, bound: Amount, limits: Limits = Limits()) -> int:  # noqa: B008 - frozen
        """Record a request before it is sent, and return the number of its row.

        Args:
            purpose: the request's user and purpose.
            model: the model's name.
            bound: the request's maximum tokens and cost.
            limits: the spending limits.

        Raises:
            BudgetError: the request could exceed a limit; nothing is recorded.
            AccountsUnusableError: the ledger cannot be written.
        """
        now = self._clock()
        with self._database.writing() as connection:
            if limits.each:
                limits.check(_read_spent(connection, purpose.user, bound.currency, now), bound, now)
            number = connection.execute(
                'insert into requests (at, "user", source, session, model, kind, request, state,'
                " prompt_tokens, completion_tokens, reported, cost, currency)"
                " values (?, ?, ?, ?, ?, ?, ?, 'reserved', ?, ?, 0, ?, ?) returning id",
                (
                    int(now * 1000),
                    *(purpose.user, purpose.source, purpose.session, model, purpose.kind, purpose.request),
                    *(bound.prompt_tokens, bound.completion_tokens, bound.cost, bound.currency),
                ),
            ).fetchone()[0]
            _add(connection, now, purpose.user, bound.currency, bound.tokens, bound.cost or 0)
        return int(number)

    def settle(self, number: int, took: Amount, state: State) -> None:
        """Replace a request's reservation by its actual amount.

        Args:
            number: the number of the request's row.
            took: the request's actual tokens and cost.
            state: how the request ended.

        Raises:
            AccountsUnusableError: the ledger cannot be written; the reservation stays.
        """
        with self._database.writing() as connection:
            row = connection.execute(
                'select at, "user", currency, prompt_tokens + completion_tokens, cost from requests where id = ?',
                (number,),
            ).fetchone()
            if row is None:
                return  # the file was replaced by another one
            at, user, currency, tokens, cost = row
            connection.execute(
                "update requests set state = ?, prompt_tokens = ?, completion_tokens = ?, reported = ?, cost = ?,"
                " settled = ? where id = ?",
                (
                    *(state, took.prompt_tokens, took.completion_tokens, int(took.reported), took.cost),
                    *(int(self._clock() * 1000), number),
                ),
            )
            _add(connection, at / 1000, user, currency, took.tokens - tokens, (took.cost or 0) - (cost or 0))

    def spent(self, user: str, currency: str) -> tuple[SpentInPeriod, ...]:
        """Return what a user, and all users together, have used or reserved today and this month.

        Raises:
            AccountsUnusableError: the ledger cannot be read.
        """
        with self._database.reading() as connection:
            return _read_spent(connection, user, currency, self._clock())

    def usage(self, by: Grouping, *, since: date | None = None, user: str | None = None) -> list[UsageRow]:
        """Return totals of requests, grouped: days in order, models and users by cost, the highest first.

        Args:
            by: the grouping.
            since: the first day, in UTC; None for all.
            user: the id of the only user to include; None for all.

        Raises:
            AccountsUnusableError: the ledger cannot be read.
        """
        begin = datetime(since.year, since.month, since.day, tzinfo=UTC).timestamp() if since else 0
        whose = "" if user is None else ' and "user" = :user'
        order = "1, 2" if by == "day" else "cost desc nulls last, tokens desc, 1, 2"
        with self._database.reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                f"select {_KEYS[by]}, currency, count(*),"
                " count(*) filter (where reported = 0 and state <> 'reserved'),"
                " cast(sum(prompt_tokens) as bigint), cast(sum(completion_tokens) as bigint),"
                " cast(sum(cost) as bigint) as cost, count(*) filter (where cost is null),"
                " count(*) filter (where state = 'reserved' and at >= :lapse),"
                " cast(coalesce(sum(cost) filter (where state = 'reserved' and at >= :lapse), 0) as bigint),"
                " count(*) filter (where state = 'reserved' and at < :lapse),"
                " cast(sum(prompt_tokens + completion_tokens) as bigint) as tokens"
                f" from requests where at >= :begin{whose}"
                f" group by 1, 2 order by {order}",
                {"begin": begin * 1000, "user": user, "lapse": int((self._clock() - LAPSE_SECONDS) * 1000)},
            ).fetchall()
        return [UsageRow(_shown_key(by, row[0]), *row[1:-1]) for row in rows]


def _shown_key(by: Grouping, key: Any) -> str:
    return (_EPOCH + timedelta(days=key)).isoformat() if by == "day" else str(key)


def _read_spent(connection: Connection | None, user: str, currency: str, now: float) -> tuple[SpentInPeriod, ...]:
    periods = (day_at(now), month_at(now))
    rows = (
        {}
        if connection is None
        else {
            row[0]: row[1:]
            for row in connection.execute(
                "select period, cast(sum(tokens) as bigint),"
                " cast(coalesce(sum(cost) filter (where currency = :currency), 0) as bigint),"
                ' cast(coalesce(sum(tokens) filter (where "user" = :user), 0) as bigint),'
                ' cast(coalesce(sum(cost) filter (where "user" = :user and currency = :currency), 0) as bigint)'
                " from totals where period in (:day, :month) group by period",
                {"day": periods[0].name, "month": periods[1].name, "user": user, "currency": currency},
            )
        }
    )
    sums: list[SpentInPeriod] = []
    for period in periods:
        tokens, cost, own_tokens, own_cost = rows.get(period.name, (0, 0, 0, 0))
        sums += (SpentInPeriod(period, "all", tokens, cost), SpentInPeriod(period, "user", own_tokens, own_cost))
    return tuple(sums)


def _add(connection: Connection, at: float, user: str, currency: str, tokens: int, cost: int) -> None:
    """Add tokens and cost to the totals of the day and month of a time, in seconds since the epoch."""
    connection.executemany(
        'insert into totals (period, "user", currency, tokens, cost) values (?, ?, ?, ?, ?)'
        ' on conflict (period, "user", currency) do update'
        " set tokens = totals.tokens + excluded.tokens, cost = totals.cost + excluded.cost",
        [(period.name, user, currency, tokens, cost) for period in (day_at(at), month_at(at))],
    )


def overview(ledger: Ledger, limits: Limits, user: str, currency: str) -> dict[str, Any]:
    """Return a user's usage today and this month (UTC), and how much of each limit is left, as JSON values.

    Args:
        ledger: the ledger.
        limits: the spending limits.
        user: the user's id.
        currency: the currency of the prices; costs are in its units, or None if no price was known.

    Raises:
        AccountsUnusableError: the ledger cannot be read.
    """
    spent = ledger.spent(user, currency)
    today = datetime.strptime(spent[0].period.name, "%Y-%m-%d").date()
    return {
        "currency": currency,
        "today": _usage_since(ledger, user, currency, today),
        "month": _usage_since(ledger, user, currency, today.replace(day=1)),
        "limits": {one.limit.setting: balance_object(one) for one in limits.balances(spent)},
    }


def balance_object(balance: LimitBalance) -> dict[str, Any]:
    """Return a limit and what is left of it as JSON values; money is in units of the currency."""
    limit = balance.limit
    scale = MILLION if limit.unit == "cost" else 1
    return {
        "scope": limit.scope,
        "period": limit.length,
        "unit": limit.unit,
        **{name: number / scale if scale > 1 else number for name, number in _numbers(balance).items()},
        "renews": balance.period.end.astimezone(UTC).isoformat(),
    }


def together(rows: Iterable[UsageRow]) -> list[UsageRow]:
    """Return one row for each currency with the sums of the given rows."""
    sums: dict[str, UsageRow] = {}
    for row in rows:
        one = sums.get(row.currency, UsageRow("total", row.currency, 0, 0, 0, 0, None, 0, 0, 0, 0))
        sums[row.currency] = UsageRow(
            one.key,
            one.currency,
            one.requests + row.requests,
            one.counted + row.counted,
            one.prompt_tokens + row.prompt_tokens,
            one.completion_tokens + row.completion_tokens,
            one.cost if row.cost is None else (one.cost or 0) + row.cost,
            one.unpriced + row.unpriced,
            one.reserved + row.reserved,
            one.reserved_cost + row.reserved_cost,
            one.lapsed + row.lapsed,
        )
    return list(sums.values())


def row_object(row: UsageRow) -> dict[str, Any]:
    """Return a row as JSON values; money is in units of the currency."""
    cost = None if row.cost is None else row.cost / MILLION
    return {**asdict(row), "cost": cost, "reserved_cost": row.reserved_cost / MILLION}


def _numbers(balance: LimitBalance) -> dict[str, int]:
    return {"limit": balance.limit.most, "used": balance.used, "left": balance.left}


def _usage_since(ledger: Ledger, user: str, currency: str, since: date) -> dict[str, Any]:
    rows = [row for row in ledger.usage("user", since=since, user=user) if row.currency == currency]
    row = rows[0] if rows else UsageRow(user, currency, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    return {name: value for name, value in row_object(row).items() if name not in ("key", "currency")}
