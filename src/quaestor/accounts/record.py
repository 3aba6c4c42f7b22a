"""Putting requests on record: within the limits if there are any, and as well as can be if there are none."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from quaestor.accounts.database import AccountsUnusableError
from quaestor.accounts.ledger import Ledger, State
from quaestor.accounts.limits import Limits
from quaestor.accounts.money import Amount
from quaestor.accounts.prices import Prices
from quaestor.accounts.purpose import Purpose
from quaestor.core.errors import UsageError

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
