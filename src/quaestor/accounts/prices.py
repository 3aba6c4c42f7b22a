"""Prices of models: a TOML file, and two settings for the configured model.

    currency = "USD"                    # the unit of all prices; USD by default
    date = 2026-11-21                   # the day of the prices; by default, when the file was last changed

    [models."gpt-4o-mini"]              # per million tokens
    prompt = 0.15
    completion = 0.60

    [models."local/*"]                  # * and ? are wildcards; a price of 0 is not the same as an unknown price
    prompt = 0
    completion = 0

For the configured model, the settings ``prompt_price`` and ``completion_price`` come first, if either is above 0. Then
comes the model's own name in the file, then the longest pattern that matches; of equally long patterns, the first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from fnmatch import fnmatchcase
from pathlib import Path

from quaestor.accounts.money import Price
from quaestor.core.config import Settings, config_folder, read_toml
from quaestor.core.errors import UsageError

FILE = "prices.toml"
CURRENCY = "USD"
SETTINGS = "settings prompt_price and completion_price"

_CURRENCY = re.compile(r"[A-Z]{3,8}")
_WILD = re.compile(r"[*?]|\[[^]]*\]")
_DEAREST = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class PriceLine:
    """One line of the price table.

    Attributes:
        pattern: a model's name, or a pattern that names match.
        price: the price.
        origin: the file or the settings from which it is.
    """

    pattern: str
    price: Price
    origin: str

    def fits(self, model: str) -> bool:
        """Return whether this line is for a model; a line from the settings is for the configured model only."""
        return self.pattern == model or (self.origin != SETTINGS and fnmatchcase(model, self.pattern))


@dataclass(frozen=True, slots=True)
class Prices:
    """All known prices.

    Attributes:
        path: the file's path; the file may be missing.
        currency: the currency of all prices.
        listed: the lines of the table; the first that matches counts.
        date: the day of the prices; empty without a file.
    """

    path: Path
    currency: str = CURRENCY
    listed: tuple[PriceLine, ...] = ()
    date: str = ""

    def of(self, model: str) -> Price | None:
        """Return a model's price; None if it is unknown, which is not the same as free."""
        line = self.line_of(model)
        return None if line is None else line.price

    def line_of(self, model: str) -> PriceLine | None:
        """Return the first line of the table that matches a model, or None."""
        return next((line for line in self.listed if line.fits(model)), None)


def load_prices(settings: Settings) -> Prices:
    """Return the prices that the settings name.

    Raises:
        UsageError: the file cannot be read, is malformed, or is configured and missing.
    """
    path = Path(settings.prices).expanduser() if settings.prices else config_folder() / FILE
    prices = read_prices(path, missing=not settings.prices)
    if not settings.model or not (settings.prompt_price or settings.completion_price):
        return prices
    own = Price(Decimal(repr(settings.prompt_price)), Decimal(repr(settings.completion_price)))
    return replace(prices, listed=(PriceLine(settings.model, own, SETTINGS), *prices.listed))


def read_prices(path: Path, *, missing: bool = True) -> Prices:
    """Read a file of prices.

    Args:
        path: the file.
        missing: whether it may be missing.

    Raises:
        UsageError: the file cannot be read or is malformed.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        if missing:
            return Prices(path)
        raise UsageError(f"There is no price file {str(path)!r}. Correct the setting 'prices'.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The price file {str(path)!r} cannot be read: {error}. Fix or remove it.") from None
    try:
        content = read_toml(text, parse_float=Decimal)
    except (ValueError, ArithmeticError) as error:  # also for numbers that Python cannot parse
        raise UsageError(f"The price file {str(path)!r} is not TOML: {error}. Fix or remove it.") from None
    return _parse_prices(path, content)


def _parse_prices(path: Path, content: Mapping[str, object]) -> Prices:
    _check_keys(path, "", content, ("currency", "date", "models"))
    currency, models = content.get("currency", CURRENCY), content.get("models", {})
    if not isinstance(currency, str) or not _CURRENCY.fullmatch(currency):
        raise _price_error(path, "currency", "must be a currency's letters such as 'USD'", currency)
    if not isinstance(models, dict):
        raise _price_error(path, "models", "must be a table for each model", models)
    lines = [_line(path, pattern, table) for pattern, table in models.items()]
    # Python's sort is stable, so equally long patterns keep their order.
    lines.sort(key=lambda line: (bool(_WILD.search(line.pattern)), -len(_WILD.sub("", line.pattern))))
    return Prices(path, currency, tuple(lines), _date(path, content))


def _date(path: Path, content: Mapping[str, object]) -> str:
    """Return the day of the prices: the one in the file, else the day on which the file was last changed."""
    value = content.get("date")
    if value is None:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
    if not isinstance(value, (str, date)):
        raise _price_error(path, "date", "must be a day such as 2026-11-21", value)
    return str(value)


def _line(path: Path, pattern: str, table: object) -> PriceLine:
    key = f"models.{pattern!r}"
    if not isinstance(table, dict):
        raise _price_error(path, key, "must be a table with 'prompt' and 'completion'", table)
    _check_keys(path, key, table, ("prompt", "completion"))
    price = Price(_number(path, key, table, "prompt"), _number(path, key, table, "completion"))
    return PriceLine(pattern, price, str(path))


def _number(path: Path, key: str, table: Mapping[str, object], name: str) -> Decimal:
    if name not in table:
        raise _price_error(path, f"{key}.{name}", "is missing; give the price of a million tokens, 0 if they are free")
    value = table[name]
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)) or not Decimal(value).is_finite():
        raise _price_error(path, f"{key}.{name}", "must be a number, the price of a million tokens", value)
    if not 0 <= value <= _DEAREST:
        raise _price_error(path, f"{key}.{name}", f"must be from 0 to {_DEAREST:,}", value)
    return Decimal(value)


def _check_keys(path: Path, key: str, table: Mapping[str, object], names: tuple[str, ...]) -> None:
    for name in table:
        if name not in names:
            place = f"{key}.{name}" if key else name
            raise _price_error(path, place, f"is not a key of a file of prices; known keys are {' and '.join(names)}")


def _price_error(path: Path, key: str, reason: str, value: object = None) -> UsageError:
    value_text = "" if value is None else f", not {str(value)!r}"
    return UsageError(f"In the price file {str(path)!r}, {key} {reason}{value_text}.")


DATE = "2026-01"
"""The date of these prices; https://platform.openai.com/docs/pricing has the present ones."""

_PER_MILLION = {"text-embedding-3-small": "0.02", "text-embedding-3-large": "0.13", "text-embedding-ada-002": "0.10"}
_FREE = Decimal(0)


@dataclass(frozen=True, slots=True)
class Quote:
    """The price of a million tokens, and its origin.

    Attributes:
        price: the price; None if it is not known.
        currency: the currency of the price.
        origin: the setting, the file, or ``OpenAI's list``; empty without a price.
        date: the day of the price; empty for a setting.
    """

    price: Price | None
    currency: str
    origin: str = ""
    date: str = ""


def embedding_quote(settings: Settings, prices: Prices, model: str, *, at_openai: bool) -> Quote:
    """Return an embedding model's price: from the setting, else the file of prices, else OpenAI's list.

    Args:
        settings: its ``embedder_price`` counts if it is 0 or above.
        prices: the prices in the file.
        model: the model's name at its endpoint.
        at_openai: whether the endpoint is OpenAI's own.
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
