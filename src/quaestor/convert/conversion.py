"""What a conversion gives."""

from __future__ import annotations

from typing import NamedTuple


class Converted(NamedTuple):
    """A document as Markdown.

    Attributes:
        text: the Markdown, with line feeds only.
        title: its title, where it has one.
        author: who wrote it, where that is known.
        date: ISO 8601 date of writing, where that is known.
        note: what was lossy, for the report.
    """

    text: str
    title: str | None = None
    author: str | None = None
    date: str | None = None
    note: str | None = None
