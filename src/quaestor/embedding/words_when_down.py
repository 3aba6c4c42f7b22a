"""Searching by words alone while a remote embedder's server is down."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from quaestor.core.errors import UpstreamError
from quaestor.embedding import Embedder, Vectors

_PAUSE_SECONDS = 30.0


class ForgivingEmbedder:
    """An embedder of queries that gives zeros, which are like nothing, when the one behind it fails.

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
        """The inner embedder's."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """The inner embedder's."""
        return self._inner.dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text, or rows of zeros where the server is down.

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
