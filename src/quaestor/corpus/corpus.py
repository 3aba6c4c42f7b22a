"""The corpus itself: search, read, find relatives, and describe.

It holds an index that is brought up to date before anything is taken from it (``fresh_index``), and its documents as
they are on disk (``documents_on_disk``). This package joins search (which knows no files) with indexing (which
knows no queries). It receives its parts ready made; ``assemble`` chooses them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from quaestor.core.documents import Document, Hit
from quaestor.core.errors import UsageError
from quaestor.corpus.descriptions import CorpusStats, Freshness, SearchEmbedder, VectorProgress
from quaestor.corpus.documents_on_disk import DocumentsOnDisk
from quaestor.corpus.fresh_index import FreshIndex, IndexParts
from quaestor.corpus.understood_filters import UnderstoodQuestion, find_understood, read_understood
from quaestor.embedding import Embedder
from quaestor.embedding.remote import Allowance
from quaestor.indexing.indexer import Changes, CountTokens, Indexer, Progress
from quaestor.search.ranker import Ranker
from quaestor.search.retriever import Mode, Retriever
from quaestor.search.spelling import Spelling
from quaestor.stores import Bylines, Store, Where

if TYPE_CHECKING:
    from quaestor.corpus.answerability import Doubt
    from quaestor.corpus.document_paths import Folder
    from quaestor.corpus.documents_on_disk import Excerpt
    from quaestor.corpus.find_relatives import Relatives
    from quaestor.history.git import Repository
    from quaestor.indexing.survey import SurveyResult
    from quaestor.llm.models import Model
    from quaestor.related import Related, RelatedKind
    from quaestor.search.turns import TurnQuery

_Done = TypeVar("_Done")


class Corpus:
    """One source's index, searchable and kept fresh.

    Args:
        root: the folder or file that the index was made from.
        store: the store, opened for the embedder.
        embedder: turns texts and queries into vectors.
        indexer: keeps the store up to date with the files.
        ranker: puts hits in order.
        refresh_seconds: the most seconds that the refresh before each use may take.
        refresh_cost: the most that embedding changed files may cost, in millionths of the currency's unit.
        shared: whether other machines may keep the index current, and hold the files.
        vector_progress: describes vectors that are still being made for the index.
        reopen: returns new parts after the index was given another embedder; None if that is the caller's task.

    Attributes:
        root: the folder or file that the index was made from.
    """

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
        vector_progress: Callable[[], VectorProgress | None] = lambda: None,
        reopen: Callable[[], IndexParts] | None = None,
    ) -> None:
        self.root = root
        self._index = FreshIndex(
            root,
            IndexParts(store, embedder, indexer, ranker, vector_progress),
            reopen=reopen,
            refresh_seconds=refresh_seconds,
            refresh_cost=refresh_cost,
            shared=shared,
        )
        self._documents = DocumentsOnDisk(self._index)
        self._relatives: Relatives | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the index's files."""
        self._index.close()

    # What it is made of: other parts once the index was given another embedder.

    @property
    def store(self) -> Store:
        """The store of the index."""
        return self._index.store

    @property
    def embedder(self) -> Embedder:
        """The embedder of the index."""
        return self._index.embedder

    @property
    def indexer(self) -> Indexer:
        """The indexer that keeps the store up to date with the files."""
        return self._index.indexer

    @property
    def retriever(self) -> Retriever:
        """The retriever, which searches the store without updating it."""
        return self._index.retriever

    @property
    def meaning(self) -> SearchEmbedder:
        """The state of search by meaning, and how much of the index it covers."""
        return self._index.meaning

    @property
    def local_embedder(self) -> Embedder:
        """A local embedder for small comparisons; it sends no request and costs nothing."""
        return self.meaning.local_embedder

    @property
    def source(self) -> str:
        """The path of the source, as sessions and the ledger record it."""
        return str(self.root)

    @property
    def project(self) -> str:
        """The name of the whole corpus, as people use it."""
        return self.retriever.project

    def model_named(self, name: str) -> Model:
        """Return a model by its name.

        Raises:
            UsageError: this corpus was made without settings, which name the models' endpoint.
        """
        raise UsageError(
            f"a corpus without settings cannot find model {name!r}; give the model itself, or open an Index"
        )

    # How current it is.

    @property
    def refresh_seconds(self) -> float:
        """The most seconds that the refresh before each use may take."""
        return self._index.refresh_seconds

    @refresh_seconds.setter
    def refresh_seconds(self, seconds: float) -> None:
        self._index.refresh_seconds = seconds

    @property
    def freshness(self) -> Freshness:
        """How current the index was at its last use."""
        return self._index.freshness

    @property
    def last_changes(self) -> Changes:
        """The changes of the last refresh."""
        return self._index.last_changes

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the last search, each with something that the user can do."""
        return self._index.remarks

    def refresh(
        self,
        progress: Progress | None = None,
        budget_seconds: float | None = None,
        *,
        allowance: Allowance | None = None,
    ) -> Changes:
        """Bring the index up to date with the files and return what changed.

        Args:
            progress: called with the state of the work.
            budget_seconds: stop after about this time; the result lists the files that are still stale.
            allowance: what a remote embedder may cost; texts that wait since earlier are then embedded, too. None
                allows ``refresh_cost``, for changed files only. Texts that it does not cover are found by words alone.
                A slow embedder that costs nothing continues with waiting texts whenever there is time.
        """
        return self._index.refresh(progress, budget_seconds, allowance=allowance)

    def try_refresh(self) -> None:
        """Update the index within the time allowed; if it cannot be written now, it stays as it is."""
        self._index.try_refresh()

    def notice_changes(self, documents: Iterable[Document]) -> bool:
        """Return whether any of these documents changed unnoticed; if so, have the next refresh look at all files."""
        return self._index.notice_changes(documents)

    def look_at(self, documents: Iterable[Document]) -> None:
        """Mark the index as not fresh if any of these documents changed."""
        self._index.look_at(documents)

    def retry_reopened(self, act: Callable[[], _Done]) -> _Done:
        """Return the result of ``act``; if the index was given another embedder meanwhile, reopen it and repeat."""
        return self._index.retry_reopened(act)

    def while_unchanged(self, key: Hashable, make: Callable[[], _Done]) -> _Done:
        """Return what ``make`` returns; it is called once for each key after each change of the index."""
        return self._index.while_unchanged(key, make)

    def report_as(self, other: Corpus, changes: Changes) -> None:
        """Take over the freshness and the changes of ``other``, which this replaces."""
        self._index.freshness, self._index.last_changes = other.freshness, changes

    # Searching.

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
            query: the words to search for. Dates and authors in it are words, too; ``understand`` reads them as
                filters.
            k: the most hits to return.
            mode: how hits are scored.
            where: a filter on documents.
            since: only documents of this date or later: ``2020``, ``2020-03``, ``2020-03-14``.
            before: only documents of an earlier date.
            by: an author, or several, of whom any may match.

        Raises:
            UsageError: a date is malformed.
        """
        if since or before or by:
            from quaestor.search.filters import both_filters, make_filter  # noqa: PLC0415 - few searches are filtered

            where = both_filters(make_filter((), (), since, before, (by,) if isinstance(by, str) else by), where)
        return self.with_freshness(
            self._index.find_fresh(lambda: self.retriever.search(query, k, mode=mode, where=where), _documents_of_hits)
        )

    def search_turn(self, turn: TurnQuery, k: int = 10, *, where: Where | None = None) -> list[Hit]:
        """Return up to ``k`` hits for a turn of a conversation; otherwise as ``search``."""
        from quaestor.search.turns import search_turn  # noqa: PLC0415 - 20 ms that no single search needs

        return self.with_freshness(
            self._index.find_fresh(lambda: search_turn(self.retriever, turn, k, where=where), _documents_of_hits)
        )

    def find(
        self, question: str, k: int = 10, *, mode: Mode = "ranked", where: Where | None = None, filters: bool = True
    ) -> tuple[Sequence[Hit], UnderstoodQuestion]:
        """Return up to ``k`` hits for a question, and how it was understood; otherwise as ``search``.

        Args:
            question: dates and authors in it limit the documents, unless that leaves none.
            k: the most hits to return.
            mode: how hits are scored.
            where: a filter on documents.
            filters: whether dates and authors are read from the question; if not, they are searched as words.
        """
        return find_understood(self, question, k, mode, where, filters=filters)

    def spelling(self, query: str) -> Spelling:
        """Return a query's words that this corpus lacks, each with the most similar words that it has."""
        return self._index.retry_reopened(lambda: self.retriever.spelling(query))

    def translation(self, question: str) -> tuple[str, ...]:
        """Return the English translation by which a question in another language is searched."""
        return self.retriever.translation(question)

    def in_english(self, question: str) -> str:
        """Return the translation of a question in another language, and any other question unchanged."""
        return self.retriever.in_english(question)

    def understand(self, question: str, where: Where | None = None) -> UnderstoodQuestion:
        """Return a question with its dates and authors as a filter, within ``where``."""
        return read_understood(self.store, question, where)

    def bylines(self, where: Where | None = None) -> Bylines:
        """Return the authors and dates of the documents that match a filter."""
        return self.store.bylines(where)

    def unmentioned_names(self, question: str) -> tuple[str, ...]:
        """Return the names in a question that nothing in this corpus mentions."""
        from quaestor.corpus.unmentioned import unmentioned_names  # noqa: PLC0415 - no search needs it

        return self._index.retry_reopened(lambda: unmentioned_names(self.store, question))

    def doubt(self, question: str, hits: Sequence[Hit], original: str = "") -> Doubt:
        """Return the reasons to doubt that the hits of a search for a question answer it.

        ``original``: the question in its own language, if it was translated for the search.
        """
        from quaestor.corpus.answerability import doubt_about  # noqa: PLC0415 - no search needs it
        from quaestor.corpus.unmentioned import terms_of_words  # noqa: PLC0415

        counts = self._index.retry_reopened(lambda: self.store.counts(terms_of_words(question)))
        names, unknown = self.unmentioned_names(question), self.spelling(question).unknown
        return doubt_about(question, hits, names, unknown, [counts], original)

    def with_freshness(self, hits: list[Hit]) -> list[Hit]:
        """Return the hits with ``fresh`` set."""
        if self.freshness.fresh:
            return hits
        return [hit._replace(fresh=self._documents.is_current(hit.path, hit.document.sha256)) for hit in hits]

    # Reading.

    def read(self, path: str) -> bytes | None:
        """Return a document's present text, or None if it is no longer a readable file.

        These are the bytes on disk; of a document that is converted, the Markdown that they become. ``commit HASH``
        and ``tag NAME`` are read from the repository that the root is in.

        Raises:
            NotFoundError: the path is not a document of this corpus.
            ForbiddenError: the path now leads out of the root.
        """
        return self._documents.read(path)

    def read_source(self, path: str) -> bytes | None:
        """Return a document's bytes as they are on disk now; otherwise as ``read``."""
        return self._documents.read_source(path)

    def read_lines(self, path: str, start_line: int = 1, end_line: int | None = None) -> Excerpt:
        """Return lines of a document as they are on disk now, after bringing the index up to date.

        Args:
            path: the document's path; ``./`` before it and doubled slashes are ignored.
            start_line: the first line, 1-based.
            end_line: the last line, inclusive; the document's last line if it is greater or None.

        Raises:
            NotFoundError: the path is not a document of this corpus, or the file is gone.
            ForbiddenError: the path now leads out of the root.
            UsageError: the document does not have these lines.
        """
        return self._documents.read_lines(path, start_line, end_line)

    def document(self, path: str) -> Document:
        """Return a document by its path.

        Raises:
            NotFoundError: it is not in this corpus; the message names those that may be meant.
        """
        return self._documents.document(path)

    def tree(self, folder: str = "", depth: int = 2) -> Folder:
        """Return the documents as a tree of folders, after bringing the index up to date.

        Args:
            folder: the folder to begin with; empty or ``.`` for the root.
            depth: the number of levels of folders to open.

        Raises:
            NotFoundError: there is no such folder in this corpus.
        """
        return self._documents.tree(folder, depth)

    def repository(self) -> Repository | None:
        """Return the repository around the root, limited to the root and to indexable files, or None."""
        return self._documents.repository()

    # What belongs together, and the whole of it.

    def related(self, target: str, kinds: Iterable[RelatedKind] | None = None, limit: int = 10) -> Related:
        """Return the relatives of a name or a document, after bringing the index up to date.

        Args:
            target: a name (``send``, ``Client.send``), a document's path, or ``path:line`` for the definition there.
            kinds: ``definitions``, ``callers``, ``tests``, ``neighbours``; all of them by default.
            limit: the most relatives of each kind.

        Raises:
            NotFoundError: there is no such document, or the name occurs nowhere.
        """
        from quaestor.corpus.find_relatives import Relatives  # noqa: PLC0415 - no search needs it

        self._relatives = self._relatives or Relatives(self._index, self._documents)
        return self._relatives.of(target, kinds, limit)

    def stats(self) -> CorpusStats:
        """Return the sizes of the index."""
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

    def survey(self, count_tokens: CountTokens | None = None, embedder: str | None = None) -> SurveyResult:
        """Count the indexed documents as of the last refresh; no file is read.

        Args:
            count_tokens: counts a text's tokens for an estimate of cost.
            embedder: the name of the embedder whose vector keys are returned; None for no keys.
        """
        return self._index.survey(count_tokens, embedder)

    def is_prose(self) -> bool:
        """Return whether most documents are prose; they are counted once after each change of the index."""
        return self._index.is_prose()


def _documents_of_hits(hits: list[Hit]) -> list[Document]:
    return [hit.document for hit in hits]
