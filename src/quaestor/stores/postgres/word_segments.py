"""The lexical index of a corpus: packed segments that the database holds and every server caches by their hash.

A segment holds the postings of some ten thousand chunks in the format of the embedded store's files, so that both
stores score by the same code. It never changes: deleted chunks are recorded separately, and neighbouring segments are
merged from time to time. Terms of chunks after the last segment are in rows of their own, which a reader overlays in
memory.

A process makes its view of the index from these segments, once for each state.
"""

from __future__ import annotations

import os
import tempfile
import threading
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quaestor.core.errors import IndexUnusableError
from quaestor.core.light_imports import NamedTuple
from quaestor.stores.embedded.checksums import block_sums
from quaestor.stores.embedded.derived_files import Mark
from quaestor.stores.embedded.lexical import LexicalBase, Statistics, lengths_of, merge_segments, recent_segments
from quaestor.stores.embedded.postings import FIELDS, MOST_ROWS, Segment
from quaestor.stores.embedded.sqlite_rows import Content, DocumentTerms, RemovedRun
from quaestor.stores.embedded.views import LexicalView

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quaestor.stores.postgres import Thresholds
    from quaestor.stores.postgres.connection import Connection


_FALLING = 8
"""Neighbouring segments are merged unless the earlier has this many times the chunks of the later, so there are few."""
_WORN_SHARE = 0.3
_ROWS_AT_ONCE = 256


class SegmentRow(NamedTuple):
    """A segment as the database lists it.

    Attributes:
        first_chunk: the first of the identifiers that it covers.
        last_chunk: the last of these identifiers.
        chunk_count: the number of its chunks.
        lengths: the number of their terms by field, in the order of ``FIELDS``.
        hash: the hash of its file.
        checksum: the checksum of the file's checksums, for ``Segment.map``.
    """

    first_chunk: int
    last_chunk: int
    chunk_count: int
    lengths: Sequence[int]
    hash: bytes
    checksum: int


class _Part(NamedTuple):
    """A segment that is being made, which of its chunks exist, and the range of identifiers that it covers."""

    first_chunk: int
    last_chunk: int
    segment: Segment
    alive: NDArray[np.bool_]

    @property
    def exist(self) -> int:
        """The number of its chunks that exist."""
        return int(np.count_nonzero(self.alive))


def list_segments(connection: Connection, corpus: int) -> list[SegmentRow]:
    """Return the segments of a corpus; identifiers of chunks ascend from one to the next."""
    rows = connection.execute(
        "SELECT first_chunk, last_chunk, chunk_count, lengths, hash, checksum FROM quaestor.segments "
        "WHERE corpus_id = %s ORDER BY first_chunk",
        (corpus,),
    )
    return [SegmentRow(*row) for row in rows]


def fetch_file(connection: Connection, corpus: int, segment_row: SegmentRow) -> bytes:
    """Return a segment as the bytes of its file."""
    query = "SELECT data FROM quaestor.segments WHERE corpus_id = %s AND first_chunk = %s"
    cursor = connection.cursor(binary=True)
    [(data,)] = cursor.execute(query, (corpus, segment_row.first_chunk)).fetchall()
    return zlib.decompress(data)


def is_damaged(connection: Connection, corpus: int, segment_row: SegmentRow) -> bool:
    """Return whether a segment does not match its hash."""
    try:
        return file_hash(fetch_file(connection, corpus, segment_row)) != segment_row.hash
    except zlib.error:
        return True


def count_deleted(connection: Connection, corpus: int, segment_row: SegmentRow, removed: Iterable[RemovedRun]) -> int:
    """Return how many chunks of a segment no longer exist."""
    part = _load_segment(connection, corpus, segment_row, removed)
    return len(part.alive) - part.exist


def removed_runs(connection: Connection, corpus: int) -> list[RemovedRun]:
    """Return the runs of deleted chunks that segments still hold."""
    rows = connection.execute(
        "SELECT document, first_chunk, chunk_count FROM quaestor.removed WHERE corpus_id = %s", (corpus,)
    )
    return [RemovedRun(*row) for row in rows]


def terms_after(connection: Connection, corpus: int, chunk: int) -> Iterator[DocumentTerms]:
    """Yield the terms of all documents whose chunks are above ``chunk``, ascending."""
    last = chunk
    while True:
        cursor = connection.cursor(binary=True)
        rows = cursor.execute(
            "SELECT document, first_chunk, data FROM quaestor.terms WHERE corpus_id = %s AND first_chunk > %s "
            "ORDER BY first_chunk LIMIT %s",
            (corpus, last, _ROWS_AT_ONCE),
        ).fetchall()
        for document, first, data in rows:
            segment = Segment.read(zlib.decompress(data))
            yield DocumentTerms(document, segment._replace(chunks=segment.chunks + first))
        if len(rows) < _ROWS_AT_ONCE:
            return
        last = rows[-1][1]


def catch_up(connection: Connection, corpus: int, last_chunk: int, sizes: Thresholds) -> None:
    """Make segments of the terms after the last one if there are many, and rebuild those with many deleted chunks.

    Args:
        connection: a connection in the transaction that changed the chunks.
        corpus: the corpus's number.
        last_chunk: the highest chunk identifier assigned so far.
        sizes: decide how many are too many.
    """
    segment_rows = list_segments(connection, corpus)
    reached = segment_rows[-1].last_chunk if segment_rows else 0
    query = "SELECT count(*) FROM quaestor.chunks WHERE corpus_id = %s AND id > %s"
    [(behind,)] = connection.execute(query, (corpus, reached))
    if behind > sizes.overlaid:
        _extend(connection, corpus, segment_rows, last_chunk, sizes)
    removed = removed_runs(connection, corpus)
    for one in list_segments(connection, corpus) if removed else ():
        gone = sum(run.chunk_count for run in removed if one.first_chunk <= run.first_chunk <= one.last_chunk)
        if gone > sizes.worn and gone > _WORN_SHARE * one.chunk_count:
            _replace(connection, corpus, [_load_segment(connection, corpus, one, removed)])


def as_file(segment: Segment) -> tuple[bytes, int]:
    """Return a segment as the bytes of a file that ``Segment.map`` reads, and the checksum that ``map`` takes."""
    body = segment.data()
    tail = block_sums(body).tobytes() + len(body).to_bytes(8, "little")
    return body + tail, zlib.crc32(tail)


def file_hash(data: bytes) -> bytes:
    """Return the hash that names a segment's file."""
    return blake2b(data, digest_size=20).digest()


def _extend(
    connection: Connection, corpus: int, segment_rows: Sequence[SegmentRow], last_chunk: int, sizes: Thresholds
) -> None:
    """Make segments of all terms after the last one, merged with neighbours that are no larger."""
    earlier, removed = list(segment_rows), removed_runs(connection, corpus)
    reached = segment_rows[-1].last_chunk if segment_rows else 0
    for entries in _gather(terms_after(connection, corpus, reached), sizes.gathered):
        run = [_part(entry.segment) for entry in entries]
        run[0] = run[0]._replace(first_chunk=reached + 1)
        reached = run[-1].last_chunk
        while earlier and _are_merged(earlier[-1].chunk_count, sum(part.exist for part in run)):
            run.insert(0, _load_segment(connection, corpus, earlier.pop(), removed))
        earlier.append(_replace(connection, corpus, run))
    if earlier:
        connection.execute(
            "UPDATE quaestor.segments SET last_chunk = %s WHERE corpus_id = %s AND first_chunk = %s",
            (last_chunk, corpus, earlier[-1].first_chunk),
        )


def _gather(entries: Iterable[DocumentTerms], count: int) -> Iterator[list[DocumentTerms]]:
    """Yield groups of neighbouring entries with ``count`` chunks or a few more."""
    run, rows = list[DocumentTerms](), 0
    for entry in entries:
        if run and rows + len(entry.segment.chunks) > MOST_ROWS:
            yield run
            run, rows = [], 0
        run.append(entry)
        rows += len(entry.segment.chunks)
        if rows >= count:
            yield run
            run, rows = [], 0
    if run:
        yield run


def _are_merged(earlier: int, later: int) -> bool:
    """Return whether neighbouring segments with these numbers of chunks are merged."""
    return earlier + later <= MOST_ROWS and earlier <= _FALLING * later


def _part(segment: Segment) -> _Part:
    chunks = segment.chunks
    return _Part(int(chunks[0]), int(chunks[-1]), segment, np.ones(len(chunks), dtype=np.bool_))


def _load_segment(connection: Connection, corpus: int, segment_row: SegmentRow, removed: Iterable[RemovedRun]) -> _Part:
    """Return a segment of the database, without the chunks that were deleted since it was made."""
    segment = in_memory(fetch_file(connection, corpus, segment_row))
    alive = np.ones(len(segment.chunks), dtype=np.bool_)
    for run in removed:
        first, end = np.searchsorted(segment.chunks, [run.first_chunk, run.first_chunk + run.chunk_count])
        alive[first:end] = False
    return _Part(segment_row.first_chunk, segment_row.last_chunk, segment, alive)


def in_memory(data: bytes) -> Segment:
    """Return the segment in the bytes of a file."""
    return Segment.read(memoryview(data)[: int.from_bytes(data[-8:], "little")])


def _replace(connection: Connection, corpus: int, parts: Sequence[_Part]) -> SegmentRow:
    """Replace several segments, or one with deleted chunks, by a single one; return that."""
    segment = merge_segments([part.segment for part in parts], [part.alive for part in parts])
    first, last = parts[0].first_chunk, parts[-1].last_chunk
    data, checksum = as_file(segment)
    lengths = lengths_of(segment, np.ones(len(segment.chunks), dtype=np.bool_))
    segment_row = SegmentRow(
        first, last, len(segment.chunks), [lengths[field] for field in FIELDS], file_hash(data), checksum
    )
    connection.execute(
        "DELETE FROM quaestor.segments WHERE corpus_id = %s AND first_chunk BETWEEN %s AND %s", (corpus, first, last)
    )
    connection.execute(
        "INSERT INTO quaestor.segments "
        "(corpus_id, first_chunk, last_chunk, chunk_count, lengths, hash, checksum, data) "
        "VALUES (%s, %s, %s, %s, %s, %s, %s, %b)",
        (corpus, *segment_row, zlib.compress(data, 1)),
    )
    # A run that extends beyond the end is kept for the next segment; in this one, its chunks are gone already.
    connection.execute(
        "DELETE FROM quaestor.removed "
        "WHERE corpus_id = %s AND first_chunk >= %s AND first_chunk + chunk_count - 1 <= %s",
        (corpus, first, last),
    )
    return segment_row


_SUFFIX = ".postings"


class CorpusWords:
    """Caches the view of the state that was requested last; threads may share it.

    Args:
        corpus: the corpus's number.
        cache: a folder for the segments of this database's corpora, which processes share; None to hold them in memory.
    """

    def __init__(self, corpus: int, cache: Path | None) -> None:
        self._corpus = corpus
        self._cache = _SegmentCache(None if cache is None else cache / f"{corpus}")
        self._mutex = threading.Lock()
        self._view: LexicalView | None = None

    def cached_view(self, content: Content) -> LexicalView | None:
        """Return the view of a state if it is cached; else None."""
        view = self._view
        return view if view is not None and view.content == content else None

    def view(self, connection: Connection, content: Content) -> LexicalView:
        """Return the view of the state that a transaction sees."""
        view = self.cached_view(content)
        if view is not None:
            return view
        with self._mutex:  # one thread makes the view, the others wait
            view = self.cached_view(content)
            if view is None:
                view = self._view = self._make_view(connection, content)
            return view

    def forget(self, *, damaged: bool = False) -> None:
        """Drop the cached view; with ``damaged``, also drop the cached segments, so that they are fetched again."""
        with self._mutex:
            self._view = None
            if damaged:
                self._cache.forget()

    def close(self) -> None:
        """Close the files."""
        with self._mutex:
            self._view = None
            self._cache.keep_only_in_memory(())

    def _make_view(self, connection: Connection, content: Content) -> LexicalView:
        """Return the view of a state: its segments, and the terms after the last one."""
        segments = list_segments(connection, self._corpus)

        def fetch(kept: SegmentRow) -> bytes:
            return fetch_file(connection, self._corpus, kept)

        mapped = [self._cache.segment(kept, fetch) for kept in segments]
        self._cache.keep_only({kept.hash for kept in segments})
        reached = segments[-1].last_chunk if segments else 0
        recent = recent_segments(terms_after(connection, self._corpus, reached))
        if not segments:
            return LexicalView.of(content, None, (), recent)
        lengths = {field: sum(kept.lengths[place] for kept in segments) for place, field in enumerate(FIELDS)}
        statistics = Statistics(sum(kept.chunk_count for kept in segments), lengths)
        mark = Mark(content, reached, statistics.chunks, 0)
        base = LexicalBase(mark, statistics, (), (), mapped, [None] * len(mapped))
        return LexicalView.of(content, base, removed_runs(connection, self._corpus), recent)


class _SegmentCache:
    """The cached segments of one corpus; those in a folder are mapped, so that processes share their memory.

    Args:
        folder: a folder for this corpus alone; None to hold the segments in memory.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._segments: dict[bytes, Segment] = {}

    def segment(self, segment_row: SegmentRow, fetch: Callable[[SegmentRow], bytes]) -> Segment:
        """Return a segment; call ``fetch`` for its file if it is not cached.

        Raises:
            IndexUnusableError: the fetched file does not match its checksum.
        """
        opened = self._segments.get(segment_row.hash) or self._map_segment(segment_row)
        if opened is None:
            data = fetch(segment_row)
            if file_hash(data) != segment_row.hash:
                raise IndexUnusableError(
                    "Words of the corpus in the store do not match their hash: run `quaestor store check`."
                )
            opened = (self._map_segment(segment_row) if self._write(segment_row, data) else None) or in_memory(data)
        self._segments[segment_row.hash] = opened
        return opened

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
        """Drop all others from memory, but keep their files."""
        for hash_ in [hash_ for hash_ in self._segments if hash_ not in hashes]:
            del self._segments[hash_]

    def forget(self) -> None:
        """Drop everything, including the files, because one of them is damaged."""
        self.keep_only(())

    def _map_segment(self, segment_row: SegmentRow) -> Segment | None:
        """Return a segment of the folder; None if it is missing or damaged."""
        if self._folder is None:
            return None
        try:
            return Segment.map(self._folder / _name(segment_row.hash), segment_row.checksum)
        except (OSError, ValueError):  # OSError if it is missing, ValueError if it is truncated or changed
            return None

    def _write(self, segment_row: SegmentRow, data: bytes) -> bool:
        """Write a segment's file atomically; return whether it could be written."""
        if self._folder is None:
            return False
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).replace(self._folder / _name(segment_row.hash))
        except OSError:
            return False
        return True


def _name(hash_: bytes) -> str:
    return hash_.hex() + _SUFFIX
