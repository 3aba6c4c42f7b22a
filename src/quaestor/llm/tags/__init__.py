"""Text tags, with which a model calls tools or writes hidden text: ``<|search query={"login"}|>``.

Pure. It does not know what a tag does, nor where a reply comes from. Begin with ``parser``.
"""

from __future__ import annotations

from quaestor.llm.tags.parser import Broken, Call, Hidden, Parser, Part, Shown, Text, escape, strip
from quaestor.llm.tags.reader import CLOSING, OPENINGS, Tag, closing, render

__all__ = [
    "CLOSING",
    "OPENINGS",
    "Broken",
    "Call",
    "Hidden",
    "Parser",
    "Part",
    "Shown",
    "Tag",
    "Text",
    "closing",
    "escape",
    "parse",
    "render",
    "strip",
]


def parse(text: str) -> tuple[Part, ...]:
    """Return the parts of a complete reply; their joined ``raw`` equals the reply."""
    parser = Parser()
    return (*parser.feed(text), *parser.close())
