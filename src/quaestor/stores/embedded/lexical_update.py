"""Writing the lexical index: what is added and removed, and committed with its mark."""

from __future__ import annotations

import errno
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import tantivy

from quaestor.stores.embedded.lexical import FIELDS, FOLDER, MARK_DOCUMENT, LexicalBase, Statistics
from quaestor.stores.embedded.marks import Mark
from quaestor.stores.embedded.truth import DocumentTerms

_OS_ERROR = re.compile(r"os error (\d+)")
_SMALL_HEAP_BYTES = 15_000_000
_BULK_HEAP_BYTES = 200_000_000
_BULK_CHUNKS = 5_000
_BULK_THREADS = 2
_MANY_SEGMENTS = 8


class LexicalUpdate:
    """Changes to the lexical index that nobody sees before ``publish``."""

    def __init__(self, folder: Path, base: LexicalBase | None, expected_chunks: int, *, anew: bool) -> None:
        """Begin from ``base``, or ``anew``; without a base the folder holds nothing of use and is emptied."""
        path = folder / FOLDER
        bulk = expected_chunks > _BULK_CHUNKS
        heap, threads = (_BULK_HEAP_BYTES, _BULK_THREADS) if bulk else (_SMALL_HEAP_BYTES, 1)
        with _disk_errors():
            self._index = tantivy.Index.open(str(path)) if base is not None else _new_index(path)
            writer = self._index.writer(heap, threads)
        self._writer: tantivy.IndexWriter | None = writer
        if anew:
            writer.delete_all_documents()
        before = Statistics(0, {}) if anew or base is None else base.statistics
        self._chunks = before.chunks
        self._lengths = {field: before.lengths.get(field, 0) for field in FIELDS}

    def remove(self, document: int) -> None:
        """Drop all chunks of a document that are in the index so far."""
        with _disk_errors():
            self._open().delete_documents_by_term("document", document)

    def add(self, entry: DocumentTerms) -> None:
        """Add a document's chunks."""
        writer, make, lengths = self._open(), tantivy.Document, self._lengths
        with _disk_errors():
            for number, chunk in enumerate(entry.chunks, entry.first_chunk):
                document = make()
                document.add_integer("chunk", number)
                document.add_integer("document", entry.document)
                for field, line in zip(FIELDS, chunk, strict=True):
                    if line:
                        document.add_text(field, line)
                        lengths[field] += line.count(" ") + 1
                writer.add_document(document)
        self._chunks += len(entry.chunks)

    def publish(self, mark: Mark) -> None:
        """Commit: from here on readers see the index as of ``mark``."""
        entry = tantivy.Document()
        entry.add_integer("document", MARK_DOCUMENT)
        state = {"mark": mark.state(), "statistics": {"chunks": self._chunks, "lengths": self._lengths}}
        entry.add_text("mark", json.dumps(state))
        writer = self._open()
        with _disk_errors():
            writer.delete_documents_by_term("document", MARK_DOCUMENT)
            writer.add_document(entry)
            writer.commit()
            self._writer = None
            self._merge(writer)

    def _merge(self, writer: tantivy.IndexWriter) -> None:
        """Wait for the merging of segments when they are many; else the process may end before it does."""
        self._index.reload()
        if self._index.searcher().num_segments > _MANY_SEGMENTS:
            writer.wait_merging_threads()

    def abandon(self) -> None:
        """Forget the changes."""
        writer, self._writer = self._writer, None
        if writer is not None:
            # A writer that has failed cannot roll back, nor need it: it is dropped.
            with suppress(OSError), _disk_errors():
                writer.rollback()

    def _open(self) -> tantivy.IndexWriter:
        assert self._writer is not None
        return self._writer


@contextmanager
def _disk_errors() -> Iterator[None]:
    """Raise what tantivy reports as a ``ValueError`` as the ``OSError`` that is behind it."""
    try:
        yield
    except ValueError as error:
        number = _OS_ERROR.search(str(error))
        raise OSError(int(number[1]) if number else errno.EIO, str(error)) from error


def _new_index(path: Path) -> tantivy.Index:
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(exist_ok=True)
    return tantivy.Index(_schema(), path=str(path), reuse=False)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("chunk", fast=True)
    builder.add_integer_field("document", indexed=True, fast=True)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("mark", stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()
