"""An index that is brought up to date before each use."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Document
from quaestor.core.errors import EmbedderChangedError, IndexBusyError, IndexReadOnlyError, LimitError
from quaestor.core.light_imports import NamedTuple
from quaestor.corpus.descriptions import Freshness, SearchEmbedder, VectorProgress, hidden_by_settings
from quaestor.embedding import Embedder
from quaestor.embedding.remote import Allowance, RemoteEmbedder, SlowEmbedder
from quaestor.files.consistent_read import check
from quaestor.files.git_folder import project_name
from quaestor.files.indexing_values import READ_ANEW
from quaestor.files.walk import folder_of
from quaestor.indexing.index_notes import IntakeNote
from quaestor.indexing.indexer import Changes, CountTokens, Indexer, Progress
from quaestor.search.ranker import Ranker
from quaestor.search.retriever import Retriever
from quaestor.stores import Store
from quaestor.stores.shared_store import SharingStore

if TYPE_CHECKING:
    from quaestor.indexing.survey import SurveyResult

_Done = TypeVar("_Done")
_Found = TypeVar("_Found")


class IndexParts(NamedTuple):
    """The exchangeable parts of a corpus, which belong together.

    Attributes:
        store: the store, opened for the embedder.
        embedder: turns texts and queries into vectors.
        indexer: keeps the store up to date with the files.
        ranker: puts hits in order.
        vector_progress: describes vectors that are still being made for the index.
    """

    store: Store
    embedder: Embedder
    indexer: Indexer
    ranker: Ranker
    vector_progress: Callable[[], VectorProgress | None] = lambda: None


class FreshIndex:
    """An open index that is brought up to date before each use, within a time limit.

    Args:
        root: the folder or file that the index was made from.
        parts: the store, the embedder and the other parts of the index.
        reopen: returns new parts after the index was given another embedder; None if that is the caller's task.
        refresh_seconds: the most seconds that the refresh before each use may take.
        refresh_cost: the most that embedding changed files may cost, in millionths of the currency's unit.
        shared: whether other machines may keep the index current, and hold the files.

    Attributes:
        freshness: how current it was at its last use.
        last_changes: the changes of the last refresh.
    """

    def __init__(
        self,
        root: Path,
        parts: IndexParts,
        *,
        reopen: Callable[[], IndexParts] | None = None,
        refresh_seconds: float,
        refresh_cost: int = 0,
        shared: bool = False,
    ) -> None:
        self.root = root
        self.refresh_seconds = refresh_seconds
        self.refresh_cost = refresh_cost
        self.freshness = Freshness(False, "")
        self.last_changes = Changes()
        self._reopen = reopen
        self._shared = shared
        self._folder = folder_of(root)
        self._reopening = Lock()
        self._former: list[Store] = []
        self._use(parts)
        if not self.has_files():
            self.try_refresh()

    def _use(self, parts: IndexParts) -> None:
        self.store, self.embedder, self.indexer, ranker, vector_progress = parts
        self.meaning = SearchEmbedder(self.embedder, self.indexer, self.root, vector_progress)
        name = project_name(self.root, self.indexer.settings.git_within)
        self.retriever = Retriever(self.store, self.meaning.query_embedder, ranker, name)
        self._prose: tuple[int, bool] = (-1, False)  # as of a generation of the store

    def find_fresh(self, find: Callable[[], _Found], documents: Callable[[_Found], Iterable[Document]]) -> _Found:
        """Return the hits of ``find`` in an index brought up to date.

        The files of the hits are checked in any case; if one changed, all files are looked at and ``find`` runs again.
        """
        self.try_refresh()
        result = self.retry_reopened(find)
        if self.notice_changes(documents(result)):
            self.try_refresh()
            result = self.retry_reopened(find)
            self.look_at(documents(result))
        return result

    def notice_changes(self, documents: Iterable[Document]) -> bool:
        """Return whether any of these documents changed unnoticed; if so, have the next refresh look at all files."""
        if not self.freshness.fresh or self._as_indexed(documents):
            return False
        self.indexer.distrust()
        return True

    def look_at(self, documents: Iterable[Document]) -> None:
        """Mark the index as not fresh if any of these documents changed."""
        if not self._as_indexed(documents):
            self.freshness = self.freshness._replace(fresh=False)

    def try_refresh(self) -> None:
        """Update the index within the time allowed; if it cannot be written now, it stays as it is."""
        try:
            self.refresh(budget_seconds=self.refresh_seconds)
        except (IndexBusyError, IndexReadOnlyError, LimitError) as error:
            self.freshness = Freshness(False, _now(), str(error))

    def refresh(
        self,
        progress: Progress | None = None,
        budget_seconds: float | None = None,
        *,
        allowance: Allowance | None = None,
    ) -> Changes:
        """Bring the index up to date with the files and return what changed; as ``Corpus.refresh``."""
        if not self.has_files():
            taken_in, unkept = self.retry_reopened(lambda: (IntakeNote.of(self.store), _count_unkept(self.store)))
            self.freshness = Freshness(True, taken_in.at, stored=True, commit=taken_in.commit, unkept=unkept)
            return self.last_changes
        unpaid = isinstance(self.embedder, SlowEmbedder) and not isinstance(self.embedder, RemoteEmbedder)
        changes = self.retry_reopened(
            lambda: self.indexer.refresh(
                progress=progress,
                budget_seconds=budget_seconds,
                allowance=allowance or Allowance(self.refresh_cost),
                complete=unpaid or allowance is not None,
            )
        )
        self.freshness = Freshness(not changes.stale, _now())
        self.last_changes = changes
        return changes

    def survey(self, count_tokens: CountTokens | None = None, embedder: str | None = None) -> SurveyResult:
        """Count the contents of the index as of the last refresh; as ``Corpus.survey``."""
        return self.retry_reopened(lambda: self.indexer.survey(self.last_changes.skipped, count_tokens, embedder))

    def has_files(self) -> bool:
        """Return whether the source's files are here; a shared index may have an empty folder in their place."""
        if not self._shared or not self.root.is_dir():
            return True
        with os.scandir(self.root) as entries:
            return any(entries)

    def retry_reopened(self, act: Callable[[], _Done]) -> _Done:
        """Return the result of ``act``; if the index was given another embedder meanwhile, reopen it and repeat."""
        used = self.store
        try:
            return act()
        except EmbedderChangedError:
            with self._reopening:
                if self.store is used:
                    parts = self._reopen_parts()
                    # Other threads may be reading from it: it is closed at the end.
                    self._former.append(used)
                    self._use(parts)
            return act()

    def _reopen_parts(self) -> IndexParts:
        if self._reopen is None:
            raise EmbedderChangedError(f"The index of {str(self.root)!r} was given another embedder: open it again.")
        return self._reopen()

    def is_prose(self) -> bool:
        """Return whether most documents are prose; they are counted once after each change of the index."""
        generation = self.store.generation()
        if self._prose[0] != generation:
            languages = self.store.stats().languages
            prose = sum(count for language, count in languages.items() if language in PROSE)
            self._prose = (generation, 2 * prose > sum(languages.values()))
        return self._prose[1]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the last search, each with something that the user can do."""
        hindrance = self.freshness.hindrance
        texts = (f"What changed is not in the index yet. {hindrance}",) if hindrance else ()
        hidden = hidden_by_settings(self.last_changes)
        texts = (self.freshness.remark,) if self.freshness.stored else texts
        anew = (READ_ANEW,) if self.last_changes.anew else ()
        return (*texts, *anew, *_repairs(self.store.repaired), *hidden, *self.meaning.remarks)

    def close(self) -> None:
        """Release the index's files."""
        for store in (*self._former, self.store):
            store.close()

    def _as_indexed(self, documents: Iterable[Document]) -> bool:
        return not self.has_files() or all(state == "fresh" for state in check(self._folder, documents).values())


def _count_unkept(store: Store) -> int:
    return len(store.unkept_paths()) if isinstance(store, SharingStore) else 0


def _repairs(damaged: Collection[str]) -> tuple[str, ...]:
    """Return a remark on damaged parts of an index that were rebuilt."""
    if not damaged:
        return ()
    parts = ", ".join(sorted(damaged))
    return (f"Parts of the index were damaged or of another version and are rebuilt from the rest: {parts}.",)


def _now() -> str:
    return _iso_time(int(time.time()))


@lru_cache(maxsize=1)
def _iso_time(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()
