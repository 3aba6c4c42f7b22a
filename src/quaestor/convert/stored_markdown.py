"""The Markdown of a converted document as the index keeps it: as its chunks."""

from __future__ import annotations

from collections.abc import Sequence

from quaestor.stores import StoredChunk


def kept_text(chunks: Sequence[StoredChunk]) -> bytes:
    """Return a document's text from its chunks, which cover it but for blanks; every span and line is where it was."""
    text = bytearray()
    line = 1
    for stored in chunks:
        span = stored.chunk.span
        newlines = span.start_line - line
        text += (b"\n" * newlines).rjust(span.start - len(text))
        text += stored.chunk.text.encode()
        line = span.end_line + text.endswith(b"\n")
    return bytes(text)
