"""Finds the nearest chunks by vector: in a small corpus by comparing all, in a larger one by an HNSW index.

Each corpus has an index of its own rows, so that other corpora do not slow it down. The table is partitioned by corpus,
so that no statement has to open the indexes of other corpora. Filters are applied during the scan, which continues
until it has found enough rows (iterative scans, pgvector 0.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from quaestor.stores import ScoredChunks
from quaestor.stores.postgres.stored_rows import vector_literal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quaestor.stores.embedded.filtering import AllowedDocuments
    from quaestor.stores.postgres.connection import Connection, Database

MOST_DIMENSIONS = 4000
"""The most dimensions of vectors that pgvector can index in half precision."""

# Candidates that are kept: while an index is built, which decides whether every place of it can be reached (pgvector's
# 64 left out all of what some questions ask for in a million chunks), and while it is searched.
_BUILT_WITH = 128
_SEARCHED = 600
_MOST_SCANNED = 40_000
_INDEX = "vectors_hnsw"


def compare_all(connection: Connection, corpus: int, vector: NDArray[np.float32], k: int, loose: int) -> ScoredChunks:
    """Return the ``k`` nearest chunks by comparing every vector; at most ``loose`` vectors belong to no chunk."""
    rows = connection.execute(
        "WITH nearest AS MATERIALIZED (SELECT v.id, v.embedding <=> %s::halfvec AS distance FROM quaestor.vectors v "
        "WHERE v.corpus_id = %s AND vector_dims(v.embedding) = %s ORDER BY distance LIMIT %s) "
        "SELECT c.id, nearest.distance FROM nearest JOIN quaestor.chunks c "
        "ON c.corpus_id = %s AND c.vector = nearest.id ORDER BY nearest.distance, c.id LIMIT %s",
        (vector_literal(vector), corpus, len(vector), k + loose, corpus, k),
    )
    return _as_scored(rows.fetchall())


def compare_some(
    connection: Connection, corpus: int, vector: NDArray[np.float32], k: int, allowed: AllowedDocuments
) -> ScoredChunks:
    """Return the ``k`` nearest allowed chunks by comparing each of them."""
    rows = connection.execute(
        "SELECT c.id, v.embedding <=> %s::halfvec AS distance FROM quaestor.chunks c "
        "JOIN quaestor.vectors v ON v.corpus_id = c.corpus_id AND v.id = c.vector "
        "WHERE c.corpus_id = %s AND v.corpus_id = %s AND vector_dims(v.embedding) = %s AND c.id = ANY(%s) "
        "ORDER BY distance, c.id LIMIT %s",
        (vector_literal(vector), corpus, corpus, len(vector), _chunks_of(allowed), k),
    )
    return _as_scored(rows.fetchall())


def ask_index(
    connection: Connection, corpus: int, vector: NDArray[np.float32], k: int, allowed: AllowedDocuments | None
) -> ScoredChunks:
    """Return the ``k`` nearest allowed chunks by the corpus's index, which is approximate."""
    connection.execute(
        f"SET LOCAL hnsw.ef_search = {_SEARCHED}; SET LOCAL hnsw.iterative_scan = relaxed_order; "
        f"SET LOCAL hnsw.max_scan_tuples = {_MOST_SCANNED}".encode()
    )
    of_documents = "" if allowed is None else "AND c.document = ANY(%s)"
    filtered = () if allowed is None else (allowed.documents.tolist(),)
    size = len(vector)
    # The corpus and the dimensions stand in the text: the planner has to see that the index is the one of these.
    rows = connection.execute(
        f"WITH nearest AS MATERIALIZED (SELECT v.id, v.embedding::halfvec({size}) <=> %s::halfvec({size}) AS distance "
        f"FROM quaestor.vectors v WHERE v.corpus_id = {corpus} AND vector_dims(v.embedding) = {size} AND EXISTS "
        f"(SELECT FROM quaestor.chunks c WHERE c.corpus_id = {corpus} AND c.vector = v.id {of_documents}) "
        f"ORDER BY v.embedding::halfvec({size}) <=> %s::halfvec({size}) LIMIT %s) "
        "SELECT c.id, nearest.distance FROM nearest JOIN quaestor.chunks c "
        f"ON c.corpus_id = {corpus} AND c.vector = nearest.id {of_documents} "
        "ORDER BY nearest.distance, c.id LIMIT %s".encode(),
        (vector_literal(vector), *filtered, vector_literal(vector), k, *filtered, k),
    )
    return _as_scored(rows.fetchall())


def has_index(connection: Connection, corpus: int, dimensions: int) -> bool:
    """Return whether a corpus has a whole index of vectors of this length."""
    row = connection.execute(
        "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)",
        (f"quaestor.{index_name(corpus, dimensions)}",),
    ).fetchone()
    return row is not None and bool(row[0])


def make_index(database: Database, corpus: int, dimensions: int) -> None:
    """Build the index of a corpus concurrently; drop the remains of an interrupted build."""
    part = database.read(lambda connection: part_of(connection, corpus), primary=True)
    name = index_name(corpus, dimensions)
    database.run_outside(
        f"DROP INDEX CONCURRENTLY IF EXISTS quaestor.{name}",
        f"CREATE INDEX CONCURRENTLY {name} ON {part} USING hnsw "
        f"((embedding::halfvec({dimensions})) halfvec_cosine_ops) WITH (ef_construction = {_BUILT_WITH}) "
        f"WHERE corpus_id = {corpus} AND vector_dims(embedding) = {dimensions}",
    )


def renew_index(database: Database, corpus: int, dimensions: int) -> None:
    """Rebuild a corpus's index if it was built with other parameters; it can be searched meanwhile."""
    name = f"quaestor.{index_name(corpus, dimensions)}"
    query = "SELECT 1 FROM pg_class WHERE oid = to_regclass(%s) AND reloptions IS DISTINCT FROM ARRAY[%s]"
    now = f"ef_construction={_BUILT_WITH}"
    if database.read(lambda connection: connection.execute(query, (name, now)).fetchone(), primary=True):
        # Until it is built, a further option, of pgvector's default, tells an index whose building was cut off.
        database.run_outside(
            f"ALTER INDEX {name} SET ({now}, m = 16)",
            f"REINDEX INDEX CONCURRENTLY {name}",
            f"ALTER INDEX {name} RESET (m)",
        )


def part_of(connection: Connection, corpus: int) -> str:
    """Return the part of the table that a corpus's vectors belong in.

    The row itself names its part of the table, but in Citus that is a shard, which only its node knows.
    """
    [(number,)] = connection.execute(
        "SELECT number FROM generate_series(0, 15) AS number "
        "WHERE satisfies_hash_partition('quaestor.vectors'::regclass, 16, number, %s::bigint)",
        (corpus,),
    )
    return f"quaestor.vectors_{number}"


def index_name(corpus: int, dimensions: int) -> str:
    """Return the name of a corpus's index of vectors of this length."""
    return f"{_INDEX}_{corpus}_{dimensions}"


def index_names(connection: Connection, corpus: int) -> list[str]:
    """Return the names of all indexes of vectors that a corpus has, and of those whose corpus was deleted."""
    rows = connection.execute(
        f"SELECT indexname FROM pg_indexes WHERE schemaname = 'quaestor' AND starts_with(indexname, '{_INDEX}_') "
        f"AND (starts_with(indexname, '{_INDEX}_{corpus}_') OR NOT EXISTS (SELECT FROM quaestor.corpora "
        f"WHERE starts_with(indexname, '{_INDEX}_' || corpus_id || '_')))".encode()
    )
    return [str(name) for (name,) in rows]


def _chunks_of(allowed: AllowedDocuments) -> list[int]:
    """Return the chunks of some documents."""
    runs = zip(allowed.first_chunks.tolist(), allowed.chunk_counts.tolist(), strict=True)
    return [chunk for first, count in runs for chunk in range(first, first + count)]


def _as_scored(rows: Sequence[tuple[int, float]]) -> ScoredChunks:
    return ScoredChunks.of([(chunk, 1.0 - distance) for chunk, distance in rows])
