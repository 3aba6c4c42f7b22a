"""Tables of data as Markdown; tables that only lay out a page are told apart."""

from __future__ import annotations

from collections.abc import Iterator

from quaestor.convert.html_tree import HEADINGS, Element
from quaestor.convert.running_text import Inline

_MOST_COLUMNS = 60
_LAYOUT = HEADINGS | {"table", "pre", "hr", "blockquote"}


def is_data(table: Element) -> bool:
    """Return whether a table holds data: rows of cells without headings, code or tables in them."""
    if table.get("role") in ("presentation", "none"):
        return False
    found = list(rows(table))
    if not found or any(inner.name in _LAYOUT for inner in table.elements()):
        return False
    return max(len(list(cells(row))) for row in found) > 1 or table.find("th") is not None


def as_table(table: Element, inline: Inline) -> str:
    """Return a table of data; the first row is its head if it is marked as one, else the head is empty."""
    grid = _grid(table, inline)
    width = min(max(map(len, grid)), _MOST_COLUMNS)
    lines = [[*row, *[""] * (width - len(row))][:width] for row in grid]
    first = next(rows(table))
    if not (all(cell.name == "th" for cell in cells(first)) or _in_head(table, first)):
        lines.insert(0, [""] * width)
    lines.insert(1, ["---"] * width)
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def _grid(table: Element, inline: Inline) -> list[list[str]]:
    """Return the cells' texts; a cell that spans columns leaves blank ones, one that spans rows stands in each."""
    grid: list[list[str]] = []
    below: dict[int, tuple[int, str]] = {}
    for row in rows(table):
        texts: list[str] = []
        started: dict[int, tuple[int, str]] = {}
        for cell in cells(row):
            _fill(texts, below)
            if len(texts) >= _MOST_COLUMNS:
                break  # what is not shown must not stand in a thousand rows below
            text = inline.one_line(cell.children).replace("|", r"\|")
            height = _span(cell.get("rowspan"))
            if height > 1:
                started[len(texts)] = (height - 1, text)
            texts.append(text)
            texts.extend([""] * (min(_span(cell.get("colspan")), _MOST_COLUMNS) - 1))
        _fill(texts, below)
        below.update(started)
        grid.append(texts)
    return grid


def _fill(texts: list[str], below: dict[int, tuple[int, str]]) -> None:
    """Put in what reaches down from rows above, from the next column on."""
    while len(texts) in below and len(texts) < _MOST_COLUMNS:
        place = len(texts)
        left, text = below.pop(place)
        texts.append(text)
        if left > 1:
            below[place] = (left - 1, text)


def rows(table: Element) -> Iterator[Element]:
    """Yield a table's own rows."""
    for child in table.children:
        if isinstance(child, Element):
            if child.name == "tr":
                yield child
            elif child.name in ("thead", "tbody", "tfoot"):
                yield from rows(child)


def cells(row: Element) -> Iterator[Element]:
    """Yield a row's cells."""
    return (one for one in row.children if isinstance(one, Element) and one.name in ("td", "th"))


def _in_head(table: Element, row: Element) -> bool:
    return any(isinstance(one, Element) and one.name == "thead" and row in one.children for one in table.children)


def _span(text: str) -> int:
    return min(int(text), 1000) if text.isascii() and text.isdigit() and 0 < len(text) < 6 else 1
