"""Text tags in replies: the public name of ``quaestor.llm.tags``."""

from __future__ import annotations

from quaestor.llm.tags import (
    CLOSING,
    OPENINGS,
    Broken,
    Call,
    Hidden,
    Parser,
    Part,
    Shown,
    Tag,
    Text,
    closing,
    escape,
    parse,
    render,
    strip,
)

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
