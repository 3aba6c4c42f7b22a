"""Lines of documents as the page shows them: numbered, coloured, with those marked that are meant.

A PDF is read as one section a page, so the page on which a line stands is known.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from quaestor.assemble import Index
from quaestor.chunking.languages import PROSE
from quaestor.core.stems import content_terms
from quaestor.server.web.highlight import highlight

_PROSE = PROSE | {"html", "pdf", "docx", "xlsx", "pptx", "epub", "latex", "org"}

_PAGE = re.compile(r"Page (\d+)(?::|$)")


@dataclass(frozen=True, slots=True)
class Shown:
    """Numbered lines.

    Attributes:
        path: the document's.
        lines: number, HTML, and whether it is one of those that are meant.
        prose: whether these are sentences, whose lines may be broken.
    """

    path: str
    lines: tuple[tuple[int, Markup, bool], ...]
    prose: bool = False

    @property
    def first(self) -> int:
        """The first line's number; 0 if there are none."""
        return self.lines[0][0] if self.lines else 0

    @property
    def last(self) -> int:
        """The last line's number; 0 if there are none."""
        return self.lines[-1][0] if self.lines else 0


def telling(lines: Sequence[str], start: int, query: str) -> frozenset[int]:
    """Return the numbers of the lines that hold most of a query's words; none if no line holds any."""
    wanted = content_terms(query)
    held = {number: len(wanted & content_terms(line)) for number, line in enumerate(lines, start)}
    most = max(held.values(), default=0)
    return frozenset(number for number, count in held.items() if most and count == most)


def shown(path: str, lines: Sequence[str], start: int, language: str, marked: Container[int] = ()) -> Shown:
    """Return lines as they are shown.

    Args:
        path: of the document.
        lines: without their ends.
        start: the first one's number.
        language: as the corpus names it.
        marked: the numbers of those that are meant.
    """
    html = highlight(lines, language, path)
    numbered = tuple((number, line, number in marked) for number, line in enumerate(html, start))
    return Shown(path, numbered, prose=language in _PROSE)


def page_at(corpus: Index | None, path: str, line: int) -> int:
    """Return the number of the page, from 1; 0 where the document has none, or the corpus is not there."""
    if corpus is None or not path.lower().endswith(".pdf"):
        return 0
    found = 0
    for stored in corpus.store.chunks_of(path):
        if stored.chunk.span.start_line > line:
            break
        for name in (*stored.chunk.scope, stored.chunk.symbol or ""):
            if page := _PAGE.match(name):
                found = int(page[1])
    return found
