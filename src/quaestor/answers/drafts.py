"""Putting an answer of one way together: what it says, and the places that it quotes, each cited once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from quaestor.answers.stretches import PROSE
from quaestor.answers.way import WayAnswer
from quaestor.core.passages import Chunk, Document, Hit, Span


def hit_of_lines(document: Document, text: str, start: int, symbol: str | None = None) -> Hit:
    """Return lines of a document as a hit; ``start`` is the first of them, 1-based.

    Its span counts lines only: what is cited is found by its lines, and offsets are the chunks' affair.
    """
    span = Span(0, 0, start, start + text.count("\n"))
    return Hit(document, Chunk(span, text, symbol), 0.0)


def place_of(hit: Hit) -> str:
    """Return where a hit stands as people and editors write it: ``src/a.py:10-24``."""
    lines = f"{hit.start_line}" if hit.start_line == hit.end_line else f"{hit.start_line}-{hit.end_line}"
    return f"{hit.path}:{lines}"


def in_code(text: str) -> str:
    """Return a text as a span of code in Markdown, whatever backticks it holds, in one line."""
    plain = " ".join(text.split())
    longest = max((len(run) for run in re.findall(r"`+", plain)), default=0)
    mark = "`" * (longest + 1)
    return f"{mark} {plain} {mark}" if longest else f"`{plain}`"


@dataclass(slots=True)  # mutable: put together piece by piece
class Draft:
    """An answer that is being put together.

    Attributes:
        pieces: as ``WayAnswer`` has them.
        hits: what is cited so far.
    """

    pieces: list[str | int] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Add a paragraph."""
        self.pieces.append(f"{text}\n\n")

    def quote(self, hit: Hit) -> None:
        """Add a place with its lines and its citation mark."""
        symbol = f" ({in_code(hit.symbol)})" if hit.symbol else ""
        self.pieces.append(f"{in_code(place_of(hit))}{symbol}:\n\n{_quoted(hit)}\n")
        self.pieces.append(len(self.hits))
        self.pieces.append("\n\n")
        self.hits.append(hit)

    def finished(self, way: str, *, known: bool = True) -> WayAnswer:
        """Return the answer."""
        pieces = list(self.pieces)
        if pieces and isinstance(pieces[-1], str):
            pieces[-1] = pieces[-1].rstrip("\n")
        return WayAnswer(way, tuple(pieces), tuple(self.hits), known)


def _quoted(hit: Hit) -> str:
    """Return a hit's lines as a block quote of prose or a fenced block of code."""
    text = hit.text.strip("\r\n")
    if hit.document.language.lower() in PROSE:
        return "\n".join(f"> {line}" for line in text.split("\n")) + "\n"
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{hit.document.language}\n{text}\n{fence}"
