"""Prices: exact money, the file's form, and which line is asked."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.accounts.money import Price, millionths, money_in_words
from quaestor.accounts.prices import load_prices, read_prices
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError

TABLE = """
currency = "EUR"
[models."gpt-4o"]
prompt = 2.5
completion = 10
[models."gpt-4o*"]
prompt = 0.15
completion = 0.6
[models."*"]
prompt = 1
completion = 1
[models."local/*"]
prompt = 0
completion = 0
"""

DECIMALS = st.decimals(0, 10**6, allow_nan=False, places=8)
COUNTS = st.integers(0, 10**9)


@given(DECIMALS, DECIMALS, COUNTS, COUNTS)
def test_a_cost_is_exact_and_rounded_up(prompt: Decimal, completion: Decimal, sent: int, received: int) -> None:
    cost = Price(prompt, completion).cost(sent, received)
    exact = Fraction(prompt) * sent + Fraction(completion) * received
    assert exact <= cost < exact + 1
    assert (cost == 0) == (exact == 0)


@given(st.integers(0, 10**15))
def test_money_shown_is_money(cost: int) -> None:
    number, currency = money_in_words(cost, "USD").split()
    assert currency == "USD"
    assert Decimal(number.replace(",", "")) * 10**6 == cost


def test_money_for_people() -> None:
    assert [money_in_words(cost, "EUR") for cost in (0, 1, 1_250_000, 10_000, 1_234_567_890_000)] == [
        "0.00 EUR",
        "0.000001 EUR",
        "1.25 EUR",
        "0.01 EUR",
        "1,234,567.89 EUR",
    ]
    assert (millionths(0.1), millionths(0.29), millionths(1e-9)) == (100_000, 290_000, 0)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    place = tmp_path / "prices.toml"
    place.write_text(TABLE, encoding="utf-8")
    return place


def test_the_closest_line_is_asked(table: Path) -> None:
    prices = read_prices(table)
    assert prices.currency == "EUR"
    for model, pattern in {
        "gpt-4o": "gpt-4o",
        "gpt-4o-mini": "gpt-4o*",
        "local/llama": "local/*",
        "claude": "*",
        "GPT-4o": "*",
    }.items():
        line = prices.line_of(model)
        assert line is not None
        assert line.pattern == pattern
    assert prices.of("gpt-4o") == Price(Decimal("2.5"), Decimal(10))


def test_settings_win_for_the_model_that_is_set(table: Path) -> None:
    settings = Settings(prices=str(table), model="gpt-4o", completion_price=3.3)
    prices = load_prices(settings)
    assert prices.of("gpt-4o") == Price(Decimal(0), Decimal("3.3"))
    assert prices.of("gpt-4o-mini") == Price(Decimal("0.15"), Decimal("0.6"))
    # A name with letters that mean something in patterns is only itself.
    odd = load_prices(Settings(prices=str(table), model="gpt-*", prompt_price=9))
    assert odd.of("gpt-*") == Price(Decimal("9.0"), Decimal("0.0"))
    assert odd.of("gpt-4o") == Price(Decimal("2.5"), Decimal(10))


def test_the_file_is_beside_the_settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path))
    assert load_prices(Settings(model="m")).of("m") is None
    (tmp_path / "prices.toml").write_text("[models.m]\nprompt = 1\ncompletion = 2\n")
    prices = load_prices(Settings(model="m"))
    assert prices.of("m") == Price(Decimal(1), Decimal(2))
    assert prices.currency == "USD"


def test_a_file_that_is_set_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no price file"):
        load_prices(Settings(prices=str(tmp_path / "none.toml")))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("currency = 'usd'", "currency must be"),
        ("currency = 5", "currency must be"),
        ("money = 1", "money is not a key"),
        ("models = 3", "models must be a table"),
        ("[models]\nx = 3", "models.'x' must be a table"),
        ("[models.x]\nprompt = 1", "models.'x'.completion is missing"),
        ("[models.x]\nprompt = 1\ncompletion = 1\nimage = 2", "models.'x'.image is not a key"),
        ("[models.x]\nprompt = '1'\ncompletion = 1", "models.'x'.prompt must be a number"),
        ("[models.x]\nprompt = true\ncompletion = 1", "models.'x'.prompt must be a number"),
        ("[models.x]\nprompt = -0.5\ncompletion = 1", "models.'x'.prompt must be from 0"),
        ("[models.x]\nprompt = 1\ncompletion = inf", "models.'x'.completion must be a number"),
        ("[models.x]\nprompt = 1\ncompletion = nan", "models.'x'.completion must be a number"),
        ("[models.x]\nprompt = 1e400\ncompletion = 1", "models.'x'.prompt must be from 0"),
        ("[models.x]\nprompt = 1\n[models.x]\n", "is not TOML"),
        ("a = " + "[" * 5000, "is not TOML"),
        (b"\xff\xfe", "cannot be read"),
    ],
)
def test_mistakes_are_named_with_file_and_key(tmp_path: Path, text: str | bytes, said: str) -> None:
    place = tmp_path / "prices.toml"
    place.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError) as wrong:
        read_prices(place)
    assert repr(str(place)) in str(wrong.value)
    assert said in str(wrong.value)
