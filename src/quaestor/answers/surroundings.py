"""The definition around a line, and as much of it as is worth reading."""

from __future__ import annotations

from collections.abc import Sequence

from quaestor.answers.document_lines import end_of_statement
from quaestor.chunking.definitions import Definition
from quaestor.related.stored_files import IndexedFile

_WHOLE = 30
_BEFORE, _AFTER = 8, 6


def around(found: Sequence[Definition], line: int) -> Definition | None:
    """Return the innermost definition that holds a line."""
    holding = [one for one in found if one.span.start_line <= line <= one.span.end_line]
    return min(holding, key=lambda one: one.span.end_line - one.span.start_line, default=None)


def qualified_name(found: Definition | None) -> str | None:
    """Return a definition's name with what encloses it."""
    return None if found is None else ".".join((*found.scope, found.name))


def stretch(file: IndexedFile, found: Definition | None, line: int, last: int | None = None) -> tuple[int, int]:
    """Return the lines to quote for some of a definition: all of it where it is short, else those around them.

    Args:
        file: the file.
        found: the definition that holds the lines; None for lines outside any.
        line: the first of them.
        last: the last of them; ``line`` if it is not given.
    """
    last = line if last is None else last
    start, end = (found.span.start_line, found.span.end_line) if found else (1, len(file.lines))
    if found is not None and end - start < _WHOLE:
        return start, end
    # A blank line ends a thought: what stands before it is left out.
    first = next(
        (at + 1 for at in range(line - 1, max(start, line - _BEFORE) - 1, -1) if not file.lines[at - 1].strip()),
        max(start, line - _BEFORE),
    )
    return first, min(end, max(end_of_statement(file.lines, last), last + _AFTER))
