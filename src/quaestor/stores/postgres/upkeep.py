"""Maintains a corpus: finds damage, and cleans up after many changes."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from quaestor.core.light_imports import NamedTuple
from quaestor.core.wording import amount
from quaestor.stores import KeptBytes
from quaestor.stores.postgres import stored_rows, word_segments
from quaestor.stores.postgres.corpus_states import TABLES, State, set_state, state
from quaestor.stores.postgres.nearest import index_names, part_of
from quaestor.stores.shared_store import is_intact

if TYPE_CHECKING:
    from quaestor.stores.postgres import Thresholds
    from quaestor.stores.postgres.connection import Connection, Database

_CHUNKS_AT_ONCE = 2000
_CONTENTS_AT_ONCE = 200
_LOCK = 0x51554149  # any number that nobody else locks
_POLL_SECONDS = 0.2
_LONGEST_SECONDS = 86_400.0
_SMALL = 1000
"""With fewer chunks, any query plan is fast enough."""

_SAMPLED_CHUNKS, _SAMPLED_DOCUMENTS = 2000, 200


class Sample(NamedTuple):
    """A random sample of a corpus that is too large to check completely.

    Attributes:
        documents: the documents' identifiers; some may be gone.
        chunks: the chunks' identifiers; some may be gone.
    """

    documents: list[int]
    chunks: list[int]


class _Check(NamedTuple):
    """A check: a query whose count must be 0.

    Attributes:
        what: the problem as text.
        query: counts the cases of the problem in one corpus.
        sampled: a condition to append to the query, so that it checks only a sample.
    """

    what: str
    query: str
    sampled: str


_LOOSE_CONTENTS = (
    "quaestor.contents c WHERE c.corpus_id = %(corpus)s AND NOT EXISTS "
    "(SELECT FROM quaestor.documents d WHERE d.corpus_id = c.corpus_id AND d.content_hash = c.hash)"
)
_WRONG = (
    _Check(
        "documents whose chunks are not all there",
        "SELECT count(*) FROM quaestor.documents d WHERE d.corpus_id = %(corpus)s AND d.chunk_count <> "
        "(SELECT count(*) FROM quaestor.chunks c WHERE c.corpus_id = d.corpus_id AND c.document = d.id "
        "AND c.id BETWEEN d.first_chunk AND d.first_chunk + d.chunk_count - 1)",
        "AND d.id = ANY(%(documents)s)",
    ),
    _Check(
        "chunks of no document",
        "SELECT count(*) FROM quaestor.chunks c WHERE c.corpus_id = %(corpus)s AND NOT EXISTS "
        "(SELECT FROM quaestor.documents d WHERE d.corpus_id = c.corpus_id AND d.id = c.document "
        "AND c.id BETWEEN d.first_chunk AND d.first_chunk + d.chunk_count - 1)",
        "AND c.id = ANY(%(chunks)s)",
    ),
    _Check(
        "chunks without a vector",
        "SELECT count(*) FROM quaestor.chunks c WHERE c.corpus_id = %(corpus)s AND NOT EXISTS "
        "(SELECT FROM quaestor.vectors v WHERE v.corpus_id = c.corpus_id AND v.id = c.vector "
        "AND (v.embedding IS NULL OR vector_dims(v.embedding) = %(dimensions)s))",
        "AND c.id = ANY(%(chunks)s)",
    ),
    _Check(
        "documents whose words are missing",
        "SELECT count(*) FROM quaestor.documents d WHERE d.corpus_id = %(corpus)s AND d.chunk_count > 0 AND NOT EXISTS "
        "(SELECT FROM quaestor.terms t WHERE t.corpus_id = d.corpus_id AND t.first_chunk = d.first_chunk)",
        "AND d.id = ANY(%(documents)s)",
    ),
    _Check(
        "words of no document",
        "SELECT count(*) FROM quaestor.terms t WHERE t.corpus_id = %(corpus)s AND NOT EXISTS "
        "(SELECT FROM quaestor.documents d WHERE d.corpus_id = t.corpus_id AND d.id = t.document)",
        "AND t.first_chunk = ANY(%(chunks)s)",
    ),
    _Check(
        "documents whose bytes are missing",
        "SELECT count(*) FROM quaestor.documents d WHERE d.corpus_id = %(corpus)s AND d.content_hash IS NOT NULL "
        "AND NOT EXISTS (SELECT FROM quaestor.contents c WHERE c.corpus_id = d.corpus_id AND c.hash = d.content_hash)",
        "AND d.id = ANY(%(documents)s)",
    ),
    _Check(
        "bytes of no document",
        f"SELECT count(*) FROM {_LOOSE_CONTENTS}",
        "AND false",  # contents are not found by their document
    ),
    _Check(
        "names of no chunk",
        "SELECT count(*) FROM quaestor.names n WHERE n.corpus_id = %(corpus)s AND NOT EXISTS "
        "(SELECT FROM quaestor.chunks c WHERE c.corpus_id = n.corpus_id AND c.id = n.chunk)",
        "AND false",  # names are not found by their chunk
    ),
)


def take_sample(now: State) -> Sample:
    """Return a random sample of chunks and documents; all of them in a small corpus."""
    documents, chunks = range(1, now.next_document), range(1, now.next_chunk)
    return Sample(
        random.sample(documents, min(len(documents), _SAMPLED_DOCUMENTS)),
        random.sample(chunks, min(len(chunks), _SAMPLED_CHUNKS)),
    )


def find_wrong(connection: Connection, corpus: int, sample: Sample | None = None) -> Iterator[str]:
    """Yield the problems of a corpus, or of a sample of it, as text."""
    values = {"corpus": corpus, "dimensions": state(connection, corpus).dimensions}
    for what, query, sampled in _WRONG:
        if sample is None:
            [(count,)] = connection.execute(query.encode(), values)
        else:
            [(count,)] = connection.execute(f"{query} {sampled}".encode(), {**values, **sample._asdict()})
        if count:
            yield f"{count:,} {what}"
    yield from _changed_chunks(connection, corpus, sample)
    yield from _changed_contents(connection, corpus, sample)
    yield from _wrong_segments(connection, corpus, sample)


def _changed_chunks(connection: Connection, corpus: int, sample: Sample | None) -> Iterator[str]:
    """Yield the number of chunks whose checksum is wrong."""
    last, changed = 0, 0
    among = "" if sample is None else "AND id = ANY(%(chunks)s)"
    query = (
        f"SELECT id, {stored_rows.CHUNK} FROM quaestor.chunks WHERE corpus_id = %(corpus)s AND id > %(last)s {among} "
        f"ORDER BY id LIMIT {_CHUNKS_AT_ONCE}"
    ).encode()
    values = {"corpus": corpus, **({} if sample is None else sample._asdict())}
    while rows := connection.execute(query, {**values, "last": last}).fetchall():
        changed += sum(not stored_rows.is_intact(stored_rows.packed_chunk(row[1:])) for row in rows)
        last = rows[-1][0]
    if changed:
        yield f"{changed:,} chunks do not match their checksums"


def _changed_contents(connection: Connection, corpus: int, sample: Sample | None) -> Iterator[str]:
    """Yield the number of documents whose bytes do not match their hash."""
    last, changed = 0, 0
    among = "" if sample is None else "AND d.id = ANY(%(documents)s)"
    query = (
        "SELECT d.id, c.hash, c.data FROM quaestor.documents d JOIN quaestor.contents c "
        "ON c.corpus_id = d.corpus_id AND c.hash = d.content_hash "
        f"WHERE d.corpus_id = %(corpus)s AND d.id > %(last)s {among} ORDER BY d.id LIMIT {_CONTENTS_AT_ONCE}"
    ).encode()
    values = {"corpus": corpus, **({} if sample is None else sample._asdict())}
    cursor = connection.cursor(binary=True)
    while rows := cursor.execute(query, {**values, "last": last}).fetchall():
        changed += sum(not is_intact(KeptBytes(*row[1:])) for row in rows)
        last = rows[-1][0]
    if changed:
        yield f"the bytes of {amount(changed, 'document')} do not match their hash"


def _wrong_segments(connection: Connection, corpus: int, sample: Sample | None) -> Iterator[str]:
    """Yield the segments that are damaged or have wrong counts; for a sample, check only one."""
    segments = word_segments.list_segments(connection, corpus)
    if sample is not None:
        segments = random.sample(segments, min(len(segments), 1))
    removed = word_segments.removed_runs(connection, corpus)
    gone = 0
    for one in segments:
        if word_segments.is_damaged(connection, corpus, one):
            yield f"the words of chunks {one.first_chunk:,} to {one.last_chunk:,} do not match their hash"
            return
        gone += word_segments.count_deleted(connection, corpus, one, removed)
    first, reached = (segments[0].first_chunk, segments[-1].last_chunk) if segments else (0, 0)
    query = "SELECT count(*) FROM quaestor.chunks WHERE corpus_id = %s AND id BETWEEN %s AND %s"
    [(there,)] = connection.execute(query, (corpus, 0 if sample is None else first, reached))
    packed = sum(one.chunk_count for one in segments) - gone
    if packed != there:
        yield f"the packed words are of {packed:,} chunks, and there are {there:,}"


def clean_corpus(connection: Connection, corpus: int, sizes: Thresholds) -> State:
    """Delete unused vectors and bytes and abandoned work items, and rebuild segments without deleted chunks.

    Returns:
        The corpus's state afterwards.
    """
    now = state(connection, corpus, lock=True)
    connection.execute(
        "DELETE FROM quaestor.vectors v WHERE v.corpus_id = %s AND NOT EXISTS "
        "(SELECT FROM quaestor.chunks c WHERE c.corpus_id = v.corpus_id AND c.vector = v.id)",
        (corpus,),
    )
    connection.execute(f"DELETE FROM {_LOOSE_CONTENTS}".encode(), {"corpus": corpus})
    for table in ("segments", "removed"):
        connection.execute(f"DELETE FROM quaestor.{table} WHERE corpus_id = %s".encode(), (corpus,))
    connection.execute(
        "DELETE FROM quaestor.work_items WHERE corpus_id = %s AND leased_until < statement_timestamp()", (corpus,)
    )
    word_segments.catch_up(connection, corpus, now.next_chunk - 1, sizes)
    ordered = now._replace(loose_vectors=0)
    set_state(connection, corpus, ordered)
    return ordered


@contextmanager
def one_at_a_time(database: Database) -> Iterator[None]:
    """Let only one process at a time build indexes and analyse tables, because several at once would deadlock."""
    while True:
        # Building an index waits for all transactions that hold a snapshot. This transaction holds none: its statement
        # has no parameters, for which the driver would keep one, and does not wait for the lock.
        with database.writing(seconds=_LONGEST_SECONDS) as connection:
            [(first,)] = connection.execute(f"SELECT pg_try_advisory_xact_lock({_LOCK})".encode())
            if first:
                yield
                return
        time.sleep(_POLL_SECONDS)


def drop_indexes(database: Database, corpus: int, *, besides: str = "") -> None:
    """Drop the vector indexes of a corpus, except one, and those of deleted corpora; searches go on meanwhile."""
    for name in database.read(lambda connection: index_names(connection, corpus), primary=True):
        if name != besides:
            database.run_outside(f"DROP INDEX CONCURRENTLY IF EXISTS quaestor.{name}")


def is_known(connection: Connection, corpus: int) -> bool:
    """Return whether the planner's row estimates for a corpus are about right; if not, its plans may be very slow."""
    for table in ("chunks", "vectors"):
        of_corpus = f"FROM quaestor.{table} WHERE corpus_id = {corpus}"
        [(count,)] = connection.execute(f"SELECT count(*) {of_corpus}".encode())
        [(plans,)] = connection.execute(f"EXPLAIN (FORMAT JSON) SELECT {of_corpus}".encode())
        if count > max(_SMALL, 2 * plans[0]["Plan"]["Plan Rows"]):
            return False
    return True


def analyse_tables(database: Database, corpus: int) -> None:
    """Analyse the tables that a corpus's rows are in, for the planner.

    Of the table of vectors, only the corpus's part is analysed, because that reads each index of the part, too.
    """
    part = database.read(lambda connection: part_of(connection, corpus), primary=True)
    for table in TABLES:
        database.run_outside(f"ANALYZE {part if table == 'vectors' else f'quaestor.{table}'}")


def vacuum_tables(database: Database) -> None:
    """Vacuum and analyse the tables of all corpora."""
    for table in TABLES:
        database.run_outside(f"VACUUM (ANALYZE) quaestor.{table}")
