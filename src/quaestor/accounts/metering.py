"""Keeping account of requests to embedders: the ``Meter`` that an ``HttpEmbedder`` asks."""

from __future__ import annotations

from dataclasses import replace

from quaestor.accounts.money import Amount, Price
from quaestor.accounts.purpose import Purpose
from quaestor.accounts.record import Record
from quaestor.embedding.remote import Allowance, Outcome, Use


class EmbeddingMeter:
    """Reserves and settles the requests to one embedding model; threads may share it.

    Args:
        model: the model's name, as it stands in the ledger.
        price: what its tokens cost; None: not known.
        record: where requests are recorded.
        purpose: whose they are; ``kind`` follows from what each is for.
    """

    def __init__(self, model: str, price: Price | None, record: Record, purpose: Purpose) -> None:
        self._model = model
        self._record = record
        self._purpose = purpose
        self.price = price

    def cost(self, tokens: int) -> int | None:
        """Return what so many tokens cost, in millionths of the currency's unit; None: no price is known."""
        return None if self.price is None else self.price.cost(tokens, 0)

    def amount(self, tokens: int, *, reported: bool = False) -> Amount:
        """Return what a request of so many tokens takes."""
        return Amount(tokens, 0, self.cost(tokens), self._record.prices.currency, reported)

    def reserve(self, tokens: int, use: Use, allowance: Allowance | None) -> MeteredRequest:
        """Take note of a request of at most so many tokens; see ``Meter``.

        Raises:
            BudgetError: it could pass a limit or the allowance; it must not be sent.
            UsageError: a limit is about money, and no price is known.
            AccountsUnusableError: there are limits, and the ledger cannot be written.
        """
        bound = self.amount(tokens)
        if allowance is not None:
            allowance.take(bound.cost)
        try:
            number = self._record.reserve(replace(self._purpose, kind=use), self._model, bound)
        except BaseException:
            if allowance is not None:
                allowance.correct(bound.cost, 0)
            raise
        return MeteredRequest(self, self._record, number, bound, allowance)


class MeteredRequest:
    """One request on its way to being settled; see ``Entry``."""

    def __init__(
        self, meter: EmbeddingMeter, record: Record, number: int | None, bound: Amount, allowance: Allowance | None
    ) -> None:
        self._meter = meter
        self._record = record
        self._number = number
        self._bound = bound
        self._allowance = allowance

    def settle(self, tokens: int, state: Outcome, *, reported: bool = False) -> None:
        """Put what the request took in the place of what was reserved."""
        took = self._meter.amount(tokens, reported=reported)
        if self._allowance is not None:
            self._allowance.correct(self._bound.cost, took.cost)
        self._record.settle(self._number, took, state)
