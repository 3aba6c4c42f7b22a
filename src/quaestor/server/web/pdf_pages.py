"""On which page of a PDF a line stands: a PDF is read as one section a page."""

from __future__ import annotations

import re

from quaestor.assemble import Index

_PAGE = re.compile(r"Page (\d+)(?::|$)")


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
