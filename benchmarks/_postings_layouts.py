"""Three ways to store the words of a corpus in a database, asked the same queries; see ``stores.py words``.

- Rows: one row for each posting; the database scores.
- Values: one value for the postings of a term in a segment; the client fetches the values that it needs, and scores.
- Segments: whole segments in the client's memory, as the store does it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from quaestor.stores import DEFAULT_BOOSTS
from quaestor.stores.embedded.postings import FIELDS, K1, B, Segment, keys_of
from quaestor.stores.embedded.views import weigh
from quaestor.stores.postgres.connection import Connection, Database
from quaestor.stores.postgres.postgres_store import PostgresStore
from quaestor.stores.postgres.word_segments import fetch_file, in_memory, list_segments

_COUNT = 300
_TRIES = 5


def compare_layouts(
    database: Database, store: PostgresStore, asked: Sequence[Sequence[str]]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each way: what it takes to make, on disk, and for a query."""
    corpus = store._corpus

    def segments(connection: Connection) -> list[Segment]:
        listed = list_segments(connection, corpus)
        return [in_memory(fetch_file(connection, corpus, one)) for one in listed]

    started = time.perf_counter()
    held = database.read(segments, seconds=600)
    fetched = time.perf_counter() - started
    chunks = sum(len(one.chunks) for one in held)
    for name, make, ask, tables in (
        ("rows", make_rows, ask_rows, ("bench_rows", "bench_lengths")),
        ("values", make_values, ask_values, ("bench_values", "bench_lengths")),
    ):
        started = time.perf_counter()
        with database.writing() as connection:
            make(connection, held)
        database.run_outside(f"VACUUM (ANALYZE) {tables[0]}")
        made = time.perf_counter() - started
        yield {
            "way": name,
            "chunks": chunks,
            "make_s": round(made, 1),
            "disk_mb": database.read(lambda connection, names=tables: megabytes(connection, names)),
            "query_ms": timed(asked, lambda terms, ask=ask: database.read(lambda one: ask(one, terms, chunks))),
        }
        with database.writing() as connection:
            connection.execute(f"DROP TABLE {', '.join(tables)}".encode())
    yield {
        "way": "segments",
        "chunks": chunks,
        "make_s": round(fetched, 1),  # once on each machine
        "disk_mb": database.read(lambda one: megabytes(one, ("quaestor.segments",))),
        "query_ms": timed(asked, lambda terms: store.lexical(terms, _COUNT)),
    }


def timed(asked: Sequence[Sequence[str]], ask: Callable[[Sequence[str]], object]) -> str:
    """Return the median and the 95th percentile of what queries take; of each, the fastest of some tries counts."""
    taken = []
    for terms in asked:
        tries = []
        for _ in range(_TRIES):
            started = time.perf_counter()
            ask(terms)
            tries.append(1000 * (time.perf_counter() - started))
        taken.append(min(tries))
    middle, late = np.percentile(taken, [50, 95])
    return f"{middle:.1f} / {late:.1f}"


def megabytes(connection: Connection, names: Sequence[str]) -> float:
    query = "SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest(%s::text[]) AS name"
    [(size,)] = connection.execute(query, (list(names),))
    return round(int(size) / 1e6, 1)


def make_rows(connection: Connection, segments: Sequence[Segment]) -> None:
    """A row a posting, with what its share in a score needs of its chunk."""
    make_lengths(connection, segments)
    connection.execute("CREATE TABLE bench_rows (term bigint, chunk bigint, count smallint, length integer)")
    with connection.cursor() as cursor, cursor.copy("COPY bench_rows FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(["int8", "int8", "int2", "int4"])
        for segment in segments:
            terms = np.repeat(signed(segment.keys), np.diff(segment.starts))
            fields = np.repeat((segment.keys % 4).astype(np.intp), np.diff(segment.starts))
            lengths = segment.lengths[fields, segment.places]
            chunks = segment.chunks[segment.places]
            for row in zip(terms.tolist(), chunks.tolist(), segment.counts.tolist(), lengths.tolist(), strict=True):
                copy.write_row(row)
    connection.execute("CREATE INDEX ON bench_rows (term) INCLUDE (chunk, count, length)")


def make_lengths(connection: Connection, segments: Sequence[Segment]) -> None:
    connection.execute("CREATE TABLE bench_lengths (segment integer PRIMARY KEY, chunks bytea, lengths bytea)")
    for number, segment in enumerate(segments):
        values = (number, segment.chunks.tobytes(), segment.lengths.tobytes())
        connection.execute("INSERT INTO bench_lengths VALUES (%s, %s, %s)", values)


def ask_rows(connection: Connection, terms: Sequence[str], chunks: int) -> list[Any]:
    """BM25 by the database, of the terms' postings in all fields."""
    keys = signed(keys_of(weigh(terms))).ravel().tolist()
    return connection.execute(
        "WITH rare AS MATERIALIZED (SELECT term, ln(1 + (%s - count(*) + 0.5) / (count(*) + 0.5)) AS weight, "
        "avg(length) AS mean FROM bench_rows WHERE term = ANY(%s) GROUP BY term) "
        "SELECT r.chunk, sum(rare.weight * r.count * %s / (r.count + %s + %s * r.length / rare.mean)) AS score "
        "FROM bench_rows r JOIN rare ON rare.term = r.term WHERE r.term = ANY(%s) "
        "GROUP BY r.chunk ORDER BY score DESC, r.chunk LIMIT %s",
        (chunks, keys, K1 + 1, K1 * (1 - B), K1 * B, keys, _COUNT),
    ).fetchall()


def make_values(connection: Connection, segments: Sequence[Segment]) -> None:
    """A value for the postings of each term in each segment."""
    make_lengths(connection, segments)
    connection.execute(
        "CREATE TABLE bench_values (term bigint, segment integer, places bytea, counts bytea, "
        "PRIMARY KEY (term, segment))"
    )
    with connection.cursor() as cursor, cursor.copy("COPY bench_values FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(["int8", "int4", "bytea", "bytea"])
        for number, segment in enumerate(segments):
            bounds = segment.starts.tolist()
            for at, term in enumerate(signed(segment.keys).tolist()):
                part = slice(bounds[at], bounds[at + 1])
                copy.write_row((term, number, segment.places[part].tobytes(), segment.counts[part].tobytes()))


_held: dict[int, tuple[Any, Any]] = {}


def ask_values(connection: Connection, terms: Sequence[str], chunks: int) -> list[Any]:
    """BM25 here, of the postings that the database gives; the lengths of all chunks are held here."""
    cursor = connection.cursor(binary=True)
    if sum(len(one) for one, _ in _held.values()) != chunks:
        _held.clear()
        for number, ids, lengths in cursor.execute("SELECT * FROM bench_lengths"):
            own = np.frombuffer(ids, np.int64)
            _held[number] = own, np.frombuffer(lengths, np.uint16).reshape(len(FIELDS), len(own))
    keys = signed(keys_of(weigh(terms)))
    query = "SELECT term, segment, places, counts FROM bench_values WHERE term = ANY(%s)"
    found = cursor.execute(query, (keys.ravel().tolist(),)).fetchall()
    fields = {key: field for field, own in enumerate(keys.tolist()) for key in own}
    totals: dict[int, int] = {}
    for term, _, places, _ in found:
        totals[term] = totals.get(term, 0) + len(places) // 2
    means = [sum(int(lengths[field].sum()) for _, lengths in _held.values()) / chunks for field in range(len(FIELDS))]
    scores = {number: np.zeros(len(ids), np.float32) for number, (ids, _) in _held.items()}
    for term, number, places, counts in found:
        field = fields[term]
        at, many = np.frombuffer(places, np.uint16), np.frombuffer(counts, np.uint8).astype(np.float32)
        weight = DEFAULT_BOOSTS[field] * np.log1p((chunks - totals[term] + 0.5) / (totals[term] + 0.5))
        norm = many + K1 * (1 - B) + K1 * B / (means[field] or 1) * _held[number][1][field, at]
        scores[number][at] += weight * many * (K1 + 1) / norm
    every = np.concatenate([np.empty(0, np.float32), *scores.values()])
    best = np.argpartition(-every, min(_COUNT, len(every) - 1))[:_COUNT]
    return best[np.argsort(-every[best], kind="stable")].tolist()


def signed(keys: Any) -> Any:
    """Return keys as the database has numbers."""
    return keys.view(np.int64)
