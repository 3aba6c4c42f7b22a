"""Names, paths and lines of documents as they are shown to a model: data that stays on its line."""

from __future__ import annotations

import re

from quaestor.llm.prompts.numbered_passages import Passage, where

# Control characters, odd line ends, and what turns the direction of writing.
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_TAB = re.compile(r"\t")


def shown_name(name: str) -> str:
    """Return a path or a symbol on one line, with nothing in it that a terminal or a model reads as more than text."""
    return _CONTROL.sub("\ufffd", _TAB.sub(" ", name))


def shown_line(line: str) -> str:
    """Return a line of a document without control characters; tabs stay."""
    return _CONTROL.sub("\ufffd", line)


def place(passage: Passage) -> str:
    """Return where a passage stands, with its symbol: ``src/a.py:10-24 Client.send``, and with its corpus if named."""
    corpus = f"{shown_name(passage.corpus)}: " if passage.corpus else ""
    symbol = f" {shown_name(passage.symbol)}" if passage.symbol else ""
    return f"{corpus}{shown_name(where(passage))}{symbol}"
