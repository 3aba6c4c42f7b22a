"""Giving an index another embedder in one transaction: its documents stay as they are, all vectors are made anew.

Nothing is read from disk. A reader sees the old vectors or the new ones, and a crash leaves the old ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from quaestor.core.passages import Chunk, Document
from quaestor.embedding import Embedder
from quaestor.files.source_settings import IngestSettings
from quaestor.indexing.chunk_texts import chunk_terms, embedded_text, vector_keys
from quaestor.indexing.prepare import encode
from quaestor.stores import Pack, Store, Writer

_CHUNKS_AT_ONCE = 2048

_Parts = tuple[Document, list[Chunk]]


def reembed(
    store: Store,
    embedder: Embedder,
    settings: IngestSettings,
    metadata: Mapping[str, str],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Replace every vector of an index, and return how many there are.

    Args:
        store: the index; it refuses to be used further and is to be opened again.
        embedder: whose vectors they become.
        settings: those that the index was made by.
        metadata: remembered in the same transaction.
        progress: called with the number of documents that are done, and of all.
    """
    with store.writing() as writer:
        # Nobody else writes meanwhile, so what is read now is what the transaction began with.
        documents = list(store.documents().values())
        writer.set_embedder(embedder.name, embedder.dimensions)
        done = chunks = 0
        for batch in _batched(store, documents):
            _replace(writer, store.pack, batch, embedder, settings)
            done += len(batch)
            chunks += sum(len(parts) for _, parts in batch)
            progress(done, len(documents))
        for key, value in metadata.items():
            writer.set_metadata(key, value)
    return chunks


def texts_of(document: Document, chunks: Sequence[Chunk], settings: IngestSettings) -> list[str]:
    """Return what is embedded of each chunk of an indexed document."""
    path = document.path if settings.embed_path else None
    return [embedded_text(chunk, path, document.title) for chunk in chunks]


def _batched(store: Store, documents: Sequence[Document]) -> Iterator[list[_Parts]]:
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
