"""The lines that statements stand in, as hits that can be cited and checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quaestor.answers.overview.material import Material
from quaestor.answers.overview.statements import Source
from quaestor.core.passages import Chunk, Hit, Span
from quaestor.related.stored_files import IndexedFile
from quaestor.stores import StoredChunk


def numbered_hits(material: Material, sources: Iterable[Source]) -> tuple[tuple[Hit, ...], dict[Source, int]]:
    """Return the hits of some sources, each once, and the position of each source's hit."""
    hits: list[Hit] = []
    numbers: dict[Source, int] = {}
    for source in sources:
        file = material.read(source.path)
        hit = None if file is None else _hit(file, source)
        if hit is not None:
            numbers[source] = len(hits)
            hits.append(hit)
    return tuple(hits), numbers


def _hit(file: IndexedFile, source: Source) -> Hit | None:
    """Return the lines of a source as a hit; None where the index holds none of them."""
    first = _holding(file.chunks, source.start_line)
    last = _holding(file.chunks, source.end_line) or first
    if first is None or last is None:
        return None
    start = first.chunk.span.start + _offset(first, source.start_line, file.document.encoding)
    end = last.chunk.span.start + _offset(last, source.end_line + 1, file.document.encoding)
    text = "\n".join(line.removesuffix("\r") for line in file.lines[source.start_line - 1 : source.end_line])
    span = Span(start, max(start, end), source.start_line, source.end_line)
    chunk = first.chunk
    return Hit(file.document, Chunk(span, text, chunk.symbol, chunk.kind, chunk.scope), 0.0, chunk_id=first.id)


def _holding(chunks: Sequence[StoredChunk], line: int) -> StoredChunk | None:
    return next((one for one in chunks if one.chunk.span.start_line <= line <= one.chunk.span.end_line), None)


def _offset(stored: StoredChunk, line: int, encoding: str) -> int:
    """Return how many bytes of a chunk stand before a line."""
    before = stored.chunk.text.splitlines(keepends=True)[: line - stored.chunk.span.start_line]
    return len("".join(before).encode(encoding, "replace"))
