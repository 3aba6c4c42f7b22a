"""Documents in the index: whole texts joined from chunks, and offsets of lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import groupby

from quaestor.core.documents import Chunk, Document
from quaestor.core.light_imports import NamedTuple
from quaestor.related import RelatedKind, Relative, Role
from quaestor.related.imports import MANIFESTS, Modules, packages_of
from quaestor.stores import Store, StoredChunk

LARGE = 150_000
"""From this number of characters on, a file is not parsed whole."""
_MOST_MANIFESTS = 300


class IndexedFile(NamedTuple):
    """One document with its text.

    Attributes:
        document: the document.
        chunks: its chunks in order.
        text: the text of the chunks, with every line at its number; lines between chunks are blank.
        lines: the text, cut at line feeds.
    """

    document: Document
    chunks: Sequence[StoredChunk]
    text: str
    lines: Sequence[str]

    def with_only(self, wanted: Callable[[Chunk], bool]) -> str:
        """Return the text with all lines blank except those of these chunks and of the definitions around them."""
        kept: list[StoredChunk] = []
        # Half of a definition may end within a string, and everything after it would be read the wrong way.
        for _, group in groupby(self.chunks, key=lambda one: (one.chunk.scope, one.chunk.symbol)):
            pieces = list(group)
            if any(wanted(one.chunk) for one in pieces):
                kept += pieces
        return _join_chunks(kept)

    def chunk_at(self, line: int) -> Chunk | None:
        """Return the chunk that contains a line, or None if the line is blank."""
        holding = (one.chunk for one in self.chunks if one.chunk.span.start_line <= line <= one.chunk.span.end_line)
        return next(holding, None)

    def relative(self, kind: RelatedKind, role: Role, start: int, end: int, symbol: str | None) -> Relative:
        """Return lines of this document as a relative."""
        text = "\n".join(line.removesuffix("\r") for line in self.lines[start - 1 : end])
        document = self.document
        return Relative(kind, role, document.path, start, end, text, symbol, document.language, document.sha256)


def load_file(store: Store, path: str) -> IndexedFile | None:
    """Return a document with its text; None if it is not in the store, or nothing in it was indexed."""
    chunks = store.chunks_of(path)
    if not chunks:
        return None
    text = _join_chunks(chunks)
    return IndexedFile(chunks[0].document, chunks, text, text.split("\n"))


def modules_of(store: Store, paths: Collection[str]) -> Modules:
    """Return a store's documents by the names that they are imported under, its own packages read from manifests."""
    manifests = sorted((path for path in paths if path.rpartition("/")[2] in MANIFESTS), key=lambda one: one.count("/"))
    files = ((path, load_file(store, path)) for path in manifests[:_MOST_MANIFESTS])
    return Modules(paths, packages_of((path, file.text) for path, file in files if file is not None))


def qualified_symbol(chunk: Chunk) -> str | None:
    """Return a chunk's symbol or heading with what encloses it."""
    names = chunk.scope if chunk.symbol is None else (*chunk.scope, chunk.symbol)
    return (" > " if chunk.kind == "section" else ".").join(names) or None


def chunk_relative(stored: StoredChunk, role: Role, kind: RelatedKind = "neighbours") -> Relative:
    """Return a chunk as a relative."""
    chunk, document = stored.chunk, stored.document
    text = chunk.text.removesuffix("\n").replace("\r\n", "\n")
    return Relative(
        kind,
        role,
        document.path,
        chunk.span.start_line,
        chunk.span.end_line,
        text,
        qualified_symbol(chunk),
        document.language,
        document.sha256,
    )


def _join_chunks(chunks: Sequence[StoredChunk]) -> str:
    parts: list[str] = []
    line = 1
    for stored in chunks:
        span = stored.chunk.span
        # White space between two chunks belongs to neither.
        missing = span.start_line - line
        if missing > 0:
            parts.append("\n" * missing)
        parts.append(stored.chunk.text)
        line = max(line + missing, span.start_line) + stored.chunk.text.count("\n")
    return "".join(parts)
