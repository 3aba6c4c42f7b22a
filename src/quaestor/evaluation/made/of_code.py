"""Docstrings and the comments above definitions: each asks for its definition, which loses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quaestor.evaluation.made.clean import comment_query
from quaestor.evaluation.made.comments import Block, comment_blocks, definition_above, docstrings
from quaestor.evaluation.made.document_texts import SourceText
from quaestor.evaluation.made.made_question import Asked
from quaestor.evaluation.made.surface_syntax import LANGUAGES, defined_name, indent_of
from quaestor.search.path_roles import profile_path

_FEWEST_LINES = 4
_MOST_LINES = 120
_ATTRIBUTES = 3  # lines of decorators and the like between a comment and its definition


def of_code(text: SourceText) -> Iterator[Asked]:
    """Yield the questions of a source file; none of tests and examples, which say the same of what they use."""
    profile = profile_path(text.path)
    if text.language not in LANGUAGES or profile.test or profile.example:
        return
    lines = list(text.lines)
    for block in (*comment_blocks(lines, text.language), *docstrings(lines, text.language)):
        first = _definition(lines, block, text.language)
        query = None if first is None else comment_query(lines[block.first : block.last + 1])
        if first is None or query is None:
            continue
        last = _end(lines, max(first, block.last + 1 if block.inside else first), indent_of(lines[first]))
        gone = range(block.first, block.last + 1)
        left = [
            line for number, line in enumerate(lines[first : last + 1], first) if line.strip() and number not in gone
        ]
        if len(left) >= _FEWEST_LINES and query.lower() not in " ".join(" ".join(left).split()).lower():
            yield Asked("docstring", query, ((text.path, first + 1, last + 1),), text.path, dict.fromkeys(gone, ""))


def _definition(lines: list[str], block: Block, language: str) -> int | None:
    """Return the line on which the definition begins that a comment belongs to, if it belongs to one."""
    if block.inside:
        first = definition_above(lines, block.first, language)
        return first if defined_name(lines[first], language) else None
    below = range(block.last + 1, min(len(lines), block.last + 1 + _ATTRIBUTES))
    return next((number for number in below if defined_name(lines[number], language)), None)


def _end(lines: Sequence[str], start: int, indent: int) -> int:
    """Return the last line of what begins at ``start`` and is indented further than ``indent``."""
    last, deeper = start, False
    for number in range(start, min(len(lines), start + _MOST_LINES)):
        line = lines[number]
        if not line.strip():
            continue
        inside = indent_of(line) > indent
        if number > start and not inside:
            return number if (deeper and line.strip()[:1] in "})]") or line.strip() == "end" else last
        deeper = deeper or inside
        last = number
    return last
