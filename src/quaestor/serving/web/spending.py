"""What a user has used and what limits leave, in words for the page. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_PERIODS = (("today", "day", "Today"), ("month", "month", "This month"))
_WHOSE = {"user": "yours", "all": "of everybody together"}


def in_short(told: Mapping[str, Any]) -> str:
    """Return what was used today in a few words; ``told`` is as ``GET /api/usage`` tells it."""
    today = told["today"]
    tokens = today["prompt_tokens"] + today["completion_tokens"]
    cost = f" · {money(today['cost'], told['currency'])}" if today["cost"] else ""
    return f"Today: {tokens:,} tokens{cost}"


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
    if amount is None:
        return "unknown"
    return f"{amount:,.4f} {currency}" if 0 < amount < 1 else f"{amount:,.2f} {currency}"


def _facts(used: Mapping[str, Any], currency: str) -> Iterator[tuple[str, str]]:
    yield "Cost", money(used["cost"], currency)
    yield "Requests", f"{used['requests']:,}"
    yield "Tokens sent", f"{used['prompt_tokens']:,}"
    yield "Tokens received", f"{used['completion_tokens']:,}"
    if used["unpriced"]:
        yield "Without a known price", f"{used['unpriced']:,}"
    if used["reserved"]:
        yield "Under way", f"{used['reserved']:,}"


def _meters(told: Mapping[str, Any], period: str) -> Iterator[dict[str, Any]]:
    for limit in told["limits"].values():
        if limit["period"] == period:
            used, most = (_shown(limit[name], limit["unit"], told["currency"]) for name in ("used", "limit"))
            yield {
                "said": f"{used} of {most}, {_WHOSE[limit['scope']]}; renews on {limit['renews'][:10]}",
                "share": round(min(1.0, limit["used"] / limit["limit"]), 4) if limit["limit"] else 1.0,
            }


def _shown(number: float, unit: str, currency: str) -> str:
    return money(number, currency) if unit == "cost" else f"{number:,.0f} tokens"
