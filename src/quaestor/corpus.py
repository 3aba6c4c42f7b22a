"""A corpus: everything in one index, kept in step with the files it was made from.

This floor joins retrieval (which knows no files) with ingest (which knows no queries). It receives its parts ready
made; ``assemble`` chooses them.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from quaestor.embedding import Embedder
from quaestor.errors import ForbiddenError, NotFoundError
from quaestor.ingest.files import folder_of
from quaestor.ingest.freshness import check
from quaestor.ingest.indexer import Changes, Indexer, Progress
from quaestor.ingest.names import on_disk
from quaestor.ingest.project import project_name
from quaestor.ingest.reading import read_snapshot
from quaestor.passages import Document, Hit
from quaestor.retrieval.ranker import Ranker
from quaestor.retrieval.retriever import Mode, Retriever
from quaestor.stores import Store, Where

if TYPE_CHECKING:
    from quaestor.retrieval.conversation import TurnQuery


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """What an index holds.

    Attributes:
        root: the folder that was indexed.
        documents: number of documents.
        chunks: number of chunks.
        bytes: sum of the documents' sizes.
        index_bytes: what the index takes on disk.
        languages: documents per language.
        chunkers: documents per method of cutting.
        notes: documents per fallback or lossy reading.
        embedder: the embedder's name.
        store: the kind of store.
        generation: number of committed changes.
    """

    root: str
    documents: int
    chunks: int
    bytes: int
    index_bytes: int
    languages: Mapping[str, int]
    chunkers: Mapping[str, int]
    notes: Mapping[str, int]
    embedder: str
    store: str
    generation: int


@dataclass(frozen=True, slots=True)
class Freshness:
    """How current an answer is.

    Attributes:
        fresh: whether everything that changed on disk is in the index.
        checked_at: when that was checked, ISO 8601 in UTC.
    """

    fresh: bool
    checked_at: str


class Corpus:
    """One source's index, searchable and kept fresh."""

    def __init__(
        self,
        root: Path,
        store: Store,
        embedder: Embedder,
        indexer: Indexer,
        ranker: Ranker,
        *,
        refresh_seconds: float,
    ) -> None:
        self.root = root
        self.store = store
        self.embedder = embedder
        self.indexer = indexer
        self.refresh_seconds = refresh_seconds
        self.freshness = Freshness(False, "")
        self.last_changes = Changes()
        self.retriever = Retriever(store, embedder, ranker, project_name(root))

    def refresh(self, progress: Progress | None = None, budget_seconds: float | None = None) -> Changes:
        """Bring the index up to date with the files and return what changed.

        Args:
            progress: called with the state of the work as it goes on.
            budget_seconds: stop after about this time; what is still stale is in the result.
        """
        changes = self.indexer.refresh(progress=progress, budget_seconds=budget_seconds)
        self.freshness = Freshness(not changes.stale, _now())
        self.last_changes = changes
        return changes

    def search(self, query: str, k: int = 10, *, mode: Mode = "ranked", where: Where | None = None) -> list[Hit]:
        """Return up to ``k`` hits, best first, after bringing the index up to date within the time allowed."""
        return self._found_fresh(lambda: self.retriever.search(query, k, mode=mode, where=where))

    def search_turn(self, turn: TurnQuery, k: int = 10) -> list[Hit]:
        """Return up to ``k`` hits for a turn of a conversation; otherwise as ``search``."""
        from quaestor.retrieval.conversation import search_turn  # noqa: PLC0415 - 20 ms that no single search needs

        return self._found_fresh(lambda: search_turn(self.retriever, turn, k))

    def read(self, path: str) -> bytes | None:
        """Return a document's bytes as they are on disk now, or None if it is no longer a file that can be read.

        Raises:
            NotFoundError: the path is not a document of this corpus.
            ForbiddenError: the path now leads out of the root.
        """
        if self.store.document(path) is None:
            raise NotFoundError(f"{path!r} is not in this index. Give a path as a search shows it.")
        root = folder_of(self.root)
        place = Path(on_disk(str(root), path))
        if not place.parent.resolve().is_relative_to(root.resolve()):
            raise ForbiddenError(f"{path!r} leads out of {str(root)!r} and is not read.")
        try:
            return read_snapshot(str(place)).data
        except OSError:
            return None

    def stats(self) -> CorpusStats:
        """Return sizes of everything."""
        stats = self.store.stats()
        return CorpusStats(
            root=str(self.root),
            documents=stats.documents,
            chunks=stats.chunks,
            bytes=stats.bytes,
            index_bytes=stats.store_bytes,
            languages=stats.languages,
            chunkers=stats.chunkers,
            notes=stats.notes,
            embedder=self.embedder.name,
            store=type(self.store).__name__,
            generation=self.store.generation(),
        )

    def close(self) -> None:
        """Release the index's files."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _found_fresh(self, find: Callable[[], list[Hit]]) -> list[Hit]:
        """Return what ``find`` finds in an index brought up to date.

        Whatever said that nothing changed, the files of the hits are looked at: one that did change, since or unheard,
        has everything looked at again.
        """
        self.refresh(budget_seconds=self.refresh_seconds)
        hits = find()
        if self.freshness.fresh and not self._as_indexed(hits):
            self.indexer.distrust()
            self.refresh(budget_seconds=self.refresh_seconds)
            hits = find()
            if not self._as_indexed(hits):
                self.freshness = replace(self.freshness, fresh=False)
        return self._checked(hits)

    def _as_indexed(self, hits: list[Hit]) -> bool:
        states = check(folder_of(self.root), [hit.document for hit in hits])
        return all(state == "fresh" for state in states.values())

    def _checked(self, hits: list[Hit]) -> list[Hit]:
        """Return hits that say of themselves whether they are fresh."""
        if self.freshness.fresh:
            return hits
        return [replace(hit, fresh=self._is_current(hit.document)) for hit in hits]

    def _is_current(self, document: Document) -> bool:
        try:
            data = self.read(document.path)
        except ForbiddenError:
            return False
        return data is not None and hashlib.sha256(data).hexdigest() == document.sha256


def _now() -> str:
    return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="seconds")
