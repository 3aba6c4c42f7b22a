"""The corpus itself: searched, read and listed, and brought up to date before each of these.

This floor joins retrieval (which knows no files) with ingest (which knows no queries). It receives its parts ready
made; ``assemble`` chooses them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from quaestor.corpus.meant import meant, meant_path, parents, plain
from quaestor.corpus.parts import OpenIndex, Parts
from quaestor.corpus.understanding import Understood, search_understood, understood
from quaestor.corpus.values import CorpusStats, Freshness
from quaestor.embedding import Embedder
from quaestor.embedding.remote import Allowance
from quaestor.errors import ForbiddenError, NotFoundError, UsageError
from quaestor.ingest.files import folder_of
from quaestor.ingest.freshness import check
from quaestor.ingest.indexer import Changes, Indexer, Progress
from quaestor.ingest.names import on_disk
from quaestor.ingest.reading import Snapshot, read_snapshot
from quaestor.passages import Document, Hit
from quaestor.retrieval.ranker import Ranker
from quaestor.retrieval.retriever import Mode
from quaestor.stores import Store, Where
from quaestor.terms import terms_of_word

if TYPE_CHECKING:
    from quaestor.corpus.excerpts import Excerpt
    from quaestor.corpus.tree import Folder
    from quaestor.models import Model
    from quaestor.retrieval.conversation import TurnQuery
    from quaestor.retrieval.related import Related, RelatedKind, Relations, Target

_Found = TypeVar("_Found")


class Corpus(OpenIndex):
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
        refresh_cost: int = 0,
    ) -> None:
        self.refresh_seconds = refresh_seconds
        self.refresh_cost = refresh_cost
        self.freshness = Freshness(False, "")
        self.last_changes = Changes()
        super().__init__(root, Parts(store, embedder, indexer, ranker))

    def model_named(self, name: str) -> Model:
        """Return a model by its name.

        Raises:
            UsageError: this corpus was put together without settings, which say where models are.
        """
        raise UsageError(
            f"a corpus without settings cannot find model {name!r}; give the model itself, or open an Index"
        )

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
        """
        changes = self.following(
            lambda: self.indexer.refresh(
                progress=progress,
                budget_seconds=budget_seconds,
                allowance=allowance or Allowance(self.refresh_cost),
                complete=allowance is not None,
            )
        )
        self.freshness = Freshness(not changes.stale, _now())
        self.last_changes = changes
        return changes

    def search(
        self,
        query: str,
        k: int = 10,
        *,
        mode: Mode = "ranked",
        where: Where | None = None,
        since: str = "",
        before: str = "",
        by: str | Sequence[str] = (),
    ) -> list[Hit]:
        """Return up to ``k`` hits, best first, after bringing the index up to date within the time allowed.

        Args:
            query: what to look for. It is taken as it stands; ``understand`` reads dates and authors out of a question.
            k: how many hits.
            mode: how they are scored.
            where: only documents that it lets through.
            since: only documents of this date or later: ``2020``, ``2020-03``, ``2020-03-14``.
            before: only documents of an earlier date.
            by: an author, or several, any of whom will do.

        Raises:
            UsageError: a date is none.
        """
        if since or before or by:
            from quaestor.retrieval.filters import both, make_filter  # noqa: PLC0415 - few searches are filtered

            where = both(make_filter((), (), since, before, (by,) if isinstance(by, str) else by), where)
        return self._checked(
            self._found_fresh(lambda: self.retriever.search(query, k, mode=mode, where=where), _documents_of_hits)
        )

    def search_turn(self, turn: TurnQuery, k: int = 10, *, where: Where | None = None) -> list[Hit]:
        """Return up to ``k`` hits for a turn of a conversation; otherwise as ``search``."""
        from quaestor.retrieval.conversation import search_turn  # noqa: PLC0415 - 20 ms that no single search needs

        return self._checked(
            self._found_fresh(lambda: search_turn(self.retriever, turn, k, where=where), _documents_of_hits)
        )

    def find(
        self, question: str, k: int = 10, *, mode: Mode = "ranked", where: Where | None = None, filters: bool = True
    ) -> tuple[Sequence[Hit], Understood]:
        """Return up to ``k`` hits for a question as it is understood, and how that is; otherwise as ``search``.

        Args:
            question: what to look for. What it says of dates and authors limits the documents, unless that leaves none.
            k: how many hits.
            mode: how they are scored.
            where: only documents that it lets through.
            filters: whether anything is to be read out of the question; without, its words are searched for.
        """
        asked = self.understand(question, where) if filters else Understood(question, where)
        return search_understood(
            question, asked, lambda text, within: self.search(text, k, mode=mode, where=within), where
        )

    def understand(self, question: str, where: Where | None = None) -> Understood:
        """Return a question with what it says of dates and authors as a filter, within ``where``."""
        return understood(self.store, question, where)

    def unmentioned(self, question: str) -> tuple[str, ...]:
        """Return the names in a question that nothing in this corpus mentions."""
        from quaestor.corpus.unmentioned import unmentioned  # noqa: PLC0415 - no search needs it

        return self.following(lambda: unmentioned(self.store, question))

    def related(self, target: str, kinds: Iterable[RelatedKind] | None = None, limit: int = 10) -> Related:
        """Return what belongs to a name or a document, after bringing the index up to date.

        Args:
            target: a name (``send``, ``Client.send``), a document's path, or ``path:line`` for what stands there.
            kinds: ``definitions``, ``callers``, ``tests``, ``neighbours``; all of them by default.
            limit: of each kind.

        Raises:
            NotFoundError: there is no such document, or the name stands nowhere.
        """
        from quaestor.retrieval.related import KINDS, Relations  # noqa: PLC0415 - no search needs it

        wanted = KINDS if kinds is None else tuple(kinds)

        def find() -> Related:
            relations = self._relations = self._relations or Relations(self.store, self.meaning.asked)
            return relations.related(self._target(target, relations), wanted, limit)

        found = self._found_fresh(find, self._documents_of_relatives)
        name = found.target.name
        if name and not found.relatives and not any(found.total.values()) and not self._stands(name):
            near = dict.fromkeys(hit.symbol for hit in self.retriever.search(target, 3) if hit.symbol)
            raise NotFoundError(f"{target!r} is not a name in this index.{meant(list(near))}")
        if self.freshness.fresh:
            return found
        current = {one.path: self._is_current(one.path, one.sha256) for one in found.relatives}
        return replace(found, relatives=tuple(replace(one, fresh=current[one.path]) for one in found.relatives))

    def read(self, path: str) -> bytes | None:
        """Return a document's text as it is now, or None if it is no longer a file that can be read.

        These are the bytes on disk; of a document that is converted, the Markdown that they become.

        Raises:
            NotFoundError: the path is not a document of this corpus.
            ForbiddenError: the path now leads out of the root.
        """
        document = self._listed(path)
        snapshot = self._snapshot(path)
        return None if snapshot is None else self._text(document, snapshot)

    def read_source(self, path: str) -> bytes | None:
        """Return a document's bytes as they are on disk now; otherwise as ``read``."""
        self._listed(path)
        snapshot = self._snapshot(path)
        return None if snapshot is None else snapshot.data

    def _listed(self, path: str) -> Document:
        """Return a document by its very path; raises as ``read``."""
        document = self.store.document(path)
        if document is None:
            raise NotFoundError(f"{path!r} is not in this index. Give a path as a search shows it.")
        return document

    def _text(self, document: Document, snapshot: Snapshot) -> bytes | None:
        """Return what a document's lines and spans count in: its bytes, or the Markdown that they become."""
        # A search reads no file.
        from quaestor.ingest.convert import ConversionError, converted, is_converted  # noqa: PLC0415

        path = document.path
        if not is_converted(document):
            return snapshot.data
        if document.sha256 == snapshot.sha256:
            from quaestor.ingest.convert.kept import kept_text  # noqa: PLC0415 - most documents are read as they are

            return kept_text(self.store.chunks_of(path))
        try:
            made = converted(snapshot.data, path)
        except ConversionError:
            return None
        return snapshot.data if made is None else made.text.encode("utf-8", "replace")

    def _snapshot(self, path: str) -> Snapshot | None:
        """Return the file of a document of this index as it is on disk now.

        Raises:
            ForbiddenError: the path now leads out of the root.
        """
        root = folder_of(self.root)
        place = Path(on_disk(str(root), path))
        folder = place.parent.resolve()
        # The root is a real path but where somebody has put a link in its place since.
        if not (folder.is_relative_to(root) or folder.is_relative_to(root.resolve())):
            raise ForbiddenError(f"{path!r} leads out of {str(root)!r} and is not read.")
        try:
            return read_snapshot(str(place))
        except OSError:
            return None

    def read_lines(self, path: str, start_line: int = 1, end_line: int | None = None) -> Excerpt:
        """Return lines of a document as they are on disk now, after bringing the index up to date.

        Args:
            path: the document's path; ``./`` before it and doubled slashes do no harm.
            start_line: first line, 1-based.
            end_line: last line, inclusive; the last one of the document if it is greater or not given.

        Raises:
            NotFoundError: the path is not a document of this corpus, or the file is gone.
            ForbiddenError: the path now leads out of the root.
            UsageError: there are no such lines.
        """
        from quaestor.corpus.excerpts import excerpt  # noqa: PLC0415 - no search needs it

        document = self._found_fresh(lambda: self.document(path), lambda document: [document])
        snapshot = self._snapshot(document.path)
        data = None if snapshot is None else self._text(document, snapshot)
        if snapshot is None or data is None:
            raise NotFoundError(f"{path!r} is no longer there, or cannot be read. Search again.")
        if start_line < 1 or (end_line is not None and end_line < start_line):
            raise UsageError(f"There are no lines {start_line} to {end_line}; lines count from 1, the first one first.")
        found = excerpt(document, data, snapshot.sha256, start_line, end_line)
        if start_line > max(found.total_lines, 1):
            raise UsageError(f"{path!r} has {found.total_lines} lines; {start_line} is beyond its end.")
        return found

    def tree(self, folder: str = "", depth: int = 2) -> Folder:
        """Return the documents as a tree of folders, after bringing the index up to date.

        Args:
            folder: where to begin; empty or ``.`` for the root.
            depth: how many levels of folders to open.

        Raises:
            NotFoundError: there is no such folder in this corpus.
        """
        from quaestor.corpus.tree import make_tree  # noqa: PLC0415 - no search needs it

        self.refresh(budget_seconds=self.refresh_seconds)
        paths = self.store.documents()
        found = make_tree(paths, plain(folder), depth)
        if found is not None:
            return found
        if plain(folder) in paths:
            raise NotFoundError(f"{folder!r} is a document, not a folder. Read it.")
        folders = {parent for path in paths for parent in parents(path)}
        raise NotFoundError(f"{folder!r} is not a folder of this index.{meant_path(folder, folders)}")

    def document(self, path: str) -> Document:
        """Return a document by its path.

        Raises:
            NotFoundError: it is not in this corpus; the message names those that may be meant.
        """
        found = self.store.document(path) or self.store.document(plain(path))
        if found is not None:
            return found
        paths = self.store.documents()
        count = sum(one.startswith(f"{plain(path)}/") for one in paths)
        if count:
            raise NotFoundError(f"{path!r} is a folder with {count} documents. Give the path of one of them.")
        raise NotFoundError(f"{path!r} is not in this index.{meant_path(path, paths)}")

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
        self.refresh(budget_seconds=self.refresh_seconds)
        found = self.following(find)
        if self.freshness.fresh and not self._as_indexed(documents(found)):
            self.indexer.distrust()
            self.refresh(budget_seconds=self.refresh_seconds)
            found = self.following(find)
            if not self._as_indexed(documents(found)):
                self.freshness = self.freshness._replace(fresh=False)
        return found

    def _as_indexed(self, documents: Iterable[Document]) -> bool:
        return all(state == "fresh" for state in check(folder_of(self.root), documents).values())

    def _documents_of_relatives(self, related: Related) -> list[Document]:
        paths = dict.fromkeys(one.path for one in related.relatives)
        return [document for path in paths if (document := self.store.document(path)) is not None]

    def _checked(self, hits: list[Hit]) -> list[Hit]:
        """Return hits that say of themselves whether they are fresh."""
        if self.freshness.fresh:
            return hits
        return [hit._replace(fresh=self._is_current(hit.path, hit.document.sha256)) for hit in hits]

    def _is_current(self, path: str, sha256: str) -> bool:
        try:
            snapshot = self._snapshot(path)
        except ForbiddenError:
            return False
        return snapshot is not None and snapshot.sha256 == sha256

    def _target(self, text: str, relations: Relations) -> Target:
        """Return what a text means: a document if there is one of this path, else a name."""
        from quaestor.corpus.targets import looks_like_a_path, read_name, split_place  # noqa: PLC0415
        from quaestor.retrieval.related import Target  # noqa: PLC0415

        path, line = split_place(text.strip())
        document = self.store.document(plain(path))
        if document is None and looks_like_a_path(path):
            document = self.document(path)
        if document is not None:
            return Target(path=document.path) if line is None else relations.target_at(document.path, line)
        target = read_name(text)
        if not target.name:
            raise UsageError(f"{text!r} names nothing. Give a name, a path, or a path with a line behind a colon.")
        return target

    def _stands(self, name: str) -> bool:
        """Return whether a name stands anywhere in the corpus, be it in prose or data."""
        return bool(self.store.lexical(terms_of_word(name)[:1], 1)) if name.isidentifier() else False


def _documents_of_hits(hits: list[Hit]) -> list[Document]:
    return [hit.document for hit in hits]


def _now() -> str:
    return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="seconds")
