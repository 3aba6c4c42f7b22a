"""What a conversion gives, why one fails, and the Markdown of a converted document as the index keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from quaestor.files.deny import Reason
from quaestor.stores import StoredChunk


class ConversionError(Exception):
    """A document that is left out.

    Attributes:
        reason: one of the reasons of every report.
        detail: what is the matter, and what to do where something can be done.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(reason, detail)  # both, so that it survives being pickled
        self.reason: Reason = reason
        self.detail = detail


class Converted(NamedTuple):
    """A document as Markdown.

    Attributes:
        text: the Markdown, with line feeds only.
        title: its title, where it has one.
        author: who wrote it, where that is known.
        date: ISO 8601 date of writing, where that is known.
        note: what was lossy, for the report.
        paged: whether its sections are pages, slides or sheets: a chunk is of one of them, so that citations say which.
    """

    text: str
    title: str | None = None
    author: str | None = None
    date: str | None = None
    note: str | None = None
    paged: bool = False


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
