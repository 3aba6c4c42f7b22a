"""What indexing would cost, found out without writing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quaestor.ingest.batches import TASK_BYTES, TASK_FILES, batched
from quaestor.ingest.files import Found
from quaestor.ingest.prepare import Loaded, Refused, Same, Task, document_of, load
from quaestor.ingest.report import CountTokens, Range, Skipped, Survey
from quaestor.ingest.settings import IngestSettings
from quaestor.ingest.texts import embedded_text
from quaestor.ingest.workers import run_here
from quaestor.passages import Document
from quaestor.terms import find_words


@dataclass(frozen=True, slots=True)
class Counted:
    """One document's counts.

    Attributes:
        document: the document as it would be stored.
        chunks: number of chunks.
        words: number of words.
        tokens: of everything that would be embedded.
    """

    document: Document
    chunks: int
    words: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Surveyor:
    """Counts files.

    Attributes:
        root: the folder that paths are relative to.
        settings: sizes and limits.
        count_tokens: counts a text's tokens, None for no count.
    """

    root: str
    settings: IngestSettings
    count_tokens: CountTokens | None

    def prepare(self, tasks: Sequence[Task]) -> list[Counted | Skipped]:
        """Return each file's counts, or why it is left out."""
        return [self._count(task) for task in tasks]

    def _count(self, task: Task) -> Counted | Skipped:
        loaded = load(self.root, task, self.settings)
        if isinstance(loaded, Refused):
            return loaded.skipped
        assert not isinstance(loaded, Same)  # no task of a survey has a known hash
        words = sum(len(find_words(chunk.text)) for chunk in loaded.parts.chunks)
        return Counted(
            document_of(task.path, loaded.snapshot, loaded.parts),
            len(loaded.parts.chunks),
            words,
            self._tokens(task.path, loaded),
        )

    def _tokens(self, path: str, loaded: Loaded) -> int:
        if self.count_tokens is None:
            return 0
        shown = path if self.settings.embed_path else None
        parts = loaded.parts
        return sum(self.count_tokens(embedded_text(chunk, shown, parts.title)) for chunk in parts.chunks)


def survey(folder: str, settings: IngestSettings, found: Found, count_tokens: CountTokens | None) -> Survey:
    """Read and cut everything that a walk found, and return what came of it."""
    surveyor = Surveyor(folder, settings, count_tokens)
    batches = batched(((Task(file.path), file.size) for file in found.added), TASK_BYTES, TASK_FILES)
    return summarise(run_here(surveyor, batches), found.skipped, with_tokens=count_tokens is not None)


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
        words=_range([result.words for result in counted]),
        bytes=sum(document.size for document in documents),
        tokens=sum(result.tokens for result in counted) if with_tokens else None,
        languages=_tally(document.language for document in documents),
        chunkers=_tally(document.chunker for document in documents),
        notes=_tally(document.note for document in documents if document.note),
        skipped=(*skipped, *(result for result in everything if isinstance(result, Skipped))),
    )


def _range(counts: Sequence[int]) -> Range:
    if not counts:
        return Range()
    return Range(min(counts), sum(counts) / len(counts), max(counts), sum(counts))


def _tally(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())
