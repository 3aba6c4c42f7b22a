"""An index that is brought up to date before anything is taken from it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from quaestor.core.errors import IndexBusyError, IndexReadOnlyError, LimitError
from quaestor.core.passages import Document
from quaestor.corpus.descriptions import Coming, Freshness
from quaestor.corpus.hidden_by_settings import hidden_by_settings
from quaestor.corpus.index_parts import OpenIndex, Parts
from quaestor.embedding import Embedder
from quaestor.embedding.remote import Allowance, RemoteEmbedder, SlowEmbedder
from quaestor.files.freshness import check
from quaestor.files.walk import folder_of
from quaestor.indexing.indexer import Changes, CountTokens, Indexer, Progress
from quaestor.indexing.taken_in import TakenIn
from quaestor.search.ranker import Ranker
from quaestor.stores import Store

if TYPE_CHECKING:
    from quaestor.indexing.survey import Surveyed

_Found = TypeVar("_Found")


class FreshIndex(OpenIndex):
    """An open index with the time that each use of it may spend on what changed."""

    def __init__(  # noqa: PLR0913 - the parts, and what each use of them may take
        self,
        root: Path,
        store: Store,
        embedder: Embedder,
        indexer: Indexer,
        ranker: Ranker,
        *,
        refresh_seconds: float,
        refresh_cost: int = 0,
        shared: bool = False,
        coming: Callable[[], Coming | None] = lambda: None,
    ) -> None:
        self.refresh_seconds = refresh_seconds
        self.refresh_cost = refresh_cost
        self._shared = shared
        self._folder = folder_of(root)
        self.freshness = Freshness(False, "")
        self.last_changes = Changes()
        super().__init__(root, Parts(store, embedder, indexer, ranker, coming))

    def refresh(
        self,
        progress: Progress | None = None,
        budget_seconds: float | None = None,
        *,
        allowance: Allowance | None = None,
    ) -> Changes:
        """Bring the index up to date with the files and return what changed.

        Args:
            progress: called with the state of the work as it goes on.
            budget_seconds: stop after about this time; what is still stale is in the result.
            allowance: what asking a remote embedder may cost; then what waits since earlier is embedded, too. None:
                ``refresh_cost``, and only for files that changed. What that does not cover is found by words alone.
                A slow embedder that costs nothing goes on with what waits whenever there is time.
        """
        if not self.has_files():
            taken_in = self.following(lambda: TakenIn.of(self.store))
            self.freshness = Freshness(True, taken_in.at, stored=True, commit=taken_in.commit)
            return self.last_changes
        unpaid = isinstance(self.embedder, SlowEmbedder) and not isinstance(self.embedder, RemoteEmbedder)
        changes = self.following(
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

    def survey(self, count_tokens: CountTokens | None = None, embedder: str | None = None) -> Surveyed:
        """Count what the index holds as of the last refresh; no file is read.

        Args:
            count_tokens: counts a text's tokens for an estimate of cost.
            embedder: whose vectors' keys are wanted; None: nobody's.
        """
        return self.following(lambda: self.indexer.survey(self.last_changes.skipped, count_tokens, embedder))

    def has_files(self) -> bool:
        """Return whether the files are here: an empty folder stands for those of an index that others keep current."""
        if not self._shared or not self.root.is_dir():
            return True
        with os.scandir(self.root) as entries:
            return any(entries)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _found_fresh(self, find: Callable[[], _Found], documents: Callable[[_Found], Iterable[Document]]) -> _Found:
        """Return what ``find`` finds in an index brought up to date.

        Whatever said that nothing changed, the files of what was found are looked at: one that did change, since or
        unheard, has everything looked at again.
        """
        self.take_in()
        found = self.following(find)
        if self.overtaken(documents(found)):
            self.take_in()
            found = self.following(find)
            self.look_at(documents(found))
        return found

    def overtaken(self, documents: Iterable[Document]) -> bool:
        """Return whether any of these changed though nothing was heard of it; ``take_in`` then looks at everything."""
        if not self.freshness.fresh or self._as_indexed(documents):
            return False
        self.indexer.distrust()
        return True

    def look_at(self, documents: Iterable[Document]) -> None:
        """Say that the index is not fresh if any of these is not as it was indexed."""
        if not self._as_indexed(documents):
            self.freshness = self.freshness._replace(fresh=False)

    def take_in(self) -> None:
        """Bring the index up to date in the time allowed; where it cannot be written now, it is searched as it is."""
        try:
            self.refresh(budget_seconds=self.refresh_seconds)
        except (IndexBusyError, IndexReadOnlyError, LimitError) as error:
            self.freshness = Freshness(False, _now(), str(error))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be said with the results of the last search to whoever can do something about it."""
        hindrance = self.freshness.hindrance
        said = (f"What changed is not in the index yet. {hindrance}",) if hindrance else ()
        hidden = hidden_by_settings(self.last_changes)
        said = (_remark_on_store(self.freshness),) if self.freshness.stored else said
        return (*said, *_repairs(self.store.repaired), *hidden, *self.meaning.remarks)

    def _as_indexed(self, documents: Iterable[Document]) -> bool:
        return not self.has_files() or all(state == "fresh" for state in check(self._folder, documents).values())


def _remark_on_store(freshness: Freshness) -> str:
    """Return as of when an answer is where the files are not, and what its citations are checked against."""
    when = f" as of {freshness.checked_at}" if freshness.checked_at else ""
    what = f" (commit {freshness.commit[:12]})" if freshness.commit else ""
    return f"The files are not here: this is the index{when}{what}, and citations are checked against what it keeps."


def _repairs(damaged: Collection[str]) -> tuple[str, ...]:
    """Return what is to be said of parts of an index that were not as they were written."""
    if not damaged:
        return ()
    parts = ", ".join(sorted(damaged))
    return (f"Parts of the index were damaged or of another version and are made anew from the rest: {parts}.",)


def _now() -> str:
    return _told(int(time.time()))


@lru_cache(maxsize=1)
def _told(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()
