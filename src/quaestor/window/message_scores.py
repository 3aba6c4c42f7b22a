"""How well the messages of one conversation match a question: BM25 and vectors, growing with it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quaestor.embedding import Embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

_K1 = 1.2
_B = 0.75


class MessageTerms:
    """An inverted index from terms to messages, after Robertson and Zaragoza (2009)."""

    def __init__(self) -> None:
        self._messages: dict[str, array[int]] = {}
        self._frequencies: dict[str, array[int]] = {}
        self._lengths = array("i")
        self._counts: list[Counter[str]] = []

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, terms: Sequence[str]) -> None:
        """Index the next message."""
        number = len(self._lengths)
        counts = Counter(terms)
        for term, frequency in counts.items():
            self._messages.setdefault(term, array("i")).append(number)
            self._frequencies.setdefault(term, array("i")).append(frequency)
        self._lengths.append(len(terms))
        self._counts.append(counts)

    def cut(self, length: int) -> None:
        """Forget every message from the index ``length`` on."""
        while len(self._lengths) > length:
            for term in self._counts.pop():
                self._messages[term].pop()
                self._frequencies[term].pop()
                if not self._messages[term]:
                    del self._messages[term], self._frequencies[term]
            self._lengths.pop()

    def terms_of(self, number: int) -> Mapping[str, int]:
        """Return how often each term stands in a message."""
        return self._counts[number]

    def spread(self, term: str) -> int:
        """Return the number of messages that have the term."""
        return len(self._messages.get(term, ()))

    def rarity(self, term: str) -> float:
        """Return the inverse document frequency, never negative."""
        spread = self.spread(term)
        return float(np.log1p((len(self) - spread + 0.5) / (spread + 0.5)))

    def score(self, query: Mapping[str, float]) -> NDArray[np.float64]:
        """Return BM25 for every message; ``query`` gives each term a weight."""
        scores = np.zeros(len(self))
        lengths = np.array(self._lengths, dtype=np.float64)
        norm = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1.0)) if len(lengths) else lengths
        for term, weight in query.items():
            if term not in self._messages:
                continue
            # Copies: an array cannot grow while a view of it is alive.
            numbers = np.array(self._messages[term])
            frequencies = np.array(self._frequencies[term], dtype=np.float64)
            saturated = frequencies * (_K1 + 1) / (frequencies + norm[numbers])
            scores[numbers] += weight * self.rarity(term) * saturated
        return scores


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
