"""Putting requests on record: within the limits if there are any, and as well as can be if there are none."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

from quaestor.accounts.database import AccountsUnusableError
from quaestor.accounts.ledger import Ledger, State
from quaestor.accounts.limits import Limits
from quaestor.accounts.money import Amount, Price
from quaestor.accounts.prices import Prices
from quaestor.accounts.purpose import Purpose
from quaestor.core.errors import UsageError
from quaestor.embedding.remote import Allowance, Outcome, Use

_LOG = logging.getLogger(__name__)
_WARNED: set[str] = set()


@dataclass(frozen=True, slots=True)
class Record:
    """Where requests are recorded, and what holds for them.

    Attributes:
        ledger: the record.
        prices: what models cost.
        limits: what may be spent.
    """

    ledger: Ledger
    prices: Prices
    limits: Limits

    def reserve(self, purpose: Purpose, model: str, bound: Amount) -> int | None:
        """Reserve the most that a request could take, before it is sent; return the number of its row.

        Without any limit, a ledger that cannot be written stops nobody: that is said once, and None is returned.

        Raises:
            BudgetError: the request could pass a limit.
            UsageError: a limit is about money, and the model's price is not known.
            AccountsUnusableError: there are limits, and the ledger cannot be written.
        """
        if bound.cost is None and self.limits.of_money:
            raise UsageError(
                f"There is a limit on money, and no price of model {model!r} is known. Add it to"
                f" {str(self.prices.path)!r} under [models.\"{model}\"], with 'prompt' and 'completion': the price"
                " of a million tokens, 0 if they are free."
            )
        try:
            return self.ledger.reserve(purpose, model, bound, self.limits)
        except AccountsUnusableError as error:
            if self.limits.each:
                raise
            self._warn(error)
            return None

    def settle(self, number: int | None, took: Amount, state: State) -> None:
        """Put what a request took in the place of what was reserved for it; ``number`` is what ``reserve`` gave."""
        if number is None:
            return
        try:
            self.ledger.settle(number, took, state)
        except AccountsUnusableError as error:
            # The answer is there, and what was reserved for it stays counted.
            self._warn(error)

    def _warn(self, error: AccountsUnusableError) -> None:
        if self.ledger.name not in _WARNED:
            _WARNED.add(self.ledger.name)
            _LOG.warning("warning: what requests take is not recorded: %s", error)


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
