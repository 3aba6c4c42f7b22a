"""A metered model: every request is reserved in the ledger before it is sent, and settled however it ends.

If there are limits, requests stay within them. If there are none, a ledger that cannot be written blocks no request.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from quaestor.accounts import Purpose
from quaestor.accounts.database import AccountsUnusableError
from quaestor.accounts.ledger import Ledger, State
from quaestor.accounts.limits import Limits
from quaestor.accounts.money import Amount, Price
from quaestor.accounts.prices import Prices
from quaestor.core.errors import UpstreamError, UsageError
from quaestor.core.messages import Usage
from quaestor.embedding.remote import Allowance, Outcome, Use
from quaestor.llm.endpoints.failures import TooLongError, UnreachableError
from quaestor.llm.models import Delta, Finished, Model, Request
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.tokens import MessageCounter, counter_for

_LOG = logging.getLogger(__name__)
_WARNED: set[str] = set()

# More than any model's window: a server that reports more is mistaken.
_BELIEVABLE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class UsageRecorder:
    """The ledger that records requests, with the prices and limits that apply.

    Attributes:
        ledger: the ledger.
        prices: the models' prices.
        limits: the spending limits.
    """

    ledger: Ledger
    prices: Prices
    limits: Limits

    def reserve(self, purpose: Purpose, model: str, bound: Amount) -> int | None:
        """Reserve a request's maximum before it is sent; return the number of its row.

        Without limits, a ledger that cannot be written blocks no request: warn once, and return None.

        Raises:
            BudgetError: the request could exceed a limit.
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
        """Replace a request's reservation by its actual amount; ``number`` is what ``reserve`` returned."""
        if number is None:
            return
        try:
            self.ledger.settle(number, took, state)
        except AccountsUnusableError as error:
            # The answer must not be lost for this; its reservation stays counted.
            self._warn(error)

    def _warn(self, error: AccountsUnusableError) -> None:
        if self.ledger.name not in _WARNED:
            _WARNED.add(self.ledger.name)
            _LOG.warning("warning: requests are not recorded in the ledger: %s", error)


class EmbeddingMeter:
    """Reserves and settles the requests to one embedding model; threads may share it.

    Args:
        model: the model's name in the ledger.
        price: the price of its tokens; None if not known.
        record: records the requests.
        purpose: the requests' user and source; ``kind`` follows from each request's use.
    """

    def __init__(self, model: str, price: Price | None, record: UsageRecorder, purpose: Purpose) -> None:
        self._model = model
        self._record = record
        self._purpose = purpose
        self.price = price

    def cost(self, tokens: int) -> int | None:
        """Return the cost of tokens in millionths of the currency's unit; None if no price is known."""
        return None if self.price is None else self.price.cost(tokens, 0)

    def amount(self, tokens: int, *, reported: bool = False) -> Amount:
        """Return the amount of a request with a number of tokens."""
        return Amount(tokens, 0, self.cost(tokens), self._record.prices.currency, reported)

    def reserve(self, tokens: int, use: Use, allowance: Allowance | None) -> MeteredRequest:
        """Reserve a request of at most ``tokens`` tokens; see ``Meter``.

        Raises:
            BudgetError: it could exceed a limit or the allowance; it must not be sent.
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
    """A reserved request that is not settled yet; see ``Entry``."""

    def __init__(
        self,
        meter: EmbeddingMeter,
        record: UsageRecorder,
        number: int | None,
        bound: Amount,
        allowance: Allowance | None,
    ) -> None:
        self._meter = meter
        self._record = record
        self._number = number
        self._bound = bound
        self._allowance = allowance

    def settle(self, tokens: int, state: Outcome, *, reported: bool = False) -> None:
        """Replace the reservation by the request's actual tokens."""
        took = self._meter.amount(tokens, reported=reported)
        if self._allowance is not None:
            self._allowance.correct(self._bound.cost, took.cost)
        self._record.settle(self._number, took, state)


class MeteredModel:
    """A model whose requests are recorded and kept within the limits.

    Members that only some models have (``body``, ``exchange``) are passed through to the inner model unrecorded.

    Args:
        inner: the model; its own retries count as one request.
        ledger: the ledger.
        prices: the models' prices.
        limits: the spending limits.
        purpose: the user and purpose of the requests.
        window: the model's window in tokens, which bounds a reply if the request sets no limit.
    """

    def __init__(
        self, inner: Model, ledger: Ledger, prices: Prices, limits: Limits, purpose: Purpose, *, window: int
    ) -> None:
        self._inner = inner
        self._record = UsageRecorder(ledger, prices, limits)
        self._purpose = purpose
        self._window = window

    @property
    def name(self) -> str:
        """The inner model's name."""
        return self._inner.name

    @property
    def capabilities(self) -> Capabilities:
        """What the inner model's endpoint can do."""
        return self._inner.capabilities

    @cached_property
    def counter(self) -> MessageCounter:
        """Counts messages for the inner model."""
        counter = getattr(self._inner, "counter", None)
        return counter if isinstance(counter, MessageCounter) else counter_for(self.name)

    @property
    def price(self) -> Price | None:
        """The inner model's price; None if it is not known."""
        return self._record.prices.of(self.name)

    def __getattr__(self, name: str) -> Any:
        """Return a member of the inner model."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._inner, name)

    def __repr__(self) -> str:
        return f"MeteredModel({self._inner!r})"

    def with_purpose(self, **changes: str) -> Self:
        """Return the same model with another purpose: ``changes`` are fields of ``Purpose`` and their values."""
        other = copy(self)
        other._purpose = replace(self._purpose, **changes)
        return other

    async def aclose(self) -> None:
        """Close the inner model's connections; the next use opens them again."""
        close = getattr(self._inner, "aclose", None)
        if close is not None:
            await close()

    async def stream(self, request: Request) -> AsyncGenerator[Delta]:
        """Yield the inner model's reply as it arrives; see ``Model.stream``.

        Raises:
            BudgetError: the request could exceed a limit; it was not sent.
            UsageError: a limit is about money, and the model's price is not known; it was not sent.
            AccountsUnusableError: there are limits, and the ledger cannot be written; it was not sent.
            UpstreamError: the server is down, refuses the request, or sends an invalid reply.
        """
        entry = self._reserve(request)
        stream = aiter(self._inner.stream(request))
        try:
            async for delta in stream:
                if isinstance(delta, Finished):
                    # Before it is passed on, because a reader that has the end may not ask for more.
                    entry.finish(delta.usage)
                else:
                    entry.pieces.append(delta.text)
                yield delta
        except Exception as error:
            entry.fail(error)
            raise
        finally:
            try:
                close = getattr(stream, "aclose", None)
                if close is not None:
                    await close()
            finally:
                entry.settle_abandoned()

    def _reserve(self, request: Request) -> _Entry:
        """Reserve the most that a request could take."""
        prompt = self.counter.request(request.messages, request.tools)
        reply = request.max_tokens if request.max_tokens is not None else max(1, self._window - prompt)
        bound = self._amount(prompt, reply)
        number = self._record.reserve(self._purpose, self.name, bound)
        return _Entry(self, number, prompt)

    def _amount(self, prompt_tokens: int, completion_tokens: int, *, reported: bool = False) -> Amount:
        price = self.price
        cost = None if price is None else price.cost(prompt_tokens, completion_tokens)
        return Amount(prompt_tokens, completion_tokens, cost, self._record.prices.currency, reported)


class _Entry:
    """A reserved request that is not settled yet.

    Attributes:
        pieces: the text that has arrived.
    """

    def __init__(self, model: MeteredModel, number: int | None, prompt: int) -> None:
        self._model = model
        self._number = number
        self._prompt = prompt
        self._settled = False
        self.pieces: list[str] = []

    def finish(self, usage: Usage | None) -> None:
        """Settle a complete reply, at the usage that the server reports if that is plausible."""
        if usage is None or not _believable(usage, self.pieces):
            self._settle(self._counted_amount(), "done")
        else:
            amount = self._model._amount(usage.prompt_tokens, usage.completion_tokens, reported=usage.reported)
            self._settle(amount, "done")

    def fail(self, error: Exception) -> None:
        """Settle a request that failed: at nothing if the server refused it or was never reached."""
        answered = isinstance(error, UpstreamError) and error.status is not None
        nothing = not self.pieces and (answered or isinstance(error, (TooLongError, UnreachableError)))
        self._settle(self._model._amount(0, 0) if nothing else self._counted_amount(), "failed")

    def settle_abandoned(self) -> None:
        """Settle an abandoned request by the tokens sent and received so far."""
        if not self._settled:
            self._settle(self._counted_amount(), "cancelled")

    def _counted_amount(self) -> Amount:
        return self._model._amount(self._prompt, self._model.counter.text("".join(self.pieces)))

    def _settle(self, took: Amount, state: State) -> None:
        self._settled = True
        self._model._record.settle(self._number, took, state)


def _believable(usage: Usage, pieces: list[str]) -> bool:
    """Return whether a server's report is plausible: some servers report zeros instead of nothing."""
    possible = 0 < usage.prompt_tokens <= _BELIEVABLE and 0 <= usage.completion_tokens <= _BELIEVABLE
    return possible and (usage.completion_tokens > 0 or not pieces)
