"""All tags, and what becomes of each."""

from __future__ import annotations

from enum import StrEnum

OPENING = "<|"
CLOSING = "|>"
"""Ends every tag, and is the stop sequence of a request whose reply may call subroutines by tags."""


class Tag(StrEnum):
    """Every tag by name.

    ``plan`` is hidden. ``result`` is written by the engine around what a subroutine returned; what a model writes
    inside one of its own making is hidden. All others are calls of subroutines.
    """

    PLAN = "plan"
    RESULT = "result"
    SEARCH = "search"
    READ = "read"
    RELATED = "related"
    LIST = "list"
    OVERVIEW = "overview"
    HISTORY = "history"
    EDIT = "edit"


HIDDEN = frozenset({Tag.PLAN, Tag.RESULT})
"""Tags that call nothing."""

BLOCKS = frozenset({Tag.RESULT})
"""Tags whose text, up to ``<|/name|>``, belongs to them."""

OPENINGS = tuple(f"{OPENING}{slash}{tag}{end}" for tag in Tag for slash in ("", "/") for end in (" ", CLOSING))
"""How every tag of ours begins: what may stay whole where a server looks for special tokens in text."""
