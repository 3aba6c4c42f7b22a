"""Shows the cost of embedding, and asks before anything is paid."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict
from decimal import Decimal
from typing import Any

import click

from quaestor.accounts.money import millionths, money_in_words
from quaestor.assemble.estimate import Estimate
from quaestor.cli.output import echo, one_line
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.core.wording import amount

_SLACK = Decimal("1.1")
"""The confirmed cost may be exceeded by a tenth: an interrupted request is sent again and may be charged twice."""


def print_estimate(estimate: Estimate) -> None:
    """Print an estimate of what embedding takes: tokens, cost and time."""
    echo(f"embedder    {one_line(estimate.embedder)}")
    exact = "exact" if estimate.exact or not estimate.remote else "an upper bound: its own encoding is not known"
    counted = f"{exact}, {one_line(estimate.tokenizer)}" if estimate.remote else f"by {one_line(estimate.tokenizer)}"
    echo(f"tokens      {estimate.tokens:,} in {amount(estimate.texts, 'text')} to embed ({counted})")
    if estimate.known:
        echo(f"            {amount(estimate.known, 'text')} more are embedded already, and cost nothing")
    echo(f"price       {_price(estimate)}")
    echo(f"cost        {_cost(estimate)}")
    echo(f"time        about {_seconds(estimate.seconds)} ({estimate.basis})")


def estimate_object(estimate: Estimate) -> dict[str, Any]:
    """Return an estimate as JSON values; money is in units of the currency."""
    quote = estimate.quote
    fields = {name: value for name, value in asdict(estimate).items() if name not in ("quote", "cost")}
    price = None
    if quote is not None and quote.price is not None:
        price = {
            "per_million_tokens": float(quote.price.prompt),
            "currency": quote.currency,
            "origin": quote.origin,
            "date": quote.date or None,
        }
    cost = None if estimate.cost is None else estimate.cost / 1_000_000
    return {**fields, "seconds": round(estimate.seconds, 1), "price": price, "cost": cost}


def agreed_cost(estimate: Estimate, settings: Settings, *, yes: bool, most: float | None) -> float:
    """Return how much may be spent, after asking if confirmation is needed; ``math.inf`` for no limit.

    Args:
        estimate: the estimated cost.
        settings: say how much may be spent without confirmation.
        yes: whether it was confirmed beforehand.
        most: the most that may be spent, in units of the currency; None to use the estimate.

    Raises:
        UsageError: the user declined, cannot be asked, or set a limit although no price is known.
    """
    if most is not None and estimate.cost is None and estimate.texts:
        raise UsageError(
            f"--max-cost cannot be enforced: the price of {estimate.embedder!r} is not known. Give --price, the price"
            " of a million tokens, 0 if they are free."
        )
    unasked = 0 if estimate.new else millionths(settings.refresh_cost)
    if most is not None and millionths(most) <= unasked:
        return most
    if estimate.texts and (estimate.cost is None or estimate.cost > unasked) and not yes:
        _ask(estimate, most)
    if most is not None:
        return most
    if estimate.cost is None:
        return math.inf
    return float(max(estimate.cost * _SLACK, Decimal(unasked)) / 1_000_000)


def _ask(estimate: Estimate, most: float | None) -> None:
    """Ask whether to pay."""
    bound = "" if most is None else f", and no more than {most:g} of it now"
    size = f"{amount(estimate.texts, 'text')} with {estimate.tokens:,} tokens"
    what = f"{size} by {one_line(estimate.embedder)}: {_cost(estimate)}{bound}"
    instead = "With --max-cost 0, texts are found by words alone."
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"Nothing was sent. Embedding takes {what}. Give --yes to agree to that. {instead}")
    if not click.confirm(f"Embed {what}?", default=False, err=True):
        raise UsageError(f"Nothing was sent or indexed. {instead}")


def _price(estimate: Estimate) -> str:
    quote = estimate.quote
    if quote is None:
        return "none: it runs on this machine"
    if quote.price is None:
        return "not known; give --price, the price of a million tokens, or add it to the price file"
    dated = f" of {quote.date}" if quote.date else ""
    return f"{quote.price.prompt:f} {quote.currency} a million tokens ({one_line(quote.origin)}{dated})"


def _cost(estimate: Estimate) -> str:
    if estimate.quote is None:
        return "nothing"
    if estimate.cost is None:
        return "at an unknown price"
    return f"{money_in_words(estimate.cost, estimate.quote.currency)} at most" if estimate.cost else "nothing"


def _seconds(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
