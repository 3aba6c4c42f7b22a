"""What a corpus is put together from, and puts itself together from anew when its index is given another embedder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from quaestor.chunking.languages import PROSE
from quaestor.core.errors import EmbedderChangedError
from quaestor.core.light_imports import NamedTuple
from quaestor.corpus.descriptions import Coming
from quaestor.corpus.vector_state import Meaning
from quaestor.embedding import Embedder
from quaestor.files.project_name import project_name
from quaestor.indexing.indexer import Indexer
from quaestor.search.ranker import Ranker
from quaestor.search.retriever import Retriever
from quaestor.stores import Store

if TYPE_CHECKING:
    from quaestor.related import Relations

_Done = TypeVar("_Done")


class Parts(NamedTuple):
    """The exchangeable parts of a corpus, which fit each other.

    Attributes:
        store: opened for the embedder.
        embedder: turns texts and queries into vectors.
        indexer: keeps the store in step with the files.
        ranker: puts hits in order.
        coming: tells of vectors that the index is yet to be given.
    """

    store: Store
    embedder: Embedder
    indexer: Indexer
    ranker: Ranker
    coming: Callable[[], Coming | None] = lambda: None


class OpenIndex:
    """The parts of an index that is open; other ones once it was given another embedder."""

    def __init__(self, root: Path, parts: Parts) -> None:
        self.root = root
        self._reopening = Lock()
        self._former: list[Store] = []
        self._use(parts)

    def _use(self, parts: Parts) -> None:
        self.store, self.embedder, self.indexer, ranker, coming = parts
        self.meaning = Meaning(self.embedder, self.indexer, self.root, coming)
        self.retriever = Retriever(self.store, self.meaning.asked, ranker, project_name(self.root))
        self._relations: Relations | None = None
        self._prose: tuple[int, bool] = (-1, False)  # as of a generation of the store

    def reopened(self) -> Parts:
        """Return the parts of the index as it is now, with the embedder that it was given meanwhile.

        Raises:
            EmbedderChangedError: it was put together by somebody else, who must do so again.
        """
        raise EmbedderChangedError(f"The index of {str(self.root)!r} was given another embedder: open it again.")

    @property
    def source(self) -> str:
        """What the index is made of, as sessions and the ledger record it."""
        return str(self.root)

    @property
    def project(self) -> str:
        """What people call the whole corpus."""
        return self.retriever.project

    @property
    def near(self) -> Embedder:
        """An embedder for what is compared in passing; it asks nobody and costs nothing."""
        return self.meaning.near

    def following(self, act: Callable[[], _Done]) -> _Done:
        """Return what ``act`` does; if the index was given another embedder meanwhile, with the index as it is now."""
        used = self.store
        try:
            return act()
        except EmbedderChangedError:
            with self._reopening:
                if self.store is used:
                    parts = self.reopened()
                    # Other threads may be reading from it: it is closed at the end.
                    self._former.append(used)
                    self._use(parts)
            return act()

    def is_prose(self) -> bool:
        """Return whether most documents are prose; they are counted once after each change of the index."""
        generation = self.store.generation()
        if self._prose[0] != generation:
            languages = self.store.stats().languages
            prose = sum(count for language, count in languages.items() if language in PROSE)
            self._prose = (generation, 2 * prose > sum(languages.values()))
        return self._prose[1]

    def close(self) -> None:
        """Release the index's files."""
        for store in (*self._former, self.store):
            store.close()
