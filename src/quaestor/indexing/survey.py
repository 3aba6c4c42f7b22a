"""The cost of indexing and the contents of an index, counted without writing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quaestor.core.documents import Chunk, Document
from quaestor.core.terms import find_words
from quaestor.files.indexing_values import CountTokens, FoundFile, IngestSettings, Range, SkippedPath, Survey
from quaestor.files.walk import WalkResult
from quaestor.indexing.batches import TASK_BYTES, TASK_FILES, in_batches
from quaestor.indexing.prepare import RefusedFile, Task, UnchangedFile, document_of, embedded_text, load, vector_keys
from quaestor.indexing.worker_pool import run_here
from quaestor.stores import Store


@dataclass(frozen=True, slots=True)
class DocumentCounts:
    """One document's counts.

    Attributes:
        document: the document as it would be stored.
        chunks: number of chunks.
        words: number of words.
        tokens: those of each text to embed, in the order of the chunks; empty without a counter.
        keys: the keys of their vectors; empty unless requested.
    """

    document: Document
    chunks: int
    words: int
    tokens: Sequence[int]
    keys: Sequence[bytes] = ()


class SurveyResult(NamedTuple):
    """The result of a survey.

    Attributes:
        survey: the counts of all documents.
        files: the documents' files.
        texts: tokens of each text to embed, by the key of its vector, equal texts once; empty unless requested.
    """

    survey: Survey
    files: Sequence[FoundFile]
    texts: Mapping[bytes, int]


@dataclass(frozen=True, slots=True)
class Surveyor:
    """Counts documents in files or in an index.

    Attributes:
        root: the folder that paths are relative to.
        settings: sizes and limits.
        count_tokens: counts a text's tokens, None for no count.
        embedder: name of the embedder whose vector keys are wanted, or None.
    """

    root: str
    settings: IngestSettings
    count_tokens: CountTokens | None
    embedder: str | None = None

    def read(self, walk_result: WalkResult) -> SurveyResult:
        """Read and cut all files that a walk found."""
        batches = in_batches(((Task(file.path), file.size) for file in walk_result.added), TASK_BYTES, TASK_FILES)
        results = [result for batch in run_here(self, batches) for result in batch]
        return self._result(results, walk_result.added, walk_result.skipped)

    def look_up(self, store: Store, skipped: Iterable[SkippedPath]) -> SurveyResult:
        """Count the documents of an index; no file is read.

        Args:
            store: the index.
            skipped: files that were left out of it.
        """
        documents = store.documents()
        results = [
            self._count(document, [stored.chunk for stored in store.chunks_of(path)])
            for path, document in documents.items()
        ]
        return self._result(results, [FoundFile(path, one.size) for path, one in documents.items()], skipped)

    def prepare(self, tasks: Sequence[Task]) -> list[DocumentCounts | SkippedPath]:
        """Return each file's counts, or why it is left out."""
        return [self._read(task) for task in tasks]

    def _read(self, task: Task) -> DocumentCounts | SkippedPath:
        loaded = load(self.root, task, self.settings)
        if isinstance(loaded, RefusedFile):
            return loaded.skipped
        assert not isinstance(loaded, UnchangedFile)  # no task of a survey has a known hash
        return self._count(document_of(task.path, loaded.snapshot, loaded.parts), loaded.parts.chunks)

    def _count(self, document: Document, chunks: Sequence[Chunk]) -> DocumentCounts:
        words = sum(len(find_words(chunk.text)) for chunk in chunks)
        texts = self._texts(document, chunks)
        return DocumentCounts(
            document,
            len(chunks),
            words,
            [] if self.count_tokens is None else [self.count_tokens(text) for text in texts],
            [] if self.embedder is None else vector_keys(self.embedder, texts),
        )

    def _texts(self, document: Document, chunks: Sequence[Chunk]) -> list[str]:
        if self.count_tokens is None and self.embedder is None:
            return []
        shown = document.path if self.settings.embed_path else None
        return [embedded_text(chunk, shown, document.title) for chunk in chunks]

    def _result(
        self,
        results: Sequence[DocumentCounts | SkippedPath],
        files: Sequence[FoundFile],
        skipped: Iterable[SkippedPath],
    ) -> SurveyResult:
        counted = [one for one in results if isinstance(one, DocumentCounts)]
        texts = {key: tokens for one in counted for key, tokens in zip(one.keys, one.tokens, strict=bool(one.keys))}
        left_out = (*skipped, *(one for one in results if isinstance(one, SkippedPath)))
        return SurveyResult(_sum_up(counted, left_out, with_tokens=self.count_tokens is not None), files, texts)


def _sum_up(counted: Sequence[DocumentCounts], skipped: tuple[SkippedPath, ...], *, with_tokens: bool) -> Survey:
    """Add up the counts of all documents."""
    documents = [result.document for result in counted]
    return Survey(
        documents=len(counted),
        chunks=sum(result.chunks for result in counted),
        words=Range.of([result.words for result in counted]),
        bytes=sum(document.size for document in documents),
        tokens=sum(sum(result.tokens) for result in counted) if with_tokens else None,
        languages=_tally(document.language for document in documents),
        chunkers=_tally(document.chunker for document in documents),
        notes=_tally(document.note for document in documents if document.note),
        skipped=skipped,
    )


def _tally(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())
