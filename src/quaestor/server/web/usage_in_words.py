"""What a user has used and what limits leave, in words for the page. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quaestor.server.web.safe_text import written_words

_PERIODS = (("today", "day", "Today"), ("month", "month", "This month"))
_WHOSE = {"user": "used", "all": "used by everybody together"}


def in_short(told: Mapping[str, Any]) -> str:
    """Return what was used today in a few words, and how much of a limit that is; ``told`` is as ``GET /api/usage``."""
    today = told["today"]
    cost = [money(today["cost"], told["currency"])] if today["cost"] else []
    shares = [one["used"] / one["limit"] for one in told["limits"].values() if one["period"] == "day" and one["limit"]]
    if shares:
        return " · ".join([f"Today: {min(1.0, max(shares)):.0%} of the limit", *cost])
    amount = f"{today['requests']:,} {'request' if today['requests'] == 1 else 'requests'}"
    return " · ".join([f"Today: {amount}", *cost])


def periods(told: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return for today and this month what was used, and the limits with the share of each that is gone."""
    return [
        {
            "name": name,
            "facts": list(_facts(told[key], told["currency"])),
            "meters": list(_meters(told, period)),
        }
        for key, period, name in _PERIODS
    ]


def money(amount: float | None, currency: str) -> str:
    """Return an amount of money: two digits after the point, four where it is little."""
    return "unknown" if amount is None else f"{_number(amount)} {currency}"


def _facts(used: Mapping[str, Any], currency: str) -> Iterator[tuple[str, str]]:
    yield "Cost", money(used["cost"], currency)
    yield "Requests", f"{used['requests']:,}"
    yield "Sent", written_words(used["prompt_tokens"])
    yield "Received", written_words(used["completion_tokens"])
    if used["unpriced"]:
        yield "Without a known price", f"{used['unpriced']:,}"
    if used["reserved"]:
        yield "Under way", f"{used['reserved']:,}"


def _meters(told: Mapping[str, Any], period: str) -> Iterator[dict[str, Any]]:
    for limit in told["limits"].values():
        if limit["period"] == period:
            used, most = (_amount(limit[name], limit["unit"], told["currency"]) for name in ("used", "limit"))
            yield {
                "said": f"{used} of {most} {_WHOSE[limit['scope']]}; renews on {limit['renews'][:10]}",
                "share": round(min(1.0, limit["used"] / limit["limit"]), 4) if limit["limit"] else 1.0,
            }


def _amount(number: float, unit: str, currency: str) -> str:
    return money(number, currency) if unit == "cost" else written_words(int(number))


def _number(number: float) -> str:
    return f"{number:,.4f}" if 0 < number < 1 else f"{number:,.2f}"
