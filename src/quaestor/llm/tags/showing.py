"""What a person sees of a reply that has tags in it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from quaestor.llm.tags.parser import Parser, Part, Text

# At the end of a text, too: what it is joined with may go on with a letter.
_LOOKS_LIKE_A_TAG = re.compile(r"<(?=\|/?(?:[A-Za-z_]|\Z))")


class Shown:
    """Takes the parts of a reply and returns the text to show, without the blank lines that hidden tags leave."""

    def __init__(self) -> None:
        self._line_begins = True
        self._blank: str | None = None  # blanks that follow something hidden at the beginning of a line

    def take(self, parts: Iterable[Part]) -> str:
        """Return what can be shown after these parts."""
        return "".join(self._text(part.raw) if isinstance(part, Text) else self._nothing() for part in parts)

    def _nothing(self) -> str:
        if self._line_begins and self._blank is None:
            self._blank = ""
        return ""

    def _text(self, text: str) -> str:
        if self._blank is not None:
            text = self._blank + text
            rest = text.lstrip()
            if not rest:
                self._blank = text
                return ""
            # The blanks of the line itself stay: they may be the indentation of a list.
            text = text[: len(text) - len(rest)].rpartition("\n")[2] + rest
            self._blank = None
        if text:
            self._line_begins = text.endswith("\n")
        return text


def strip(text: str) -> str:
    """Return the visible text of a whole reply: tags, hidden blocks and broken tags are left out, code is kept."""
    parser, shown = Parser(), Shown()
    return shown.take(parser.feed(text)) + shown.take(parser.close())


def escape(text: str) -> str:
    """Return text of others in which nothing looks like a tag: ``< |search`` instead of ``<|search``.

    For what a subroutine returned, where it is written into a model's own reply.
    """
    return _LOOKS_LIKE_A_TAG.sub("< ", text)
