"""Giving prepared documents their vectors in the caller's process, asking the store before the embedder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quaestor.embedding import Embedder, Vectors
from quaestor.ingest.prepare import Outcome, encode, with_vectors
from quaestor.stores import Store


class Vectoriser:
    """Embeds what the store does not know yet.

    Attributes:
        reused: vectors that were found in the store so far.
    """

    def __init__(self, embedder: Embedder, store: Store, *, look_up: bool) -> None:
        self._embedder = embedder
        self._store = store
        self._look_up = look_up
        self.reused = 0

    def complete(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Return the outcomes with all vectors, made in one call to the embedder."""
        return with_vectors(outcomes, self._vectors)

    def _vectors(self, keys: Sequence[bytes], texts: Sequence[str]) -> Vectors:
        known = self._store.known_vectors(keys) if self._look_up and keys else {}
        self.reused += len(known)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        made = dict(zip(missing, encode(self._embedder, list(missing.values())), strict=True))
        rows = [known[key] if key in known else made[key] for key in keys]
        return np.stack(rows).astype(np.float32, copy=False) if rows else encode(self._embedder, ())
