"""Slow or paid embedders: their allowances and results, and stand-ins for them.

The accounts are on a higher floor; they are passed in as a ``Meter``. An ``Allowance`` is what one piece of work may
cost. A stand-in takes an embedder's place if the user did not name it, or if its server is down.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from quaestor.core.errors import BudgetError, UpstreamError
from quaestor.core.light_imports import NamedTuple
from quaestor.embedding import Embedder, Vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray


Use = Literal["index", "search"]
Outcome = Literal["done", "failed"]


class Allowance:
    """What one piece of work may cost at most; threads may share it.

    Args:
        most: millionths of the currency's unit; None is unlimited, and accepts unknown prices.

    Attributes:
        spent: the cost so far, with requests under way at their maximum.
        until: the deadline by ``time.monotonic`` for embedders that cost only time; None for no deadline.
    """

    def __init__(self, most: int | None = 0) -> None:
        self.most = most
        self.spent = 0
        self.until: float | None = None
        self._lock = threading.Lock()

    def take(self, cost: int | None) -> None:
        """Reserve a request's maximum cost before it is sent.

        Args:
            cost: the maximum; None if no price is known.

        Raises:
            BudgetError: it is more than is left; nothing was taken.
        """
        with self._lock:
            if self.most is None:
                self.spent += cost or 0
            elif cost is None:
                raise BudgetError(
                    "Nothing was sent to be embedded: the embedder's price is not known, so no limit on costs can be"
                    " kept. Give --price, or the setting 'embedder_price': the price of a million tokens, 0 if they"
                    " are free."
                )
            elif self.spent + cost > self.most:
                raise BudgetError(
                    f"No more was sent to be embedded: the next request could cost {cost / 1e6:.6f}, and"
                    f" {self.spent / 1e6:.6f} of the {self.most / 1e6:.6f} that may be spent are used. Allow more with"
                    " --max-cost, or the setting 'refresh_cost'."
                )
            else:
                self.spent += cost

    def correct(self, reserved: int | None, cost: int | None) -> None:
        """Replace a request's maximum cost by its actual cost."""
        with self._lock:
            self.spent += (cost or 0) - (reserved or 0)


class Meter(Protocol):
    """Accounts for requests: each is reserved before it is sent, and settled however it ends."""

    def reserve(self, tokens: int, use: Use, allowance: Allowance | None) -> Entry:
        """Reserve a request of at most a number of tokens.

        Args:
            tokens: the most tokens that it could take.
            use: the purpose of the request.
            allowance: the allowance of the work that it is a part of; None applies only the limits.

        Raises:
            BudgetError: it could pass a limit or the allowance; it must not be sent.
            UsageError: a limit is about money, and no price is known.
        """
        ...


class Entry(Protocol):
    """A request that was reserved."""

    def settle(self, tokens: int, state: Outcome, *, reported: bool = False) -> None:
        """Replace the reservation by the tokens that the request took; ``reported`` if the server reported them."""
        ...


class EmbeddedTexts(NamedTuple):
    """The result of embedding some texts.

    Attributes:
        vectors: a unit row for each text, zeros for those that were not embedded; shape ``(texts, dimensions)``.
        done: whether each text was embedded; shape ``(texts,)``.
        cut: the number of texts that exceed the model's limit, of which only the beginning was embedded.
        failure: why the other texts were not embedded.
    """

    vectors: Vectors
    done: NDArray[np.bool_]
    cut: int = 0
    failure: BaseException | None = None


class SlowEmbedder(ABC):
    """An ``Embedder`` whose vectors are expensive: they are requested once, a few hundred at a time.

    Attributes:
        name: the name that identifies the model.
    """

    name: str

    @property
    @abstractmethod
    def dimensions(self) -> int:
        """The length of each vector; this may ask the server, or load the model.

        Raises:
            UpstreamError: the server is down, refuses, or answers nonsense.
            UsageError: the model cannot be loaded.
        """

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text; used for queries.

        Raises:
            UpstreamError: the server is down, refuses, or answers nonsense; or the model cannot be run.
            BudgetError: it could cost more than a limit leaves; it was not sent.
        """

    @abstractmethod
    def encode_within(self, texts: Sequence[str], allowance: Allowance) -> EmbeddedTexts:
        """Return the vectors of as many texts as possible; finished vectors are never lost."""


class RemoteEmbedder(SlowEmbedder):
    """An embedder behind an endpoint; its name identifies the model and its server."""


class UnaskedEmbedder(RemoteEmbedder):
    """Takes the place of an embedder behind an endpoint, and sends nothing.

    Args:
        name: the name of the embedder that it stands for.
        dimensions: the length of its vectors.
        spec: the setting that allows requests to it.
    """

    def __init__(self, name: str, dimensions: int, spec: str) -> None:
        self.name = name
        self._dimensions = dimensions
        self._spec = spec

    @property
    def dimensions(self) -> int:
        """The length of each vector."""
        return self._dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Send nothing.

        Raises:
            UpstreamError: always.
        """
        raise self._refusal()

    def encode_within(self, texts: Sequence[str], allowance: Allowance) -> EmbeddedTexts:
        """Return zeros for all texts, with the reason why nothing was embedded."""
        count = len(texts)
        return EmbeddedTexts(
            np.zeros((count, self._dimensions), np.float32), np.zeros(count, np.bool_), 0, self._refusal()
        )

    def _refusal(self) -> UpstreamError:
        return UpstreamError(
            f"Nothing was sent to {self.name!r}, because only the index names it, and none of your settings: "
            f"give --embedder {self._spec} once, or set 'embedder', to allow requests to it"
        )


_PAUSE_SECONDS = 30.0


class ForgivingEmbedder:
    """An embedder of queries that returns zeros, which are similar to nothing, if the inner embedder fails.

    After a failure it is left alone for a while, so that not every search waits for a server that is down.

    Args:
        inner: the embedder.
        clock: seconds that never go back.

    Attributes:
        failure: why the last query was not embedded; None if it was.
    """

    def __init__(self, inner: Embedder, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._inner = inner
        self._clock = clock
        self._until = float("-inf")
        self.failure: UpstreamError | None = None

    @property
    def name(self) -> str:
        """The same as the inner embedder's."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """The same as the inner embedder's."""
        return self._inner.dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text, or rows of zeros if the server is down.

        Raises:
            BudgetError: it could cost more than a limit leaves.
        """
        if self.failure is None or self._clock() >= self._until:
            try:
                vectors = self._inner.encode(texts)
            except UpstreamError as failure:
                self.failure, self._until = failure, self._clock() + _PAUSE_SECONDS
            else:
                self.failure = None
                return vectors
        return np.zeros((len(texts), self._inner.dimensions), np.float32)
