"""Vectors of the messages of one conversation, growing with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from quaestor.embedding import Embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray


class MessageVectors:
    """One unit vector a message, in an array that doubles when it is full."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows = np.zeros((64, embedder.dimensions), dtype=np.float32)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(self, texts: Sequence[str]) -> None:
        """Embed the next messages."""
        if not texts:
            return
        vectors = self._embedder.encode(texts)
        needed = self._length + len(texts)
        if needed > len(self._rows):
            grown = np.zeros((max(needed, 2 * len(self._rows)), self._rows.shape[1]), dtype=np.float32)
            grown[: self._length] = self._rows[: self._length]
            self._rows = grown
        self._rows[self._length : needed] = vectors
        self._length = needed

    def cut(self, length: int) -> None:
        """Forget every message from the index ``length`` on."""
        self._length = min(self._length, length)

    def score(self, text: str) -> NDArray[np.float32]:
        """Return the cosine similarity of every message to ``text``."""
        similarity: NDArray[np.float32] = self._rows[: self._length] @ self._embedder.encode([text])[0]
        return similarity
