"""The result of a conversion, and its error."""

from __future__ import annotations

from typing import NamedTuple

from quaestor.files.deny import Reason


class ConversionError(Exception):
    """A document that is left out.

    Attributes:
        reason: a reason as reports have it.
        detail: the problem, and what to do about it if something can be done.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(reason, detail)  # both arguments, so that it can be pickled
        self.reason: Reason = reason
        self.detail = detail


class ConvertedDocument(NamedTuple):
    """A document as Markdown.

    Attributes:
        text: the Markdown, with line feeds only.
        title: its title, or None.
        author: its author, or None.
        date: ISO 8601 date of writing, or None.
        note: what was lost in conversion, for the report.
        paged: whether its sections are pages, slides or sheets; no chunk spans two, so that citations name one.
    """

    text: str
    title: str | None = None
    author: str | None = None
    date: str | None = None
    note: str | None = None
    paged: bool = False
