"""The lexical view of one corpus in this process: made of the database's segments, once for each state.

The segments lie on this machine by their hash, in a folder that any number of processes share.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.core.errors import IndexUnusableError
from quaestor.stores.embedded.lexical import LexicalBase, Statistics
from quaestor.stores.embedded.lexical_segments import RecentChunks
from quaestor.stores.embedded.postings import FIELDS, Segment
from quaestor.stores.embedded.progress_marks import Mark
from quaestor.stores.embedded.truth import Content
from quaestor.stores.embedded.views import LexicalView
from quaestor.stores.postgres import word_segments
from quaestor.stores.postgres.word_segments import Kept, file_hash, in_memory

if TYPE_CHECKING:
    from quaestor.stores.postgres.connection import Connection


_SUFFIX = ".postings"


class CorpusWords:
    """The view of the last state that was asked for; threads may share it.

    Args:
        corpus: its number.
        cache: a folder for segments of this database's corpora, which processes share; None: each keeps its own.
    """

    def __init__(self, corpus: int, cache: Path | None) -> None:
        self._corpus = corpus
        self._cache = _SegmentCache(None if cache is None else cache / f"{corpus}")
        self._mutex = threading.Lock()
        self._view: LexicalView | None = None

    def known(self, content: Content) -> LexicalView | None:
        """Return the view of a state if it is cached."""
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
                view = self._view = self._make_view(connection, content)
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

    def _make_view(self, connection: Connection, content: Content) -> LexicalView:
        """Return the view of a state: its segments, and the terms behind the last one."""
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


class _SegmentCache:
    """Segments of one corpus; those in a folder are mapped, so that processes share their memory.

    Args:
        folder: a folder for this corpus alone; None keeps them in memory.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._held: dict[bytes, Segment] = {}

    def segment(self, kept: Kept, fetch: Callable[[Kept], bytes]) -> Segment:
        """Return a segment; call ``fetch`` for its file if it is not cached.

        Raises:
            IndexUnusableError: the fetched file does not match its checksum.
        """
        held = self._held.get(kept.hash) or self._map_segment(kept)
        if held is None:
            data = fetch(kept)
            if file_hash(data) != kept.hash:
                raise IndexUnusableError(
                    "Words of the corpus in the store do not agree with their hash: run `quaestor store check`."
                )
            held = (self._map_segment(kept) if self._write(kept, data) else None) or in_memory(data)
        self._held[kept.hash] = held
        return held

    def keep_only(self, hashes: Collection[bytes]) -> None:
        """Drop all other segments; a process that has mapped one keeps it."""
        self.keep_only_in_memory(hashes)
        if self._folder is not None:
            names = {_name(hash_) for hash_ in hashes}
            for file in self._folder.glob(f"*{_SUFFIX}"):
                if file.name not in names:
                    # A file that another process has mapped cannot be deleted on every system; the next one tries
                    # again.
                    with suppress(OSError):
                        file.unlink()

    def keep_only_in_memory(self, hashes: Collection[bytes]) -> None:
        """Forget all others, except for their files."""
        for hash_ in [hash_ for hash_ in self._held if hash_ not in hashes]:
            del self._held[hash_]

    def forget(self) -> None:
        """Forget everything, on disk, too: something there is not as it was written."""
        self.keep_only(())

    def _map_segment(self, kept: Kept) -> Segment | None:
        """Return a segment of the folder, or None if it is missing or damaged."""
        if self._folder is None:
            return None
        try:
            return Segment.map(self._folder / _name(kept.hash), kept.checksum)
        except (OSError, ValueError):  # not there, or cut short or changed, which is a ValueError
            return None

    def _write(self, kept: Kept, data: bytes) -> bool:
        """Write a segment's file in one piece; return whether it could be."""
        if self._folder is None:
            return False
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).replace(self._folder / _name(kept.hash))
        except OSError:
            return False
        return True


def _name(hash_: bytes) -> str:
    return hash_.hex() + _SUFFIX
