"""The lexical index on disk: BM25 by tantivy over terms that were split before.

A query is built from term clauses, never parsed, so that no text can be anything but terms. One extra entry,
which no query matches, carries the mark and the statistics; tantivy commits it together with the rest.
"""

from __future__ import annotations

import errno
import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from quaestor.stores import FieldBoosts
from quaestor.stores.embedded.marks import Mark
from quaestor.stores.embedded.truth import Content, DocumentTerms

if TYPE_CHECKING:
    import tantivy

FIELDS = ("body", "path", "symbol")
FOLDER = "lexical"

_MARK_DOCUMENT = -1
_OS_ERROR = re.compile(r"os error (\d+)")
_SMALL_HEAP_BYTES = 15_000_000
_BULK_HEAP_BYTES = 200_000_000
_BULK_CHUNKS = 5_000
_BULK_THREADS = 2
_MANY_SEGMENTS = 8
# Up to this many documents a filter becomes part of the query; beyond it, hits are filtered.
_LISTED_DOCUMENTS = 4096


@dataclass(frozen=True, slots=True)
class Statistics:
    """What BM25 needs to know of the whole index.

    Attributes:
        chunks: number of chunks, the dead ones that tantivy still counts included.
        lengths: terms per field.
    """

    chunks: int
    lengths: Mapping[str, int]


class LexicalBase:
    """The lexical index as it was last committed; later commits do not change it."""

    def __init__(self, index: tantivy.Index, searcher: tantivy.Searcher) -> None:
        import tantivy  # noqa: PLC0415

        self._tantivy = tantivy
        self._index = index
        self._searcher = searcher
        query = tantivy.Query.term_query(index.schema, "document", _MARK_DOCUMENT)
        [(_, address)] = searcher.search(query, 1, count=False).hits
        state = json.loads(searcher.doc(address)["mark"][0])
        self.mark = Mark(Content(**state["mark"].pop("content")), **state["mark"])
        self.statistics = Statistics(**state["statistics"])

    @classmethod
    def load(cls, folder: Path) -> LexicalBase | None:
        """Return the last commit; None if there is none that can be read."""
        path = folder / FOLDER
        if not (path / "meta.json").exists():
            return None
        import tantivy  # noqa: PLC0415

        try:
            index = tantivy.Index.open(str(path))
            index.config_reader("manual")
            index.reload()
            return cls(index, index.searcher())
        except (ValueError, OSError, KeyError, TypeError):
            return None

    def frequency(self, field: str, term: str) -> int:
        """Return the number of chunks with ``term`` in ``field``."""
        return self._searcher.doc_freq(field, term)

    def search(
        self,
        weights: Mapping[str, float],
        boosts: FieldBoosts,
        k: int,
        documents: Sequence[int] | None = None,
    ) -> list[tuple[int, float]]:
        """Return up to ``k`` chunks with scores, best first, of the given ``documents`` if any are given."""
        query = self._query(weights, boosts)
        if query is None or k <= 0 or not self.statistics.chunks:
            return []
        if documents is None:
            return self._top(query, k)
        if len(documents) <= _LISTED_DOCUMENTS:
            return self._top(self._within(query, documents), k)
        return self._filtered(query, k, set(documents))

    def _query(self, weights: Mapping[str, float], boosts: FieldBoosts) -> tantivy.Query | None:
        query, schema = self._tantivy.Query, self._index.schema
        should = self._tantivy.Occur.Should
        clauses = [
            (should, query.boost_query(query.term_query(schema, field, term, "freq"), boost * weight))
            for field, boost in boosts.items()
            if boost > 0
            for term, weight in weights.items()
        ]
        return query.boolean_query(clauses) if clauses else None

    def _within(self, query: tantivy.Query, documents: Sequence[int]) -> tantivy.Query:
        must, make = self._tantivy.Occur.Must, self._tantivy.Query
        listed = make.const_score_query(make.term_set_query(self._index.schema, "document", list(documents)), 0.0)
        return make.boolean_query([(must, query), (must, listed)])

    def _top(self, query: tantivy.Query, k: int) -> list[tuple[int, float]]:
        hits = self._searcher.search(query, min(k, self._searcher.num_docs), count=False).hits
        if not hits:
            return []
        scores, addresses = zip(*hits, strict=True)
        chunks = cast("list[int | None]", self._searcher.fast_field_values("chunk", list(addresses)))
        return [(chunk, score) for chunk, score in zip(chunks, scores, strict=True) if chunk is not None]

    def _filtered(self, query: tantivy.Query, k: int, documents: set[int]) -> list[tuple[int, float]]:
        """Look further down the list until ``k`` hits lie in ``documents`` or the list ends."""
        limit = k
        while True:
            limit = min(limit * 8, self._searcher.num_docs)
            hits = self._searcher.search(query, limit, count=False).hits
            addresses = [address for _, address in hits]
            owners = self._searcher.fast_field_values("document", addresses)
            kept = [place for place, owner in enumerate(owners) if owner in documents][:k]
            if len(kept) < k and len(hits) == limit < self._searcher.num_docs:
                continue
            chunks = self._searcher.fast_field_values("chunk", [addresses[place] for place in kept])
            return [(int(chunk or 0), hits[place][0]) for chunk, place in zip(chunks, kept, strict=True)]


class LexicalUpdate:
    """Changes to the lexical index that nobody sees before ``publish``."""

    def __init__(self, folder: Path, base: LexicalBase | None, expected_chunks: int, *, anew: bool) -> None:
        """Begin from ``base``, or ``anew``; without a base the folder holds nothing of use and is emptied."""
        import tantivy  # noqa: PLC0415

        path = folder / FOLDER
        bulk = expected_chunks > _BULK_CHUNKS
        heap, threads = (_BULK_HEAP_BYTES, _BULK_THREADS) if bulk else (_SMALL_HEAP_BYTES, 1)
        self._tantivy = tantivy
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
        writer, make, lengths = self._open(), self._tantivy.Document, self._lengths
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
        entry = self._tantivy.Document()
        entry.add_integer("document", _MARK_DOCUMENT)
        state = {"mark": asdict(mark), "statistics": {"chunks": self._chunks, "lengths": self._lengths}}
        entry.add_text("mark", json.dumps(state))
        writer = self._open()
        with _disk_errors():
            writer.delete_documents_by_term("document", _MARK_DOCUMENT)
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
    import tantivy  # noqa: PLC0415

    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(exist_ok=True)
    return tantivy.Index(_schema(), path=str(path), reuse=False)


def _schema() -> tantivy.Schema:
    import tantivy  # noqa: PLC0415

    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("chunk", fast=True)
    builder.add_integer_field("document", indexed=True, fast=True)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("mark", stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()
