"""A corpus's documents as text, as they were indexed, and which of them hold the words of a question."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from quaestor.core.passages import Chunk
from quaestor.corpus import Corpus
from quaestor.search.background import GENERATED, VENDORED
from quaestor.search.path_roles import profile_path


@dataclass(frozen=True, slots=True)
class Section:
    """A section, or the part of it in a chunk.

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
    """Return a corpus's documents by path, without vendored and generated ones."""
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


_NO_LETTERS = re.compile(r"[\W_]+")


def letters(text: str) -> str:
    """Return a text's letters and digits in lower case: its words, however they are set."""
    return _NO_LETTERS.sub("", text).lower()


class Words:
    """The words of all documents, as one text to search in.

    Args:
        texts: by path.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._paths = list(texts)
        parts = [letters(text) for text in texts.values()]
        self._all = "\0".join(parts)
        self._starts: list[int] = []
        start = 0
        for part in parts:
            self._starts.append(start)
            start += len(part) + 1

    def stand_in(self, query: str, besides: Collection[str]) -> bool:
        """Return whether a query's words occur in this order in any other document."""
        wanted = letters(query)
        at = self._all.find(wanted) if wanted else -1
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            if self._paths[number] not in besides:
                return True
            following = number + 1
            at = self._all.find(wanted, self._starts[following]) if following < len(self._starts) else -1
        return False
