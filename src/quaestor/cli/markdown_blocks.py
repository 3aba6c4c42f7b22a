"""Cutting Markdown that still grows into blocks that no longer change. Pure."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")


def whole_blocks(text: str) -> int:
    """Return how many letters of ``text`` are whole blocks, which what follows cannot change.

    A block ends at an empty line outside of fenced code, so that a paragraph, a list or a table is drawn once and as it
    stays. What stands after the last such line may still grow.
    """
    fence, at, whole = "", 0, 0
    while (newline := text.find("\n", at)) >= 0:
        line = text[at:newline]
        at = newline + 1
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence, whole = "", at
        elif mark:
            fence = mark[1]
        elif not line.strip():
            whole = at
    return whole
