"""What is indexed, what is found, and what an answer cites: documents, spans, chunks, hits and citations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from quaestor.core.light_imports import NamedTuple

ChunkerName = Literal["tree-sitter", "headings", "lines"]


class Span(NamedTuple):
    """A part of a document.

    Attributes:
        start: the offset of the first byte.
        end: the offset after the last byte.
        start_line: the first line, 1-based.
        end_line: the last line, 1-based and inclusive.
    """

    start: int
    end: int
    start_line: int
    end_line: int


class Document(NamedTuple):
    """One file or page as it was when it was read.

    Attributes:
        path: relative to the source's root, with ``/``.
        sha256: of the bytes on disk, lower-case hex.
        size: bytes on disk.
        stamp: changes when the file does; 0 if only its hash can tell whether it has changed.
        language: ``python``, ``markdown``, ``text`` and so on.
        encoding: the codec that turns spans' bytes into text. Files in UTF-16 or UTF-32 are
            transcoded to UTF-8 before they are cut, so their spans count UTF-8 bytes.
        title: a page's or a prose document's title.
        url: the address of a page that was crawled.
        author: its author, or None; several are separated by commas.
        date: ISO 8601 date of writing, as precise as it is known (``2021``, ``2021-03``,
            ``2021-03-04``). Never the file's own times.
        chunker: the method that cut it.
        note: why a fallback was used or what was lost; None if nothing was.
    """

    path: str
    sha256: str
    size: int
    stamp: int
    language: str
    encoding: str = "utf-8"
    title: str | None = None
    url: str | None = None
    author: str | None = None
    date: str | None = None
    chunker: ChunkerName = "lines"
    note: str | None = None


class Chunk(NamedTuple):
    """The unit that is indexed: a span of a document with its metadata.

    Attributes:
        span: its place in the document.
        text: the document's bytes at the span, decoded.
        symbol: the name defined here (a function, class, type), or the heading of a section.
        kind: ``function``, ``class``, ``type``, ``module``, ``section``, ``block`` ...
        scope: enclosing symbols or headings, outermost first; never part of the text.
        defines: all names whose definition starts inside this chunk, in order.
    """

    span: Span
    text: str
    symbol: str | None = None
    kind: str = "block"
    scope: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()


class Hit(NamedTuple):
    """A chunk that answers a query, with its score and origin.

    Attributes:
        document: the document that it is a part of.
        chunk: the chunk.
        score: higher is better; comparable within one query only.
        fresh: whether the file's bytes were found to be the indexed ones just before answering.
        features: each ranking feature's share in the score, for ``search --explain``.
        chunk_id: the store's identifier of the chunk.
        also: places in other documents that say the same, as ``path:line``.
        corpus: the name of its corpus if several were searched; else empty.
        ranked_span: the span of the chunk that was ranked, if ``chunk`` shows more around it; else None.
    """

    document: Document
    chunk: Chunk
    score: float
    fresh: bool = True
    features: Mapping[str, float] = MappingProxyType({})
    chunk_id: int = -1
    also: tuple[str, ...] = ()
    corpus: str = ""
    ranked_span: Span | None = None

    @property
    def path(self) -> str:
        """The document's path, relative to its source's root."""
        return self.document.path

    @property
    def start_line(self) -> int:
        """The first line, 1-based."""
        return self.chunk.span.start_line

    @property
    def end_line(self) -> int:
        """The last line, 1-based and inclusive."""
        return self.chunk.span.end_line

    @property
    def text(self) -> str:
        """The chunk's text."""
        return self.chunk.text

    @property
    def symbol(self) -> str | None:
        """The symbol or heading, qualified by what encloses it: ``Client.send``, ``Guide > Retries``."""
        names = self.chunk.scope if self.chunk.symbol is None else (*self.chunk.scope, self.chunk.symbol)
        return (" > " if self.chunk.kind == "section" else ".").join(names) or None


def text_of_chunks(chunks: Iterable[Chunk]) -> bytes:
    """Return a document's text from its chunks, which cover all but blanks; every span and line keeps its place."""
    text = bytearray()
    line = 1
    for chunk in chunks:
        newlines = chunk.span.start_line - line
        text += (b"\n" * newlines).rjust(chunk.span.start - len(text))
        text += chunk.text.encode()
        line = chunk.span.end_line + text.endswith(b"\n")
    return bytes(text)


CitationStatus = Literal["verified", "repaired", "unverified"]

STANDING: dict[str, str] = {"verified": "found there", "repaired": "found nearby", "unverified": "not found"}
"""How a citation's status is shown to people: whether the source contains its words, not whether they are right."""

UNCHECKED = "Not checked: nothing that the model cites stands in the corpus, so this answer is its word alone."


@dataclass(frozen=True, slots=True)
class Citation:
    """A claim's pointer to a span, after it was checked.

    Attributes:
        n: the number that the answer uses, from 1.
        path: the document's path.
        url: the address of a page that was crawled.
        start_line: the first line, 1-based.
        end_line: the last line, inclusive.
        quote: the words that support the claim, as the source has them.
        status: ``verified`` (found where it points), ``repaired`` (found nearby, pointer corrected) or
            ``unverified``.
    """

    n: int
    path: str
    start_line: int
    end_line: int
    quote: str
    status: CitationStatus
    url: str | None = None

    @property
    def holds(self) -> bool:
        """Whether its quote is in the source, where it points or nearby."""
        return self.status != "unverified"
