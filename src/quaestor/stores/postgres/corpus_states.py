"""The corpora of a database, and the state of each."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quaestor.core.errors import EmbedderChangedError, IndexUnusableError
from quaestor.core.light_imports import NamedTuple
from quaestor.stores.postgres.stored_rows import escape, unescape

if TYPE_CHECKING:
    from quaestor.stores.postgres.connection import Connection

_COLUMNS = (
    "embedder, dimensions, generation, content, stamp, written, next_document, next_chunk, next_vector, loose_vectors"
)
TABLES = (
    "states",
    "metadata",
    "documents",
    "contents",
    "chunks",
    "vectors",
    "names",
    "terms",
    "segments",
    "removed",
    "work_items",
)
"""The tables whose rows belong to a corpus, except `corpora`."""


class State(NamedTuple):
    """The row of one corpus in ``quaestor.states``, a field for each column."""

    embedder: str
    dimensions: int
    generation: int
    content: int
    stamp: str
    written: str
    next_document: int
    next_chunk: int
    next_vector: int
    loose_vectors: int


class CorpusLine(NamedTuple):
    """A corpus as `quaestor store corpora` lists it.

    Attributes:
        name: the corpus's name.
        embedder: the name of its embedder.
        documents: the number of documents.
        chunks: the number of chunks.
        generation: the number of committed transactions.
        changed: the time of the last transaction in ISO 8601.
    """

    name: str
    embedder: str
    documents: int
    chunks: int
    generation: int
    changed: str


def find_corpus(connection: Connection, name: str) -> int | None:
    """Return the number of the corpus of this name; None if there is none."""
    row = connection.execute("SELECT corpus_id FROM quaestor.corpora WHERE name = %s", (escape(name),)).fetchone()
    return None if row is None else int(row[0])


def make_corpus(connection: Connection, name: str, embedder: str, dimensions: int) -> int:
    """Return the number of a corpus; create it if it is missing. Of several processes at once, one creates it."""
    inserted = "INSERT INTO quaestor.corpora (name) VALUES (%s) ON CONFLICT (name) DO NOTHING"
    connection.execute(inserted, (escape(name),))
    corpus = find_corpus(connection, name)
    assert corpus is not None
    connection.execute(
        "INSERT INTO quaestor.states (corpus_id, embedder, dimensions) VALUES (%s, %s, %s) "
        "ON CONFLICT (corpus_id) DO NOTHING",
        (corpus, escape(embedder), dimensions),
    )
    return corpus


def erase_corpus(connection: Connection, corpus: int) -> None:
    """Delete a corpus with everything in it but its indexes; wait for its writer to end."""
    state(connection, corpus, lock=True)
    for table in TABLES:
        connection.execute(f"DELETE FROM quaestor.{table} WHERE corpus_id = %s".encode(), (corpus,))
    connection.execute("DELETE FROM quaestor.corpora WHERE corpus_id = %s", (corpus,))


def list_corpora(connection: Connection) -> list[CorpusLine]:
    """Return every corpus, sorted by name: the only query over all corpora."""
    rows = connection.execute(
        "SELECT c.name, s.embedder, s.generation, s.changed AT TIME ZONE 'UTC', count(d.id), "
        "coalesce(sum(d.chunk_count), 0) "
        "FROM quaestor.states s LEFT JOIN quaestor.documents d ON d.corpus_id = s.corpus_id "
        "JOIN quaestor.corpora c ON c.corpus_id = s.corpus_id GROUP BY 1, 2, 3, 4 ORDER BY 1"
    )
    return [
        CorpusLine(
            unescape(name), unescape(embedder), documents, int(chunks), generation, changed.isoformat("T", "seconds")
        )
        for name, embedder, generation, changed, documents, chunks in rows
    ]


def state(connection: Connection, corpus: int, *, lock: bool = False) -> State:
    """Return the state of a corpus; ``lock`` keeps other writers out until the transaction ends.

    Raises:
        IndexUnusableError: the corpus was deleted.
    """
    return read_state(connection.execute(f"{state_query(corpus)}{' FOR UPDATE' if lock else ''}".encode()).fetchone())


def state_query(corpus: int) -> str:
    """Return the statement whose row ``read_state`` reads."""
    return f"SELECT {_COLUMNS} FROM quaestor.states WHERE corpus_id = {corpus}"


def read_state(row: Sequence[Any] | None) -> State:
    """Return the state in a row; raise the errors of ``state``."""
    if row is None:
        raise IndexUnusableError("The corpus was deleted from the store in the meantime: run `quaestor index`.")
    return State(unescape(row[0]), *row[1:])


def first_state(connection: Connection, corpus: int) -> State | None:
    """Return the state of a corpus; None if it is missing, as on a standby that lags behind."""
    row = connection.execute(state_query(corpus).encode()).fetchone()
    return None if row is None else read_state(row)


def set_state(connection: Connection, corpus: int, new: State) -> None:
    """Write the state of a corpus."""
    columns = [name.strip() for name in _COLUMNS.split(",")]
    settings = ", ".join(f"{name} = %s" for name in columns)
    connection.execute(
        f"UPDATE quaestor.states SET {settings}, changed = now() WHERE corpus_id = %s".encode(),
        (*new._replace(embedder=escape(new.embedder)), corpus),
    )


def check_embedder(current: State, embedder: str, name: str) -> None:
    """Check that the vectors are still those of the embedder with which the corpus ``name`` was opened.

    Raises:
        EmbedderChangedError: they are those of another embedder.
    """
    if current.embedder != embedder:
        raise EmbedderChangedError(
            f"The corpus {name!r} was given the embedder {current.embedder!r} since it was opened for {embedder!r}: "
            "open it again."
        )


def new_stamp() -> str:
    """Return a unique text."""
    return secrets.token_hex(8)
