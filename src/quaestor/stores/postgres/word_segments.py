"""The lexical index of a corpus: packed segments that the database keeps and every server caches by their hash.

A segment has the postings of some ten thousand chunks in the form of the embedded store's files, so that both stores
score by the same code. It never changes: deleted chunks are noted beside it, and neighbours are merged from time to
time. Chunks behind the last segment have their terms in rows of their own, which a reader lays over it in memory.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.stores.embedded.checksums import block_sums
from quaestor.stores.embedded.lexical import lengths_of
from quaestor.stores.embedded.lexical_segments import merge_segments
from quaestor.stores.embedded.postings import FIELDS, MOST_ROWS, Segment
from quaestor.stores.embedded.truth import DocumentTerms, Removed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quaestor.stores.postgres.connection import Connection
    from quaestor.stores.postgres.postgres_sizes import Sizes

_FALLING = 8
"""Neighbours become one unless the earlier has this many times the chunks of the later: so there are few."""
_WORN_SHARE = 0.3
_ROWS_AT_ONCE = 256


class Kept(NamedTuple):
    """A segment as the database lists it.

    Attributes:
        first_chunk: of the range of identifiers that it covers.
        last_chunk: of the range.
        chunk_count: number of its chunks.
        lengths: number of their terms by field, in the order of ``FIELDS``.
        hash: of its file.
        checksum: of the file's checksums, for ``Segment.map``.
    """

    first_chunk: int
    last_chunk: int
    chunk_count: int
    lengths: Sequence[int]
    hash: bytes
    checksum: int


class _Part(NamedTuple):
    """A segment being made, which of its chunks exist, and the range of identifiers that it covers."""

    first_chunk: int
    last_chunk: int
    segment: Segment
    alive: NDArray[np.bool_]

    @property
    def exist(self) -> int:
        """The number of its chunks that exist."""
        return int(np.count_nonzero(self.alive))


def list_segments(connection: Connection, corpus: int) -> list[Kept]:
    """Return the segments of a corpus; their chunks ascend from one to the next."""
    rows = connection.execute(
        "SELECT first_chunk, last_chunk, chunk_count, lengths, hash, checksum FROM quaestor.segments "
        "WHERE corpus_id = %s ORDER BY first_chunk",
        (corpus,),
    )
    return [Kept(*row) for row in rows]


def fetch_file(connection: Connection, corpus: int, kept: Kept) -> bytes:
    """Return a segment as the bytes of its file."""
    query = "SELECT data FROM quaestor.segments WHERE corpus_id = %s AND first_chunk = %s"
    cursor = connection.cursor(binary=True)
    [(data,)] = cursor.execute(query, (corpus, kept.first_chunk)).fetchall()
    return zlib.decompress(data)


def is_damaged(connection: Connection, corpus: int, kept: Kept) -> bool:
    """Return whether a segment is not as it was written."""
    try:
        return file_hash(fetch_file(connection, corpus, kept)) != kept.hash
    except zlib.error:
        return True


def count_gone(connection: Connection, corpus: int, kept: Kept, removed: Iterable[Removed]) -> int:
    """Return how many chunks of a segment no longer exist."""
    part = _load_segment(connection, corpus, kept, removed)
    return len(part.alive) - part.exist


def removed_runs(connection: Connection, corpus: int) -> list[Removed]:
    """Return the runs of chunks that went while a segment holds them."""
    rows = connection.execute(
        "SELECT document, first_chunk, chunk_count FROM quaestor.removed WHERE corpus_id = %s", (corpus,)
    )
    return [Removed(*row) for row in rows]


def terms_after(connection: Connection, corpus: int, chunk: int) -> Iterator[DocumentTerms]:
    """Yield the terms of all documents whose chunks are above ``chunk``, ascending."""
    last = chunk
    while True:
        cursor = connection.cursor(binary=True)
        found = cursor.execute(
            "SELECT document, first_chunk, data FROM quaestor.terms WHERE corpus_id = %s AND first_chunk > %s "
            "ORDER BY first_chunk LIMIT %s",
            (corpus, last, _ROWS_AT_ONCE),
        ).fetchall()
        for document, first, data in found:
            segment = Segment.read(zlib.decompress(data))
            yield DocumentTerms(document, segment._replace(chunks=segment.chunks + first))
        if len(found) < _ROWS_AT_ONCE:
            return
        last = found[-1][1]


def catch_up(connection: Connection, corpus: int, last_chunk: int, sizes: Sizes) -> None:
    """Make segments of the terms behind the last one if there are many, and rebuild those with many deleted chunks.

    Args:
        connection: in the transaction that changed the chunks.
        corpus: its number.
        last_chunk: the highest identifier given out.
        sizes: how many are too many.
    """
    kept = list_segments(connection, corpus)
    reached = kept[-1].last_chunk if kept else 0
    query = "SELECT count(*) FROM quaestor.chunks WHERE corpus_id = %s AND id > %s"
    [(behind,)] = connection.execute(query, (corpus, reached))
    if behind > sizes.overlaid:
        _extend(connection, corpus, kept, last_chunk, sizes)
    removed = removed_runs(connection, corpus)
    for one in list_segments(connection, corpus) if removed else ():
        gone = sum(run.chunk_count for run in removed if one.first_chunk <= run.first_chunk <= one.last_chunk)
        if gone > sizes.worn and gone > _WORN_SHARE * one.chunk_count:
            _replace(connection, corpus, [_load_segment(connection, corpus, one, removed)])


def as_file(segment: Segment) -> tuple[bytes, int]:
    """Return a segment as the bytes of a file that ``Segment.map`` reads, and the checksum that it wants."""
    body = segment.data()
    tail = block_sums(body).tobytes() + len(body).to_bytes(8, "little")
    return body + tail, zlib.crc32(tail)


def file_hash(data: bytes) -> bytes:
    """Return the hash that names a segment's file."""
    return blake2b(data, digest_size=20).digest()


def _extend(connection: Connection, corpus: int, kept: Sequence[Kept], last_chunk: int, sizes: Sizes) -> None:
    """Make segments of all terms behind the last one, together with neighbours that are no larger."""
    earlier, removed = list(kept), removed_runs(connection, corpus)
    reached = kept[-1].last_chunk if kept else 0
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
    """Yield neighbouring entries together, of ``count`` chunks or a few more."""
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
    """Return whether neighbouring segments with so many chunks are merged."""
    return earlier + later <= MOST_ROWS and earlier <= _FALLING * later


def _part(segment: Segment) -> _Part:
    chunks = segment.chunks
    return _Part(int(chunks[0]), int(chunks[-1]), segment, np.ones(len(chunks), dtype=np.bool_))


def _load_segment(connection: Connection, corpus: int, kept: Kept, removed: Iterable[Removed]) -> _Part:
    """Return a segment of the database without the chunks deleted since it was made."""
    segment = in_memory(fetch_file(connection, corpus, kept))
    alive = np.ones(len(segment.chunks), dtype=np.bool_)
    for run in removed:
        first, end = np.searchsorted(segment.chunks, [run.first_chunk, run.first_chunk + run.chunk_count])
        alive[first:end] = False
    return _Part(kept.first_chunk, kept.last_chunk, segment, alive)


def in_memory(data: bytes) -> Segment:
    """Return the segment that a file holds."""
    return Segment.read(memoryview(data)[: int.from_bytes(data[-8:], "little")])


def _replace(connection: Connection, corpus: int, parts: Sequence[_Part]) -> Kept:
    """Put one segment in the place of several, or of one with chunks that are gone; return it."""
    segment = merge_segments([part.segment for part in parts], [part.alive for part in parts])
    first, last = parts[0].first_chunk, parts[-1].last_chunk
    data, checksum = as_file(segment)
    lengths = lengths_of(segment, np.ones(len(segment.chunks), dtype=np.bool_))
    kept = Kept(first, last, len(segment.chunks), [lengths[field] for field in FIELDS], file_hash(data), checksum)
    connection.execute(
        "DELETE FROM quaestor.segments WHERE corpus_id = %s AND first_chunk BETWEEN %s AND %s", (corpus, first, last)
    )
    connection.execute(
        "INSERT INTO quaestor.segments "
        "(corpus_id, first_chunk, last_chunk, chunk_count, lengths, hash, checksum, data) "
        "VALUES (%s, %s, %s, %s, %s, %s, %s, %b)",
        (corpus, *kept, zlib.compress(data, 1)),
    )
    # What reaches over the end is kept for the next segment; here it takes away nothing that there is.
    connection.execute(
        "DELETE FROM quaestor.removed "
        "WHERE corpus_id = %s AND first_chunk >= %s AND first_chunk + chunk_count - 1 <= %s",
        (corpus, first, last),
    )
    return kept
