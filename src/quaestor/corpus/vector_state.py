"""How far a corpus can be searched by meaning: what embeds queries, and what is to be said where that is not all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from quaestor.core.errors import UpstreamError
from quaestor.core.wording import command
from quaestor.corpus.descriptions import ByMeaning, Coming
from quaestor.embedding import Embedder
from quaestor.embedding.remote import RemoteEmbedder, SlowEmbedder
from quaestor.embedding.stand_ins import ForgivingEmbedder
from quaestor.embedding.static import StaticEmbedder
from quaestor.indexing.indexer import Indexer


class Meaning:
    """A corpus's embedder as searches use it.

    Args:
        embedder: that the index was made with.
        indexer: knows which documents wait for vectors.
        root: the source.
        coming: tells of vectors of another embedder that the index is yet to be given.

    Attributes:
        asked: embeds queries; where a slow one is down, as what is like nothing.
    """

    def __init__(
        self, embedder: Embedder, indexer: Indexer, root: Path, coming: Callable[[], Coming | None] = lambda: None
    ) -> None:
        self._embedder = embedder
        self._indexer = indexer
        self._root = root
        self._coming = coming
        self._forgiving = ForgivingEmbedder(embedder) if isinstance(embedder, SlowEmbedder) else None
        self.asked: Embedder = self._forgiving or embedder

    @property
    def near(self) -> Embedder:
        """An embedder for what is compared in passing, messages and sentences: it asks nobody and costs nothing."""
        return self._embedder if self._forgiving is None else StaticEmbedder.bundled()

    @property
    def outage(self) -> UpstreamError | None:
        """Why the last search's query was not embedded, and words alone decided; None if it was."""
        return None if self._forgiving is None else self._forgiving.failure

    @property
    def reach(self) -> ByMeaning:
        """What the last search could find by meaning, and not by words alone."""
        if self._forgiving is None:
            return "all"
        if self.outage is not None:
            return "none"
        return "some" if self._indexer.pending() else "all"

    @property
    def coming(self) -> Coming | None:
        """The vectors that this index is yet to be given, and how far they are; None if there are none."""
        return self._coming()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be said with the results of the last search to whoever can do something about it."""
        if self._forgiving is None:
            coming = self.coming
            return () if coming is None else (self._remark_on_pending(coming),)
        remarks = []
        if self.outage is not None:
            remarks.append(f"Found by words alone, for the query was not embedded: {self.outage}.")
        waiting = self._indexer.pending()
        if waiting:
            cost = "says what that costs, and does it" if isinstance(self._embedder, RemoteEmbedder) else "does that"
            remarks.append(
                f"{waiting} of {self._indexer.documents()} documents are found by words alone until they are embedded:"
                f" {command('index', self._root)} {cost}."
            )
        return tuple(remarks)

    def _remark_on_pending(self, coming: Coming) -> str:
        """Return the remark that the bundled embedder answers until another one's vectors are made."""
        made = f"{coming.done:,} of its {coming.total:,} vectors are made" if coming.total else "it made no vectors yet"
        rest = command("index", self._root, "--embedder", coming.embedder)
        further = "" if coming.busy else f"; {rest} makes the rest"
        return f"Found by the bundled embedder, not by {coming.embedder!r}: {made}{further}."
