"""Embedders that stand in for a remote one: where the user did not name it, and where its server is down."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from quaestor.core.errors import UpstreamError
from quaestor.embedding import Embedder, Vectors
from quaestor.embedding.remote import Allowance, Encoded, RemoteEmbedder


class UnaskedEmbedder(RemoteEmbedder):
    """Stands for an embedder behind an endpoint, and sends nothing.

    Args:
        name: of the embedder that it stands for.
        dimensions: length of that one's vectors.
        spec: the setting that lets it be asked.
    """

    def __init__(self, name: str, dimensions: int, spec: str) -> None:
        self.name = name
        self._dimensions = dimensions
        self._spec = spec

    @property
    def dimensions(self) -> int:
        """Length of each vector."""
        return self._dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Send nothing.

        Raises:
            UpstreamError: always.
        """
        raise self._refusal()

    def encode_within(self, texts: Sequence[str], allowance: Allowance) -> Encoded:
        """Return that nothing was embedded, and why."""
        count = len(texts)
        return Encoded(np.zeros((count, self._dimensions), np.float32), np.zeros(count, np.bool_), 0, self._refusal())

    def _refusal(self) -> UpstreamError:
        return UpstreamError(
            f"Nothing was sent to {self.name!r}, which the index names and no setting of yours does: "
            f"give --embedder {self._spec} once, or set 'embedder', to let it be asked"
        )


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
