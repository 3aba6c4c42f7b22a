"""The words of one corpus as this process holds them: made of the database's segments, once for each state."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.stores.embedded.lexical import LexicalBase, Statistics
from quaestor.stores.embedded.postings import FIELDS
from quaestor.stores.embedded.progress_marks import Mark
from quaestor.stores.embedded.recent import RecentChunks
from quaestor.stores.embedded.truth import Content
from quaestor.stores.embedded.views import LexicalView
from quaestor.stores.postgres import word_segments
from quaestor.stores.postgres.segment_cache import SegmentCache

if TYPE_CHECKING:
    from quaestor.stores.postgres.connection import Connection


class CorpusWords:
    """The view of the last state that was asked for; threads may share it.

    Args:
        corpus: its number.
        cache: a folder for segments of this database's corpora, which processes share; None: each keeps its own.
    """

    def __init__(self, corpus: int, cache: Path | None) -> None:
        self._corpus = corpus
        self._cache = SegmentCache(None if cache is None else cache / f"{corpus}")
        self._mutex = threading.Lock()
        self._view: LexicalView | None = None

    def known(self, content: Content) -> LexicalView | None:
        """Return the view of a state if it is the one that is held."""
        view = self._view
        return view if view is not None and view.content == content else None

    def view(self, connection: Connection, content: Content) -> LexicalView:
        """Return the view of the state that a transaction sees."""
        view = self.known(content)
        if view is not None:
            return view
        with self._mutex:  # one thread makes it, the others wait
            view = self.known(content)
            if view is None:
                view = self._view = self._made(connection, content)
            return view

    def forget(self, *, damaged: bool = False) -> None:
        """Make the next view anew; of segments that are fetched anew if those held are damaged."""
        with self._mutex:
            self._view = None
            if damaged:
                self._cache.forget()

    def close(self) -> None:
        """Release the files."""
        with self._mutex:
            self._view = None
            self._cache.keep_only_in_memory(())

    def _made(self, connection: Connection, content: Content) -> LexicalView:
        """Return the words of a state: its segments, and what lies behind them."""
        listed = word_segments.list_segments(connection, self._corpus)

        def fetch(kept: word_segments.Kept) -> bytes:
            return word_segments.fetch_file(connection, self._corpus, kept)

        held = [self._cache.segment(kept, fetch) for kept in listed]
        self._cache.keep_only({kept.hash for kept in listed})
        reached = listed[-1].last_chunk if listed else 0
        recent = RecentChunks(word_segments.terms_after(connection, self._corpus, reached))
        if not listed:
            return LexicalView.of(content, None, (), recent)
        lengths = {field: sum(kept.lengths[place] for kept in listed) for place, field in enumerate(FIELDS)}
        statistics = Statistics(sum(kept.chunk_count for kept in listed), lengths)
        mark = Mark(content, reached, statistics.chunks, 0)
        base = LexicalBase(mark, statistics, (), (), held, [None] * len(held))
        return LexicalView.of(content, base, word_segments.removed_runs(connection, self._corpus), recent)
