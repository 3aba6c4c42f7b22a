"""Giving an index another embedder: its documents stay, and all vectors are replaced.

``reembed`` does so in one transaction, without reading files. A reader sees either the old vectors or the new ones, and
a crash leaves the old ones.

``PendingVectors`` are made beside the index, which is searched with its present embedder until all of them replace the
old ones at once. They are stored in a file of their own under the hash of their text, some tens in each
transaction, so interrupted work continues from there, whatever has changed in the index meanwhile.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

import numpy as np

from quaestor.core.config import make_private
from quaestor.core.documents import Chunk, Document
from quaestor.core.errors import IndexUnusableError
from quaestor.embedding import Embedder, Vectors
from quaestor.embedding.remote import Allowance, SlowEmbedder
from quaestor.files.indexing_values import IngestSettings
from quaestor.indexing.prepare import chunk_terms, embedded_text, encode, vector_keys
from quaestor.stores import Pack, Store, Writer

_CHUNKS_AT_ONCE = 2048

_Parts = tuple[Document, list[Chunk]]

_FOLDER = "coming"
_FILE = "vectors.sqlite3"
_AT_ONCE = 64
"""Texts between two commits, which a crash can lose."""
_BUSY_SECONDS = 30.0
_KEYS_AT_ONCE = 500
_TABLES = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
"""

Progress = Callable[[int, int], None]
"""Called with the number of finished texts, and of all texts."""


def reembed(
    store: Store,
    embedder: Embedder,
    settings: IngestSettings,
    metadata: Mapping[str, str],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Replace every vector of an index, and return how many there are.

    Args:
        store: the index; it refuses further use afterwards and must be opened again.
        embedder: makes the new vectors.
        settings: those that the index was made with.
        metadata: stored in the same transaction.
        progress: called with the number of finished documents, and of all documents.
    """
    with store.writing() as writer:
        # There is no other writer, so these reads see the state at the beginning of the transaction.
        documents = list(store.documents().values())
        writer.set_embedder(embedder.name, embedder.dimensions)
        done = chunks = 0
        for batch in _in_batches(store, documents):
            _replace(writer, store.pack, batch, embedder, settings)
            done += len(batch)
            chunks += sum(len(parts) for _, parts in batch)
            progress(done, len(documents))
        for key, value in metadata.items():
            writer.set_metadata(key, value)
    return chunks


def texts_of(document: Document, chunks: Sequence[Chunk], settings: IngestSettings) -> list[str]:
    """Return the text that is embedded for each chunk of an indexed document."""
    path = document.path if settings.embed_path else None
    return [embedded_text(chunk, path, document.title) for chunk in chunks]


def _in_batches(store: Store, documents: Sequence[Document]) -> Iterator[list[_Parts]]:
    batch: list[_Parts] = []
    size = 0
    for document in documents:
        chunks = [stored.chunk for stored in store.chunks_of(document.path)]
        batch.append((document, chunks))
        size += len(chunks)
        if size >= _CHUNKS_AT_ONCE:
            yield batch
            batch, size = [], 0
    yield batch


def _replace(writer: Writer, pack: Pack, batch: Sequence[_Parts], embedder: Embedder, settings: IngestSettings) -> None:
    texts = [texts_of(document, chunks, settings) for document, chunks in batch]
    vectors = encode(embedder, [text for own in texts for text in own])
    at = 0
    for (document, chunks), own in zip(batch, texts, strict=True):
        terms = chunk_terms(chunks, document.path, document.title)
        writer.put(pack(document, chunks, vectors[at : at + len(own)], terms, vector_keys(embedder.name, own)))
        at += len(own)


class PendingProgress(NamedTuple):
    """The progress of making an embedder's vectors for an index.

    Attributes:
        embedder: the setting that chooses the embedder.
        done: the number of finished vectors.
        total: the number of all vectors; 0 while that is unknown.
    """

    embedder: str
    done: int
    total: int


def place_of(folder: Path) -> Path:
    """Return the folder of pending vectors of the index in ``folder``."""
    return folder / _FOLDER


def pending_progress(folder: Path) -> PendingProgress | None:
    """Return the progress of the vectors that are made for the index in ``folder``; None if none are."""
    file = place_of(folder) / _FILE
    if not file.exists():
        return None
    with suppress(sqlite3.Error, OSError), closing(_connect(file)) as connection:
        metadata = dict(connection.execute("SELECT key, value FROM about"))
        [done] = connection.execute("SELECT count(*) FROM vectors").fetchone()
        total = int(metadata.get("total", 0))
        return PendingProgress(metadata["embedder"], min(done, total), total) if "embedder" in metadata else None
    return None


def forget(folder: Path) -> None:
    """Delete the pending vectors of the index in ``folder``."""
    rmtree(place_of(folder), ignore_errors=True)


class PendingVectors:
    """The new vectors made so far; use ``open_or_begin``."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    @contextmanager
    def open_or_begin(cls, folder: Path, embedder: SlowEmbedder, chosen: str) -> Iterator[PendingVectors]:
        """Open, or begin, the pending vectors of the index in ``folder``; those of another embedder are deleted.

        Args:
            folder: the index's folder.
            embedder: makes the vectors.
            chosen: the setting that chooses it.

        Raises:
            IndexUnusableError: they cannot be read or written.
        """
        place = place_of(folder)
        try:
            make_private(place)
            with closing(_connect(place / _FILE)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(_TABLES)
                vectors = cls(connection)
                vectors._belong(embedder.name, chosen)
                yield vectors
        except sqlite3.Error as error:
            raise IndexUnusableError(
                f"The vectors in {str(place)!r} cannot be read or written ({error}). Free some space, or delete that"
                " folder: `quaestor index` makes them again."
            ) from error

    def finished_vectors(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the finished vectors of these keys, as the bytes of 16-bit floats."""
        vectors: dict[bytes, bytes] = {}
        for start in range(0, len(keys), _KEYS_AT_ONCE):
            some = keys[start : start + _KEYS_AT_ONCE]
            marks = ", ".join("?" * len(some))
            vectors.update(
                self._connection.execute(f"SELECT key, data FROM vectors WHERE key IN ({marks})", some).fetchall()
            )
        return vectors

    def add(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Store vectors, all of them or none."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?)",
                ((key, row.astype("<f2").tobytes()) for key, row in vectors.items()),
            )

    def expect(self, total: int) -> None:
        """Store the number of all vectors."""
        self._say("total", str(total))

    def _belong(self, name: str, chosen: str) -> None:
        [stored_name] = self._connection.execute("SELECT max(value) FROM about WHERE key = 'name'").fetchone()
        if stored_name != name:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.execute("DELETE FROM vectors")
                self._connection.execute("DELETE FROM about")
                self._say("name", name)
        self._say("embedder", chosen)

    def _say(self, key: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, value))


def fill(
    store: Store, embedder: SlowEmbedder, settings: IngestSettings, pending: PendingVectors, progress: Progress
) -> None:
    """Make the missing vectors of all chunks of an index, also of chunks added meanwhile.

    Finished vectors are kept, even after an error.

    Args:
        store: the index, which is only read.
        embedder: makes the vectors.
        settings: those that the index was made with.
        pending: stores the vectors.
        progress: called during the work.

    Raises:
        UsageError: the embedder cannot be run.
    """
    while True:
        keys = list(dict.fromkeys(key for key, _ in _texts(store, embedder.name, settings)))
        missing = set(keys) - pending.finished_vectors(keys).keys()
        total, done = len(keys), len(keys) - len(missing)
        pending.expect(total)
        progress(done, total)
        if not missing:
            return
        for batch in _batches(_texts(store, embedder.name, settings), missing):
            encoded = embedder.encode_within(list(batch.values()), Allowance(None))
            rows = zip(batch, encoded.vectors, encoded.done, strict=True)
            pending.add({key: row for key, row, there in rows if there})
            if encoded.failure is not None:
                raise encoded.failure
            done += len(batch)
            progress(min(done, total), total)


class PreparedEmbedder:
    """An ``Embedder`` of documents that uses pending vectors if they are finished.

    Attributes:
        name: the embedder's name.
        dimensions: the length of the embedder's vectors.
    """

    def __init__(self, embedder: SlowEmbedder, pending: PendingVectors) -> None:
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self._embedder = embedder
        self._coming = pending

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text; missing ones are made now.

        Raises:
            UsageError: the embedder cannot be run.
        """
        keys = vector_keys(self.name, texts)
        known = {
            key: np.frombuffer(data, "<f2").astype(np.float32)
            for key, data in self._coming.finished_vectors(keys).items()
        }
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            encoded = self._embedder.encode_within(list(missing.values()), Allowance(None))
            if encoded.failure is not None:
                raise encoded.failure
            known.update(zip(missing, encoded.vectors, strict=True))
        return np.stack([known[key] for key in keys]) if keys else np.zeros((0, self.dimensions), np.float32)


def _texts(store: Store, name: str, settings: IngestSettings) -> Iterator[tuple[bytes, str]]:
    """Yield the text to embed for each chunk of an index, with its key."""
    for document in store.documents().values():
        texts = texts_of(document, [stored.chunk for stored in store.chunks_of(document.path)], settings)
        yield from zip(vector_keys(name, texts), texts, strict=True)


def _batches(texts: Iterable[tuple[bytes, str]], missing: set[bytes]) -> Iterator[dict[bytes, str]]:
    """Yield the texts of missing keys, each once, in batches for one commit each."""
    batch: dict[bytes, str] = {}
    for key, text in texts:
        if key in missing:
            missing.discard(key)
            batch[key] = text
            if len(batch) == _AT_ONCE:
                yield batch
                batch = {}
    if batch:
        yield batch


def _connect(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=_BUSY_SECONDS, isolation_level=None)
