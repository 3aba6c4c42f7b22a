"""Copies an index from one store to another, without chunking or embedding anything again.

Documents are compared by a hash of everything stored about them, so that an interrupted copy continues where it
stopped, and copying again writes nothing. If both stores keep the documents' bytes, these are compared, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence

from quaestor.core.errors import ConflictError
from quaestor.core.light_imports import NamedTuple
from quaestor.stores import PackedDocument, Store
from quaestor.stores.shared_store import SharingStore, restore_bytes

_DOCUMENTS_AT_ONCE = 200


class CopyReport(NamedTuple):
    """The result of a copy.

    Attributes:
        documents: number of documents that both stores now hold.
        chunks: number of their chunks.
        written: documents that were written.
        removed: documents that only the target held.
        digest: the hash of everything that was compared, in hexadecimal.
    """

    documents: int
    chunks: int
    written: int
    removed: int
    digest: str


def copy_store(source: Store, target: Store, progress: Callable[[int, int], None]) -> CopyReport:
    """Make ``target`` hold the same as ``source``, and compare both completely afterwards.

    Args:
        source: the store to read.
        target: the store to write, opened for the same embedder.
        progress: called with the number of documents done and the number of all documents.

    Raises:
        ConflictError: the stores differ afterwards, because one of them was written meanwhile.
    """
    with_bytes = isinstance(source, SharingStore) and isinstance(target, SharingStore)
    paths, others = sorted(source.documents()), set(target.documents())
    written = 0
    for start, batch in _batches(paths):
        written += _copy_batch(source, target, batch, with_bytes=with_bytes)
        progress(min(start + len(batch), len(paths)), len(paths))
    surplus = sorted(others.difference(paths))
    with target.writing() as writer:
        for path in surplus:
            writer.remove(path)
        known = target.all_metadata()
        for key, value in source.all_metadata().items():
            if known.get(key) != value:
                writer.set_metadata(key, value)
    target.settle()
    first, second = (digest_of(store, with_bytes=with_bytes) for store in (source, target))
    if first != second:
        raise ConflictError("The two stores differ: one was written to in the meantime. Run the same command again.")
    return CopyReport(first.documents, first.chunks, written, len(surplus), first.digest)


class Digest(NamedTuple):
    """A hash of all documents of a store, with their numbers."""

    documents: int
    chunks: int
    digest: str


def digest_of(store: Store, *, with_bytes: bool = False) -> Digest:
    """Return a hash of a store's documents with their chunks, vectors and terms, and with their bytes if wanted."""
    whole, documents, chunks = hashlib.sha256(), 0, 0
    for _, batch in _batches(sorted(store.documents())):
        by_path = {packed.document.path: packed for packed in store.packed_documents(batch)}
        for path in batch:
            if path in by_path:
                whole.update(packed_hash(by_path[path], with_bytes=with_bytes))
                documents, chunks = documents + 1, chunks + by_path[path].chunks
    return Digest(documents, chunks, whole.hexdigest())


def packed_hash(packed: PackedDocument, *, with_bytes: bool = False) -> bytes:
    """Return a hash of a document.

    Raises:
        IndexUnusableError: its bytes do not match their hash.
    """
    columns = packed.columns
    digest = hashlib.sha256(
        repr((packed.document, packed.chunks, columns.dimensions)).encode("utf-8", "backslashreplace")
    )
    for part in (*columns.keys, columns.vectors, *(data for _, data in columns.terms)):
        digest.update(len(part).to_bytes(8, "little") + part)
    for chunk in columns.chunks:
        digest.update(repr(tuple(chunk)).encode("utf-8", "backslashreplace"))
    if with_bytes and packed.kept is not None:
        digest.update(b"bytes" + restore_bytes(packed.kept, packed.document.path))
    return digest.digest()


def _copy_batch(source: Store, target: Store, paths: Sequence[str], *, with_bytes: bool) -> int:
    """Write the documents that the target lacks or holds differently; return their number."""
    hash_by_path = {
        packed.document.path: packed_hash(packed, with_bytes=with_bytes) for packed in target.packed_documents(paths)
    }
    differing = [
        packed
        for packed in source.packed_documents(paths)
        if hash_by_path.get(packed.document.path) != packed_hash(packed, with_bytes=with_bytes)
    ]
    if differing:
        with target.writing() as writer:
            for packed in differing:
                writer.put(packed)
    return len(differing)


def _batches(paths: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    for start in range(0, len(paths), _DOCUMENTS_AT_ONCE):
        yield start, paths[start : start + _DOCUMENTS_AT_ONCE]
