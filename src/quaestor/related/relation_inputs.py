"""What relatives are found with: one store, one embedder, and what its documents are imported as."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from quaestor.core.passages import Document
from quaestor.embedding import Embedder
from quaestor.related.imports import Modules
from quaestor.related.relatives import Relative
from quaestor.related.stored_files import chunk_relative
from quaestor.stores import Store

_SIMILAR = 40


@dataclass(slots=True)  # mutable: filled while relatives are found
class Found:
    """Relatives of one kind: the listed ones, how many there are, and whether that is all."""

    relatives: list[Relative] = field(default_factory=list)
    total: int = 0
    complete: bool = True


class Sources:
    """One store with its embedder.

    Attributes:
        store: the store that is looked into.
    """

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self.store = store
        self._embedder = embedder
        self._documents: tuple[int, dict[str, Document], Modules] | None = None

    def modules(self) -> tuple[dict[str, Document], Modules]:
        """Return all documents, and what they are imported as; kept for as long as the store does not change."""
        generation = self.store.generation()
        if self._documents is None or self._documents[0] != generation:
            documents = dict(self.store.documents())
            self._documents = generation, documents, Modules(documents)
        return self._documents[1], self._documents[2]

    def similar(self, text: str, symbol: str | None, apart: Collection[str], limit: int) -> Iterator[Relative]:
        """Yield the chunks nearest in meaning, one a document, of documents other than ``apart``."""
        vector = self._embedder.encode([f"{symbol or ''}\n{text}"])[0]
        if not vector.any():
            return
        nearest = [identifier for identifier, _ in self.store.dense(vector, _SIMILAR)]
        seen = set(apart)
        for stored in self.store.get(nearest).values():
            if stored.document.path not in seen and limit > 0:
                seen.add(stored.document.path)
                limit -= 1
                yield chunk_relative(stored, "similar")
