"""Pages as Markdown: their text with its structure, without the site around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quaestor.convert.charset import decode_page
from quaestor.convert.conversion import Converted
from quaestor.convert.html_to_markdown import render
from quaestor.convert.html_tree import Element, Start, parse, tokens
from quaestor.convert.main_text import main_text
from quaestor.convert.page import base_of
from quaestor.convert.page_metadata import About, about

_TEMPLATE = re.compile(
    rb"\{\{|\{%|<%|<\?(?:php|=)|\$\{|\bng-\w+=|\bv-(?:if|for|bind|model)\b|\bx-data=|@(?:if|foreach)\b"
)
_LEAST_WORDS = 40
_LOOKED_AT = 200_000


def reads_as_page(data: bytes) -> bool:
    """Return whether an HTML file is a page to read, and not a template or the frame of an application."""
    if _TEMPLATE.search(data):
        return False
    return sum(len(text.split()) for text in _texts(decode_page(data[:_LOOKED_AT]))) >= _LEAST_WORDS


def _texts(page: str) -> Iterator[str]:
    """Yield the text of a page that is shown."""
    shown = True
    for token in tokens(page):
        if isinstance(token, str):
            if shown:
                yield token
        else:
            shown = not (isinstance(token, Start) and token.name in ("script", "style"))


def from_html(data: bytes) -> Converted:
    """Return an HTML file as Markdown.

    Raises:
        ConversionError: it has more elements than any page that a person reads.
    """
    return page_text(parse(decode_page(data)), "")


def page_text(page: Element, address: str, told: About | None = None) -> Converted:
    """Return a page's text as Markdown, with what it says about itself; the tree is used up.

    Args:
        page: the whole page.
        address: where it was found; links become absolute. Empty leaves them as they are.
        told: what it says about itself, where that was read already.
    """
    told = told or about(page, address)
    base = base_of(page, address) if address else ""
    root = main_text(page)
    text = render(root, base)
    if told.title and text and not any(one.name == "h1" for one in root.elements()):
        text = f"# {told.title}\n\n{text}"
    return Converted(text, told.title, told.author, told.date)
