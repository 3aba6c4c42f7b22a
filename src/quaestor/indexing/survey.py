"""What indexing would cost, found out without writing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from quaestor.core.passages import Document
from quaestor.core.terms import find_words
from quaestor.files.ingest_report import CountTokens, FoundFile, Range, Skipped, Survey
from quaestor.files.source_settings import IngestSettings
from quaestor.files.walk import Found
from quaestor.indexing.batches import TASK_BYTES, TASK_FILES, batched
from quaestor.indexing.chunk_texts import embedded_text, vector_keys
from quaestor.indexing.prepare import Loaded, Refused, Same, Task, document_of, load
from quaestor.indexing.worker_pool import run_here


@dataclass(frozen=True, slots=True)
class Counted:
    """One document's counts.

    Attributes:
        document: the document as it would be stored.
        chunks: number of chunks.
        words: number of words.
        tokens: of each text that would be embedded, in the order of the chunks; empty without a counter.
        keys: under which their vectors would be kept; empty where nobody asks.
    """

    document: Document
    chunks: int
    words: int
    tokens: Sequence[int]
    keys: Sequence[bytes] = ()


@dataclass(frozen=True, slots=True)
class Surveyor:
    """Counts files.

    Attributes:
        root: the folder that paths are relative to.
        settings: sizes and limits.
        count_tokens: counts a text's tokens, None for no count.
        embedder: whose vectors' keys are wanted; None: nobody's.
    """

    root: str
    settings: IngestSettings
    count_tokens: CountTokens | None
    embedder: str | None = None

    def prepare(self, tasks: Sequence[Task]) -> list[Counted | Skipped]:
        """Return each file's counts, or why it is left out."""
        return [self._count(task) for task in tasks]

    def _count(self, task: Task) -> Counted | Skipped:
        loaded = load(self.root, task, self.settings)
        if isinstance(loaded, Refused):
            return loaded.skipped
        assert not isinstance(loaded, Same)  # no task of a survey has a known hash
        words = sum(len(find_words(chunk.text)) for chunk in loaded.parts.chunks)
        texts = self._texts(task.path, loaded)
        return Counted(
            document_of(task.path, loaded.snapshot, loaded.parts),
            len(loaded.parts.chunks),
            words,
            [] if self.count_tokens is None else [self.count_tokens(text) for text in texts],
            [] if self.embedder is None else vector_keys(self.embedder, texts),
        )

    def _texts(self, path: str, loaded: Loaded) -> list[str]:
        if self.count_tokens is None and self.embedder is None:
            return []
        shown = path if self.settings.embed_path else None
        return [embedded_text(chunk, shown, loaded.parts.title) for chunk in loaded.parts.chunks]


def survey(folder: str, settings: IngestSettings, found: Found, count_tokens: CountTokens | None) -> Survey:
    """Read and cut everything that a walk found, and return what came of it."""
    surveyor = Surveyor(folder, settings, count_tokens)
    return summarise(_run(surveyor, found.added), found.skipped, with_tokens=count_tokens is not None)


def survey_texts(
    folder: str, settings: IngestSettings, found: Found, count_tokens: CountTokens, embedder: str
) -> tuple[Survey, dict[bytes, int]]:
    """Return the same, and the tokens of each text that would be embedded, by the key of its vector.

    Equal texts are there once, as they are embedded.
    """
    results = list(_run(Surveyor(folder, settings, count_tokens, embedder), found.added))
    counted = [one for batch in results for one in batch if isinstance(one, Counted)]
    texts = {key: tokens for one in counted for key, tokens in zip(one.keys, one.tokens, strict=True)}
    return summarise(results, found.skipped, with_tokens=True), texts


def _run(surveyor: Surveyor, files: Iterable[FoundFile]) -> Iterator[Sequence[Counted | Skipped]]:
    batches = batched(((Task(file.path), file.size) for file in files), TASK_BYTES, TASK_FILES)
    return run_here(surveyor, batches)


def summarise(
    results: Iterable[Sequence[Counted | Skipped]], skipped: Iterable[Skipped], *, with_tokens: bool
) -> Survey:
    """Add up the counts of all files."""
    everything = [result for batch in results for result in batch]
    counted = [result for result in everything if isinstance(result, Counted)]
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
        skipped=(*skipped, *(result for result in everything if isinstance(result, Skipped))),
    )


def _tally(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())
