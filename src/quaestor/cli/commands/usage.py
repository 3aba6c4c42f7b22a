"""``quaestor usage``: shows the tokens and cost of requests to models, by day, model or user, and the limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import cast

import click

from quaestor.accounts.ledger import Grouping, Ledger, UsageRow, balance_object, row_object, together
from quaestor.accounts.limits import LimitBalance, Limits
from quaestor.accounts.money import Price, money_in_words
from quaestor.accounts.prices import Prices, load_prices
from quaestor.accounts.users import LOCAL, User, Users
from quaestor.assemble import make_ledger, make_users
from quaestor.cli.options import json_option, state_option, state_store
from quaestor.cli.output import echo, one_line, print_json, print_table, remark
from quaestor.cli.scope import configure
from quaestor.core.wording import amount

_DAYS = 30


@click.command("usage")
@state_option
@click.option(
    "--by", type=click.Choice(["day", "model", "user"]), default="day", show_default=True, help="How to group the rows."
)
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="First day (UTC); by default, thirty days ago.")
@click.option("--user", "name", help="Only this user; 'local' means the command line.")
@click.option("--prices", "only_prices", is_flag=True, help="Show only the prices that are used.")
@json_option
def command(by: str, since: datetime | None, name: str | None, only_prices: bool, as_json: bool) -> None:
    """Show the tokens and cost of requests to models, and how much of each limit is left. Days begin at 0:00 UTC."""
    settings = configure(None, store=state_store()).settings
    prices = load_prices(settings)
    if only_prices:
        return _show_prices(prices, settings.model, as_json=as_json)
    ledger, users = make_ledger(settings), make_users(settings)
    user = None if name is None else users.by_name(name)
    first = since.date() if since else datetime.now(UTC).date() - timedelta(days=_DAYS)
    rows = ledger.usage(cast(Grouping, by), since=first, user=None if user is None else user.id)
    rows = _with_user_names(rows, users) if by == "user" else rows
    balances = _balances(ledger, Limits.of(settings), user, prices.currency)
    if as_json:
        balance_objects = [balance_object(one) | {"setting": one.limit.setting} for one in balances]
        return print_json(
            {"by": by, "since": str(first), "usage": [row_object(row) for row in rows], "limits": balance_objects}
        )
    _print_usage(by, first, rows)
    return _print_limits(balances, user, prices.currency)


def _with_user_names(rows: Sequence[UsageRow], users: Users) -> list[UsageRow]:
    """Return rows of users with their names in place of their ids."""
    names = {user.id: user.name for user in (LOCAL, *users.list())}
    return [replace(row, key=names.get(row.key, row.key)) for row in rows]


def _balances(ledger: Ledger, limits: Limits, user: User | None, currency: str) -> list[LimitBalance]:
    """Return the state of the limits on one user, by default the local one, and on all users together."""
    return limits.balances(ledger.spent((user or LOCAL).id, currency)) if limits.each else []


def _print_usage(by: str, first: date, rows: Sequence[UsageRow]) -> None:
    if not rows:
        return remark(f"No request to a model is recorded since {first}.")
    lines = [(row.key, *_cells(row)) for row in rows]
    if len(rows) > 1:
        lines += [("total", *_cells(total)) for total in together(rows)]
    print_table((by, "requests", "sent", "received", "cost", "under way"), lines, right=range(1, 6))
    for text in _notes(rows):
        remark(text)
    return None


def _cells(row: UsageRow) -> tuple[str, ...]:
    cost = "unknown" if row.cost is None else money_in_words(row.cost, row.currency)
    under_way = f"{row.reserved:,}" if row.reserved else ""
    return f"{row.requests:,}", f"{row.prompt_tokens:,}", f"{row.completion_tokens:,}", cost, under_way


def _notes(rows: Sequence[UsageRow]) -> list[str]:
    unpriced, lapsed = sum(row.unpriced for row in rows), sum(row.lapsed for row in rows)
    counted, under_way = sum(row.counted for row in rows), sum(row.reserved for row in rows)
    notes = []
    if unpriced:
        notes.append(
            f"{amount(unpriced, 'request')} without a known price; `quaestor usage --prices` shows the prices."
        )
    if counted:
        notes.append(f"{amount(counted, 'request')} counted here, because the server reported no usage.")
    if under_way:
        notes.append(f"{amount(under_way, 'request')} under way, counted with the most that they can take.")
    if lapsed:
        notes.append(f"{amount(lapsed, 'request')} of crashed processes, counted with the most that they could take.")
    return notes


def _print_limits(balances: Sequence[LimitBalance], user: User | None, currency: str) -> None:
    if not balances:
        return
    lines = [
        (
            one.limit.setting,
            one.limit.in_words(one.limit.most, currency),
            one.limit.in_words(one.used, currency),
            one.limit.in_words(one.left, currency),
            f"{one.period.end:%Y-%m-%d}",
        )
        for one in balances
    ]
    echo()
    print_table((f"limit ({(user or LOCAL).name})", "most", "used", "left", "renews"), lines, right=range(1, 4))


def _show_prices(prices: Prices, model: str, *, as_json: bool) -> None:
    line = prices.line_of(model) if model else None
    if as_json:
        return print_json(
            {
                "path": str(prices.path),
                "currency": prices.currency,
                "models": [_price_object(one.pattern, one.price, one.origin) for one in prices.listed],
                "model": model or None,
                "used": line and line.pattern,
            }
        )
    if not prices.listed:
        return remark(f"No prices are known. Write them to {str(prices.path)!r}; docs/accounts.md shows how.")
    rows = [(one.pattern, f"{one.price.prompt:f}", f"{one.price.completion:f}", one.origin) for one in prices.listed]
    print_table(("model", "sent", "received", "from"), rows, right=(1, 2))
    remark(f"{prices.currency} per million tokens; the first line that matches a model is used")
    if model:
        remark(f"{one_line(model)}: {'no line fits' if line is None else one_line(line.pattern)}")
    return None


def _price_object(pattern: str, price: Price, origin: str) -> dict[str, object]:
    return {
        "pattern": pattern,
        "prompt": float(price.prompt),
        "completion": float(price.completion),
        "origin": origin,
    }
