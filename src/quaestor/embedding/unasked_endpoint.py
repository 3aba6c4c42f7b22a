"""A remote embedder that an index names and the user does not: it is never asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quaestor.core.errors import UpstreamError
from quaestor.embedding import Vectors
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
