"""Shared by the tests of quotes."""

from __future__ import annotations

from quaestor.core.documents import Chunk, Document, Hit, Span
from quaestor.llm.prompts.numbered_passages import Passage


def hit(passage: Passage, score: float, found: Span | None = None) -> Hit:
    document = Document(passage.path, "", 0, 0, passage.language)
    return Hit(document, Chunk(Span(0, 1, passage.start_line, passage.end_line), passage.text), score, found=found)
