"""Money in whole millionths of a currency's unit, so that sums are exact.

A price of 0.15 units per million tokens is 0.15 millionths per token. A request's cost is rounded up, so that many
small requests are not free.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a million tokens, in units of the currency.

    Attributes:
        prompt: the price of tokens sent.
        completion: the price of tokens received.
    """

    prompt: Decimal
    completion: Decimal

    def cost(self, prompt_tokens: int, completion_tokens: int) -> int:
        """Return a request's cost in millionths of the unit, rounded up."""
        exact = Fraction(self.prompt) * prompt_tokens + Fraction(self.completion) * completion_tokens
        return -(-exact.numerator // exact.denominator)


@dataclass(frozen=True, slots=True)
class Amount:
    """The tokens and cost of a request, actual or at most.

    Attributes:
        prompt_tokens: tokens sent.
        completion_tokens: tokens received.
        cost: the cost in millionths of the currency's unit; None if no price is known.
        currency: the currency of the cost.
        reported: whether the server reported the tokens; otherwise they were counted here.
    """

    prompt_tokens: int
    completion_tokens: int
    cost: int | None
    currency: str
    reported: bool = False

    @property
    def tokens(self) -> int:
        """Tokens sent and received together."""
        return self.prompt_tokens + self.completion_tokens


def millionths(units: float) -> int:
    """Convert an amount of money from units to whole millionths, rounded down."""
    return int((Decimal(repr(units)) * MILLION).to_integral_value(ROUND_FLOOR))


def money_in_words(cost: int, currency: str) -> str:
    """Return an amount in millionths as text for people: ``1.25 USD``, with as many of six decimals as needed."""
    exact = (Decimal(cost) / MILLION).quantize(Decimal("0.000001"), ROUND_CEILING)
    whole, _, part = f"{exact:,f}".partition(".")
    part = part.rstrip("0").ljust(2, "0")
    return f"{whole}.{part} {currency}"
