"""A corpus's remarks on itself, or on several as one: its freshness, and how much of it has vectors.

The remark on files that its settings leave out is here, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from quaestor.core.errors import UpstreamError
from quaestor.core.light_imports import NamedTuple
from quaestor.core.wording import amount, command
from quaestor.embedding import Embedder
from quaestor.embedding.remote import ForgivingEmbedder, RemoteEmbedder, SlowEmbedder
from quaestor.embedding.static import StaticEmbedder
from quaestor.files.indexing_values import BY_SETTING, Changes
from quaestor.indexing.indexer import Indexer
from quaestor.stores import Bylines

ByMeaning = Literal["all", "some", "none"]
"""The documents that a search can find by meaning: all, those that are embedded, or none because the query was not
embedded."""


class VectorProgress(NamedTuple):
    """Vectors that are still being made for an index, which answers by its present ones meanwhile.

    Attributes:
        embedder: the setting that chooses their embedder.
        done: the number of finished vectors.
        total: the number of all vectors; 0 if it is unknown.
        busy: whether a process is making them.
    """

    embedder: str
    done: int
    total: int
    busy: bool


class CorpusStats(NamedTuple):
    """The contents of an index.

    Attributes:
        root: the folder that was indexed.
        documents: the number of documents.
        chunks: the number of chunks.
        bytes: the sum of the documents' sizes.
        index_bytes: the index's size on disk.
        languages: the number of documents per language.
        chunkers: the number of documents per method of cutting.
        notes: the number of documents per fallback or lossy reading.
        embedder: the embedder's name.
        store: the kind of store.
        generation: the number of committed changes.
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


class Freshness(NamedTuple):
    """How current an index is.

    Attributes:
        fresh: whether all changes on disk are in the index.
        checked_at: when that was checked, ISO 8601 in UTC.
        hindrance: why changes could not be indexed, unless the time was too short; else empty.
        stored: whether the files are on other machines: then ``checked_at`` is the time of the index's last refresh.
        commit: the commit of that refresh, if the files are on other machines; else empty.
        unkept: if the files are on other machines, the number of documents whose bytes the index does not hold.
    """

    fresh: bool
    checked_at: str
    hindrance: str = ""
    stored: bool = False
    commit: str = ""
    unkept: int = 0

    @property
    def checked_against(self) -> Literal["files", "bytes", "chunks"]:
        """What citations are checked against: the files, their bytes in the index, or chunks of some of them."""
        if not self.stored:
            return "files"
        return "chunks" if self.unkept else "bytes"

    @property
    def remark(self) -> str:
        """If the files are elsewhere, how old answers are and what citations are checked against; else empty."""
        if not self.stored:
            return ""
        when = f" as of {self.checked_at}" if self.checked_at else ""
        what = f" (commit {self.commit[:12]})" if self.commit else ""
        against = "the bytes that it keeps of them"
        if self.unkept:
            against += (
                f", but for {amount(self.unkept, 'document')} whose bytes it lacks: against their chunks, until "
                "`quaestor index` runs where the files are"
            )
        return f"The files are not here: this is the index{when}{what}, and citations are checked against {against}."


AS_IF_NOT_SET = "QUAESTOR_IGNORE='#' in the environment reads them nevertheless"
"""How to index files that the setting ``ignore`` leaves out: a comment in place of the project's patterns."""


def hidden_by_settings(changes: Changes) -> tuple[str, ...]:
    """Return a remark on files that settings leave out, if they outnumber the indexed ones."""
    indexed = changes.unchanged + len(changes.added) + len(changes.changed) + len(changes.touched)
    ignored = ignored_by_setting(changes)
    large = sum(entry.reason == "too large" for entry in changes.skipped)
    remarks = []
    if ignored > indexed:
        remarks.append(f"The setting 'ignore' leaves out {ignored:,} files and folders. {AS_IF_NOT_SET}.")
    if large > indexed:
        remarks.append(
            f"The setting 'max_file_bytes' leaves out {large:,} files. A greater one reads them:"
            " QUAESTOR_MAX_FILE_BYTES=2000000, say, in the environment."
        )
    return tuple(remarks)


def ignored_by_setting(changes: Changes) -> int:
    """Return how many files and folders are left out by the setting ``ignore``; a folder counts once."""
    return sum(entry.detail == BY_SETTING for entry in changes.skipped)


def merged_bylines(bylines: Sequence[Bylines]) -> Bylines:
    """Return the authors and dates of the documents of several corpora."""
    authors: Counter[str] = Counter()
    for part in bylines:
        authors.update(part.authors)
    return Bylines(
        sum(part.documents for part in bylines),
        sum(part.dated for part in bylines),
        min((part.earliest for part in bylines if part.earliest), default=None),
        max((part.latest for part in bylines if part.latest), default=None),
        authors,
    )


def merged_freshness(states: Sequence[Freshness]) -> Freshness:
    """Return the freshness of several corpora: that of the least fresh one."""
    return Freshness(
        all(state.fresh for state in states),
        min((state.checked_at for state in states), default=""),
        " ".join(dict.fromkeys(state.hindrance for state in states if state.hindrance)),
        any(state.stored for state in states),
        ", ".join(dict.fromkeys(state.commit for state in states if state.commit)),
        sum(state.unkept for state in states),
    )


def merged_reach(reaches: Sequence[ByMeaning]) -> ByMeaning:
    """Return how much of several corpora was searched by meaning."""
    reached = set(reaches)
    return reached.pop() if len(reached) == 1 else "some"


class SearchEmbedder:
    """A corpus's embedder as its searches use it.

    Args:
        embedder: the embedder that the index was made with.
        indexer: knows which documents wait for vectors.
        root: the source.
        vector_progress: describes vectors that are still being made for the index.

    Attributes:
        query_embedder: embeds queries; if a slow embedder is down, as zeros.
    """

    def __init__(
        self,
        embedder: Embedder,
        indexer: Indexer,
        root: Path,
        vector_progress: Callable[[], VectorProgress | None] = lambda: None,
    ) -> None:
        self._embedder = embedder
        self._indexer = indexer
        self._root = root
        self._vector_progress = vector_progress
        self._forgiving = ForgivingEmbedder(embedder) if isinstance(embedder, SlowEmbedder) else None
        self.query_embedder: Embedder = self._forgiving or embedder

    @property
    def local_embedder(self) -> Embedder:
        """A local embedder for comparing messages and sentences; it sends no request and costs nothing."""
        return self._embedder if self._forgiving is None else StaticEmbedder.bundled()

    @property
    def outage(self) -> UpstreamError | None:
        """Why the last search's query was not embedded, and words alone decided; None if it was."""
        return None if self._forgiving is None else self._forgiving.failure

    @property
    def reach(self) -> ByMeaning:
        """How much of the index the last search could search by meaning: all, some or none."""
        if self._forgiving is None:
            return "all"
        if self.outage is not None:
            return "none"
        return "some" if self._indexer.count_pending() else "all"

    @property
    def vector_progress(self) -> VectorProgress | None:
        """The progress of the vectors that are being made for this index, or None if there are none."""
        return self._vector_progress()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the last search, each with something that the user can do."""
        if self._forgiving is None:
            progress = self.vector_progress
            return () if progress is None else (self._remark_on_pending(progress),)
        remarks = []
        if self.outage is not None:
            remarks.append(f"Found by words alone, for the query was not embedded: {self.outage}.")
        waiting = self._indexer.count_pending()
        if waiting:
            cost = "says what that costs, and does it" if isinstance(self._embedder, RemoteEmbedder) else "does that"
            remarks.append(
                f"{waiting} of {self._indexer.documents()} documents are found by words alone until they are embedded:"
                f" {command('index', self._root)} {cost}."
            )
        return tuple(remarks)

    def _remark_on_pending(self, progress: VectorProgress) -> str:
        """Return the remark that the bundled embedder answers until another one's vectors are made."""
        made = (
            f"{progress.done:,} of its {progress.total:,} vectors are made"
            if progress.total
            else "it made no vectors yet"
        )
        rest = command("index", self._root, "--embedder", progress.embedder)
        further = "" if progress.busy else f"; {rest} makes the rest"
        return f"Found by the bundled embedder, not by {progress.embedder!r}: {made}{further}."
