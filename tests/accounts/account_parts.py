"""Shared by the tests of accounts: a clock that they advance, a model of their own, prices and limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from quaestor.accounts import Purpose
from quaestor.accounts.database import AccountsFile, AccountsUnusableError
from quaestor.accounts.ledger import Ledger
from quaestor.accounts.limits import Limits
from quaestor.accounts.metered_model import MeteredModel
from quaestor.accounts.money import Amount, Price
from quaestor.accounts.prices import PriceLine, Prices
from quaestor.core.config import Settings
from quaestor.core.messages import Message, Usage
from quaestor.llm.models import Delta, Finished, Request, TextDelta
from quaestor.llm.models.capabilities import Capabilities
from quaestor.state.rows import Database

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp()
ASK = Request((Message("user", "Where is it?"),), max_tokens=50)


class Clock:
    """Seconds that go on when told to."""

    def __init__(self, now: float = NOON) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Speaker:
    """A model that yields what it is given; exceptions among it are raised. Asyncio runs on between the pieces.

    Attributes:
        yielded: how many pieces were asked for.
        closed: how many replies came to their end or were closed.
    """

    name = "gpt-4o"
    capabilities = Capabilities()

    def __init__(self, *pieces: Delta | BaseException) -> None:
        self.pieces = pieces
        self.yielded = 0
        self.closed = 0

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        try:
            for piece in self.pieces:
                if isinstance(piece, BaseException):
                    raise piece
                self.yielded += 1
                yield piece
                await asyncio.sleep(0)
        finally:
            self.closed += 1


REPLY = (TextDelta("It is "), TextDelta("there."), Finished("stop", Usage(20, 5, reported=True)))


def tokens(count: int, cost: int | None = None) -> Amount:
    """Return an amount of so many tokens."""
    return Amount(count, 0, cost, "USD")


def limits(**settings: float) -> Limits:
    return Limits.of(Settings(**settings))  # type: ignore[arg-type]


def prices(prompt: str = "1", completion: str = "10", model: str = "gpt-4o") -> Prices:
    price = Price(Decimal(prompt), Decimal(completion))
    return Prices(Path("prices.toml"), "USD", (PriceLine(model, price, "prices.toml"),))


def metered(
    inner: Speaker, ledger: Ledger, *, table: Prices | None = None, purpose: Purpose | None = None, **settings: float
) -> MeteredModel:
    return MeteredModel(
        inner, ledger, table or prices(), limits(**settings), purpose or Purpose(kind="ask"), window=8192
    )


def heard(model: MeteredModel, request: Request = ASK) -> Sequence[Delta]:
    async def run() -> list[Delta]:
        return [delta async for delta in model.stream(request)]

    return asyncio.run(run())


@contextmanager
def accounts_at(place: str) -> Iterator[Database]:
    """Open what a path or the address of a server names."""
    if not place.startswith("postgresql:"):
        yield AccountsFile(Path(place))
        return
    from quaestor.state.postgres import StateTables  # noqa: PLC0415 - needs the extra
    from quaestor.stores.postgres.connection import Database as Server  # noqa: PLC0415

    with closing(Server.open(place)) as server:
        yield StateTables(server, AccountsUnusableError)
