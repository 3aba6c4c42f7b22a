"""Sections that are lists of things that stand for themselves: changelogs, collections of links, glossaries.

Such a section is cut item by item, for its items have no more to do with each other than its heading says. Steps in
order belong together, and so do the few points of an argument: numbered and short lists are left as they are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise

_FEWEST = 8
# Of the section, the items take at least this share; on average none is longer than that many bytes.
_SHARE = 0.6
_LONGEST = 600
_LINE = re.compile(
    rb"^(?P<fence>[ \t]*(?:```|~~~))"
    # The term of a definition list has its definition in the next line, further in or behind a colon.
    rb"|^(?P<bullet> {0,3})(?:[-*+]|\xe2\x80\xa2)[ \t]+\S"
    rb"|(?:(?<=\n\n)|(?<=\n\r\n))(?P<term>)(?=[^\s.:|=#<>`~-][^\n]{0,150}\n(?:[ \t]{2,}\S|:[ \t]+\S))"
    rb"|(?:(?<=\n\n)|(?<=\n\r\n))(?P<text>)(?=\S)",
    re.MULTILINE,
)


def list_items(data: bytes, start: int, end: int) -> list[int]:
    """Return where the items of a section begin that is mostly one long list; nothing for any other section."""
    bullets: list[tuple[int, int]] = []
    terms: list[int] = []
    others: list[int] = []
    fenced = False
    for found in _LINE.finditer(data, start, end):
        kind, at = found.lastgroup, found.start()
        if kind == "fence":
            fenced = not fenced
        elif fenced:
            continue
        elif kind == "bullet":
            bullets.append((len(found["bullet"]), at))
        else:
            (terms if kind == "term" else others).append(at)
    margin = min((indent for indent, _ in bullets), default=0)
    items = [at for indent, at in bullets if indent == margin]
    if len(terms) > len(items):
        items = terms
    else:
        others += terms
    return items if _is_list(items, others, start, end) else []


def in_groups(items: list[int], least: int) -> list[int]:
    """Return where groups of items begin, each of so many bytes or more but for the last."""
    kept = items[:1]
    for item in items[1:]:
        if item - kept[-1] >= least:
            kept.append(item)
    return kept


def _is_list(items: list[int], others: list[int], start: int, end: int) -> bool:
    if len(items) < _FEWEST:
        return False
    # An item ends where the next one begins, or a paragraph that is none.
    breaks = [*sorted(others), end]
    total = sum(
        min(following, breaks[bisect_right(breaks, item)]) - item for item, following in pairwise([*items, end])
    )
    return total >= _SHARE * (end - start) and total <= _LONGEST * len(items)
