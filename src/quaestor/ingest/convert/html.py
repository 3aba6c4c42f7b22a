"""Pages as Markdown: their text with its structure, without the site around it."""

from __future__ import annotations

import re

from quaestor.ingest.convert.about import About, about
from quaestor.ingest.convert.charset import decode_page
from quaestor.ingest.convert.html_tree import Element, parse
from quaestor.ingest.convert.main_text import main_text
from quaestor.ingest.convert.markdown import render
from quaestor.ingest.convert.page import base_of
from quaestor.ingest.convert.values import Converted

_TEMPLATE = re.compile(
    rb"\{\{|\{%|<%|<\?(?:php|=)|\$\{|\bng-\w+=|\bv-(?:if|for|bind|model)\b|\bx-data=|@(?:if|foreach)\b"
)
_LEAST_WORDS = 40


def reads_as_page(data: bytes) -> bool:
    """Return whether an HTML file is a page to read, and not a template or the frame of an application."""
    if _TEMPLATE.search(data):
        return False
    words = re.sub(rb"(?is)<(script|style)\b.{0,200000}?</\1>|<[^>]{0,2000}>", b" ", data[:200_000]).split()
    return len(words) >= _LEAST_WORDS


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
