"""Running heads, feet and page numbers: lines that page after page begins or ends with. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

_FEWEST_PAGES = 4
"""Fewer pages may begin alike by chance."""
_SHARE = 0.3
"""Of all pages: left ones and right ones often have heads of their own."""
_DEEPEST = 2
"""Lines at each end of a page that may be a head or a foot."""
_LONGEST = 120
_NUMBER = re.compile(r"\d{1,5}")


def without_running_heads(pages: Sequence[str]) -> list[str]:
    """Return the pages' texts without the lines that many of them begin or end with, or that number them.

    Words that many pages begin or end with stay where they stand first, for they may be a title or the head of a table.
    """
    lines = [page.split("\n") for page in pages]
    for from_end in (False, True):
        for _ in range(_DEEPEST):
            _strip_outermost(lines, from_end)
    return ["\n".join(page).strip("\n") for page in lines]


def _strip_outermost(pages: list[list[str]], from_end: bool) -> None:
    """Remove the outermost lines of pages where enough of them are alike."""
    places = [_outermost(page, from_end) for page in pages]
    forms = [
        [] if place is None else list(_forms(page[place], number))
        for number, (page, place) in enumerate(zip(pages, places, strict=True))
    ]
    counts = Counter(chain.from_iterable(forms))
    least = max(_FEWEST_PAGES, _SHARE * sum(map(bool, forms)))
    seen: set[str] = set()
    for page, place, own in zip(pages, places, forms, strict=True):
        running = [form for form in own if counts[form] >= least]
        if place is None or not running:
            continue
        if running[0] != own[0] or own[0] in seen:
            del page[place]
        seen.add(own[0])


def _outermost(page: list[str], from_end: bool) -> int | None:
    order = range(len(page) - 1, -1, -1) if from_end else range(len(page))
    place = next((one for one in order if page[one].strip()), None)
    return place if place is not None and len(page[place]) <= _LONGEST else None


def _forms(line: str, page: int) -> Iterator[str]:
    """Yield a line as it is, and with each of its numbers as how far it is from the page's."""
    text = " ".join(line.split()).casefold()
    yield text
    for found in _NUMBER.finditer(text):
        yield f"{text[: found.start()]}\0{int(found[0]) - page}{text[found.end() :]}"
