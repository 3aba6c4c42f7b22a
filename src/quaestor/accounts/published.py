"""What OpenAI asks for embeddings, so that an estimate needs no file of prices. The file and the settings win over it.

Of no other server is anything assumed, not even that it is free.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from quaestor.accounts.money import Price
from quaestor.accounts.prices import CURRENCY, Prices
from quaestor.core.config import Settings

DATE = "2026-01"
"""When these were the prices; https://platform.openai.com/docs/pricing has the present ones."""

_PER_MILLION = {"text-embedding-3-small": "0.02", "text-embedding-3-large": "0.13", "text-embedding-ada-002": "0.10"}
_FREE = Decimal(0)


@dataclass(frozen=True, slots=True)
class Quote:
    """What a million tokens cost, and who says so.

    Attributes:
        price: None: not known.
        currency: of the price.
        origin: the setting, the file, or ``OpenAI's list``; empty without a price.
        date: as of when; empty for a setting.
    """

    price: Price | None
    currency: str
    origin: str = ""
    date: str = ""


def embedding_quote(settings: Settings, prices: Prices, model: str, *, at_openai: bool) -> Quote:
    """Return what an embedding model costs: by the setting, else by the file of prices, else by OpenAI's list.

    Args:
        settings: of which ``embedder_price`` counts where it is 0 or above.
        prices: the file.
        model: the model's name at its endpoint.
        at_openai: whether that is OpenAI's own.
    """
    if settings.embedder_price >= 0:
        own = Price(Decimal(repr(settings.embedder_price)), _FREE)
        return Quote(own, prices.currency, "embedder_price")
    line = prices.line_of(model)
    if line is not None:
        return Quote(line.price, prices.currency, line.origin, prices.date)
    if at_openai and prices.currency == CURRENCY and model in _PER_MILLION:
        return Quote(Price(Decimal(_PER_MILLION[model]), _FREE), CURRENCY, "OpenAI's list", DATE)
    return Quote(None, prices.currency)
