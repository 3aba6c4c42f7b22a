"""A corpus's documents as text, as they were indexed: nothing is read from disk, converted or fetched again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from quaestor.core.passages import Chunk
from quaestor.corpus import Corpus
from quaestor.search.background import GENERATED, VENDORED
from quaestor.search.path_roles import profile_path


@dataclass(frozen=True, slots=True)
class Section:
    """A section, or what of it stands in one chunk with others.

    Attributes:
        title: its heading, without markup.
        first: its first line, 0-based.
        last: its last line, inclusive.
    """

    title: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class SourceText:
    """One document.

    Attributes:
        path: relative to the source's root, with ``/``.
        language: as it was recognised.
        lines: its text without line ends.
        sections: where its headings are; of prose only.
    """

    path: str
    language: str
    lines: tuple[str, ...]
    sections: tuple[Section, ...]


def texts_of(corpus: Corpus) -> dict[str, SourceText]:
    """Return a corpus's documents by path, without what nobody asks for: vendored and generated ones."""
    found: dict[str, SourceText] = {}
    for path, document in sorted(corpus.store.documents().items()):
        chunks = corpus.store.chunks_of(path)
        if not chunks or profile_path(path).background in (VENDORED, GENERATED) or document.note:
            continue
        text = "".join(stored.chunk.text for stored in chunks)
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        found[path] = SourceText(
            path, document.language, tuple(lines), tuple(_sections(stored.chunk for stored in chunks))
        )
    return found


def _sections(chunks: Iterable[Chunk]) -> Iterator[Section]:
    """Yield each section once: a long one has several chunks."""
    for (kind, title, _), parts in groupby(chunks, lambda chunk: (chunk.kind, chunk.symbol, chunk.scope)):
        if kind == "section" and title:
            spans = [chunk.span for chunk in parts]
            yield Section(title, spans[0].start_line - 1, spans[-1].end_line - 1)
