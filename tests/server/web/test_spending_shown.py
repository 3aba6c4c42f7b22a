"""What was spent, in words."""

from __future__ import annotations

from quaestor.server.web.page_frame import money, usage_by_period, usage_in_short

USED = {
    "requests": 3,
    "prompt_tokens": 12_000,
    "completion_tokens": 345,
    "cost": 0.0123,
    "unpriced": 1,
    "reserved": 0,
}
LIMIT = {
    "scope": "user",
    "period": "day",
    "unit": "cost",
    "limit": 1.0,
    "used": 0.25,
    "left": 0.75,
    "renews": "2026-11-22T00",
}
TOLD = {
    "currency": "USD",
    "today": USED,
    "month": {**USED, "cost": None},
    "limits": {
        "limit_day_cost": LIMIT,
        "all_month_tokens": {**LIMIT, "scope": "all", "period": "month", "unit": "tokens", "limit": 1000, "used": 5000},
    },
}


def test_today_is_told_in_short() -> None:
    assert usage_in_short(TOLD) == "Today: 25% of the limit · 0.0123 USD"
    assert usage_in_short({**TOLD, "limits": {}}) == "Today: 3 requests · 0.0123 USD"
    assert usage_in_short({**TOLD, "today": {**USED, "cost": None}, "limits": {}}) == "Today: 3 requests"


def test_each_period_has_its_limits() -> None:
    today, month = usage_by_period(TOLD)
    assert dict(today["facts"])["Cost"] == "0.0123 USD"
    assert today["meters"] == [{"said": "0.2500 USD of 1.00 USD used; renews on 2026-11-22", "share": 0.25}]
    assert dict(month["facts"])["Cost"] == "unknown"
    assert month["meters"][0]["share"] == 1.0
    assert month["meters"][0]["said"].startswith("about 3,300 words of about 670 words used by everybody together")


def test_money_keeps_small_amounts() -> None:
    assert [money(amount, "EUR") for amount in (None, 0, 0.5, 1234.5)] == [
        "unknown",
        "0.00 EUR",
        "0.5000 EUR",
        "1,234.50 EUR",
    ]
