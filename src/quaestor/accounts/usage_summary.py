"""A summary of one user's usage and limits, as plain values for pages and programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, date, datetime
from typing import Any

from quaestor.accounts.ledger import Ledger, UsageRow
from quaestor.accounts.limits import Limits, Standing
from quaestor.accounts.money import MILLION


def overview(ledger: Ledger, limits: Limits, user: str, currency: str) -> dict[str, Any]:
    """Return a user's usage today and this month (UTC), and the rest of each limit.

    Args:
        ledger: the record.
        limits: what may be spent.
        user: the user's id.
        currency: of the prices; costs are in its units, or None if no price was known.

    Raises:
        AccountsUnusableError: the record cannot be read.
    """
    spent = ledger.spent(user, currency)
    today = datetime.strptime(spent[0].period.name, "%Y-%m-%d").date()
    return {
        "currency": currency,
        "today": _usage_since(ledger, user, currency, today),
        "month": _usage_since(ledger, user, currency, today.replace(day=1)),
        "limits": {one.limit.setting: standing_object(one) for one in limits.standings(spent)},
    }


def standing_object(standing: Standing) -> dict[str, Any]:
    """Return a limit and its rest for programs; money in units of the currency."""
    limit = standing.limit
    scale = MILLION if limit.unit == "cost" else 1
    return {
        "scope": limit.scope,
        "period": limit.length,
        "unit": limit.unit,
        **{name: number / scale if scale > 1 else number for name, number in _numbers(standing).items()},
        "renews": standing.period.end.astimezone(UTC).isoformat(),
    }


def together(rows: Iterable[UsageRow]) -> list[UsageRow]:
    """Return one row for each currency that adds up the others."""
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
    """Return a row of a report for programs; money in units of the currency."""
    cost = None if row.cost is None else row.cost / MILLION
    return {**asdict(row), "cost": cost, "reserved_cost": row.reserved_cost / MILLION}


def _numbers(standing: Standing) -> dict[str, int]:
    return {"limit": standing.limit.most, "used": standing.used, "left": standing.left}


def _usage_since(ledger: Ledger, user: str, currency: str, since: date) -> dict[str, Any]:
    rows = [row for row in ledger.usage("user", since=since, user=user) if row.currency == currency]
    row = rows[0] if rows else UsageRow(user, currency, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    return {name: value for name, value in row_object(row).items() if name not in ("key", "currency")}
