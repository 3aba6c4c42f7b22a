"""A model whose every request is in the ledger: reserved before it is sent, settled however it ends."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

from quaestor.accounts.ledger import Ledger, State
from quaestor.accounts.limits import Limits
from quaestor.accounts.money import Amount, Price
from quaestor.accounts.prices import Prices
from quaestor.accounts.purpose import Purpose
from quaestor.accounts.request_record import Record
from quaestor.core.errors import UpstreamError
from quaestor.core.messages import Usage
from quaestor.llm.endpoints.failures import TooLongError, UnreachableError
from quaestor.llm.models import Delta, Finished, Model, Request
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.tokens import MessageCounter, counter_for

# More than any model reads: a server that reports it is mistaken.
_BELIEVABLE = 1_000_000_000


class MeteredModel:
    """A model that is asked only within the limits, and whose requests are on record.

    What only some models have (``body``, ``exchange``) is the inner model's, and is not recorded.

    Args:
        inner: who replies. What it sends again by itself counts once.
        ledger: the record.
        prices: what models cost.
        limits: what may be spent.
        purpose: whose the requests are, and what for.
        window: the model's window, tokens: bounds replies that no request bounds.
    """

    def __init__(
        self, inner: Model, ledger: Ledger, prices: Prices, limits: Limits, purpose: Purpose, *, window: int
    ) -> None:
        self._inner = inner
        self._record = Record(ledger, prices, limits)
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
        """What the inner model costs; None if that is not known."""
        return self._record.prices.of(self.name)

    def __getattr__(self, name: str) -> Any:
        """Return what only some models have."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._inner, name)

    def __repr__(self) -> str:
        return f"MeteredModel({self._inner!r})"

    def charged(self, **changes: str) -> Self:
        """Return the same model with requests for something else: fields of ``Purpose`` and their values."""
        other = copy(self)
        other._purpose = replace(self._purpose, **changes)
        return other

    async def aclose(self) -> None:
        """Close what the inner model holds open; the model can be used again."""
        close = getattr(self._inner, "aclose", None)
        if close is not None:
            await close()

    async def stream(self, request: Request) -> AsyncGenerator[Delta]:
        """Yield the inner model's reply as it comes; see ``Model.stream``.

        Raises:
            BudgetError: the request could pass a limit; it was not sent.
            UsageError: a limit is about money, and the model's price is not known; it was not sent.
            AccountsUnusableError: there are limits, and the ledger cannot be written; it was not sent.
            UpstreamError: the server is down, refuses, or answers nonsense.
        """
        entry = self._reserved(request)
        stream = aiter(self._inner.stream(request))
        try:
            async for delta in stream:
                if isinstance(delta, Finished):
                    # Before it is passed on, for who has the end need not ask for more.
                    entry.finished(delta.usage)
                else:
                    entry.pieces.append(delta.text)
                yield delta
        except Exception as error:
            entry.failed(error)
            raise
        finally:
            try:
                close = getattr(stream, "aclose", None)
                if close is not None:
                    await close()
            finally:
                entry.left()

    def _reserved(self, request: Request) -> _Entry:
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
    """One request on its way to being settled.

    Attributes:
        pieces: the text that has arrived.
    """

    def __init__(self, model: MeteredModel, number: int | None, prompt: int) -> None:
        self._model = model
        self._number = number
        self._prompt = prompt
        self._settled = False
        self.pieces: list[str] = []

    def finished(self, usage: Usage | None) -> None:
        """Settle a reply that is whole, at what the server reports if that can be true."""
        if usage is None or not _believable(usage, self.pieces):
            self._settle(self._counted_amount(), "done")
        else:
            amount = self._model._amount(usage.prompt_tokens, usage.completion_tokens, reported=usage.reported)
            self._settle(amount, "done")

    def failed(self, error: Exception) -> None:
        """Settle a request that failed: at nothing if the server refused it or was never reached."""
        answered = isinstance(error, UpstreamError) and error.status is not None
        nothing = not self.pieces and (answered or isinstance(error, (TooLongError, UnreachableError)))
        self._settle(self._model._amount(0, 0) if nothing else self._counted_amount(), "failed")

    def left(self) -> None:
        """Settle a request that nobody wants to hear the end of, at what was sent and what had arrived."""
        if not self._settled:
            self._settle(self._counted_amount(), "cancelled")

    def _counted_amount(self) -> Amount:
        return self._model._amount(self._prompt, self._model.counter.text("".join(self.pieces)))

    def _settle(self, took: Amount, state: State) -> None:
        self._settled = True
        self._model._record.settle(self._number, took, state)


def _believable(usage: Usage, pieces: list[str]) -> bool:
    """Whether a server's report can be true: some report nothing at all as zeros."""
    possible = 0 < usage.prompt_tokens <= _BELIEVABLE and 0 <= usage.completion_tokens <= _BELIEVABLE
    return possible and (usage.completion_tokens > 0 or not pieces)
