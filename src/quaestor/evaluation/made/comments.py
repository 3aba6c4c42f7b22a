"""Where the comments and docstrings of a source file stand, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from quaestor.evaluation.made.surface_syntax import comments_of, defined_name


@dataclass(frozen=True, slots=True)
class Block:
    """A comment's lines ``first`` to ``last`` (0-based, inclusive); ``inside`` when the definition is above it."""

    first: int
    last: int
    inside: bool = False


def comment_blocks(lines: list[str], language: str) -> Iterator[Block]:
    """Yield every comment that stands on lines of its own."""
    forms = comments_of(language)
    number = 0
    while number < len(lines):
        line = lines[number].lstrip()
        first = number
        if delimiter := next((end for begin, end in forms.block if line.startswith(begin)), None):
            begin = next(begin for begin, end in forms.block if line.startswith(begin))
            while number < len(lines) - 1 and delimiter not in lines[number].lstrip().removeprefix(
                begin if number == first else ""
            ):
                number += 1
            yield Block(first, number)
        elif line.startswith(forms.line) and not line.startswith("#!["):
            while number < len(lines) - 1 and lines[number + 1].lstrip().startswith(forms.line):
                number += 1
            yield Block(first, number)
        number += 1


def docstrings(lines: list[str], language: str) -> Iterator[Block]:
    """Yield every docstring of a definition; only Python has them."""
    if language != "python":
        return
    number = 0
    while number < len(lines):
        found = re.match(r"\s*[rub]?(\"\"\"|''')", lines[number])
        if found:
            first, quote = number, found[1]
            if quote not in lines[number][found.end() :]:
                number += 1
                while number < len(lines) - 1 and quote not in lines[number]:
                    number += 1
            if first and lines[first - 1].rstrip().endswith(":"):
                yield Block(first, number, inside=True)
        number += 1


def definition_above(lines: list[str], number: int, language: str) -> int:
    """Return the line, at most eight above ``number``, where the definition around a docstring begins."""
    for above in range(number - 1, max(-1, number - 9), -1):
        if defined_name(lines[above], language):
            return above
    return max(0, number - 1)
