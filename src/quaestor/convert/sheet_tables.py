"""The rows of a sheet as tables under headings that say where they stand. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from quaestor.convert.html_tree import Element

MOST_COLUMNS = 60
"""Columns of a table that Markdown shows (see ``convert/table.py``)."""
_PART_BYTES = 700
"""A part of a long table, with its head and heading, is one chunk: cut by itself it would lose its head."""


class Row(NamedTuple):
    """A row that holds something.

    Attributes:
        number: as the sheet counts, from 1.
        texts: its cells from the first column on, without blank ones at its end.
    """

    number: int
    texts: list[str]


def sheet_section(name: str, rows: Sequence[Row]) -> Element | None:
    """Return a sheet: its heading and its tables, a long one in parts; None if there are no rows.

    Rows without a blank one between them are one table. A part of a long table begins with the table's head and has a
    heading of its own that says which rows it holds.
    """
    if not rows:
        return None
    section = Element("div", {}, [Element("h2", {}, [name])])
    for block in _blocks(rows):
        section.children += _long_table(name, block) if len(list(_parts(block))) > 1 else _table(block)
    return section


def _blocks(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the rows that stand together, without columns that are blank in all of them at their left."""
    ends = [place for place, (one, after) in enumerate(pairwise(rows), start=1) if after.number > one.number + 1]
    for start, end in pairwise([0, *ends, len(rows)]):
        block = rows[start:end]
        left = min(next(place for place, text in enumerate(row.texts) if text) for row in block)
        yield [Row(row.number, row.texts[left:]) for row in block]


def _long_table(name: str, block: list[Row]) -> Iterator[Element]:
    head = block[:1] if _has_head(block) else []
    body = block[len(head) :]
    for part in _parts(body):
        yield Element("h3", {}, [f"{name}, rows {part[0].number}-{part[-1].number}"])
        yield from _table([*head, *part], headed=bool(head))


def _parts(block: list[Row]) -> Iterator[list[Row]]:
    """Yield rows together as far as their texts are short enough for one chunk."""
    part: list[Row] = []
    size = 0
    for row in block:
        length = sum(len(text.encode()) + 3 for text in row.texts)
        if part and size + length > _PART_BYTES:
            yield part
            part, size = [], 0
        part.append(row)
        size += length
    yield part


def _table(block: list[Row], *, headed: bool | None = None) -> Iterator[Element]:
    """Yield a table; what has one column is running text, such as a title or a remark."""
    width = max(len(row.texts) for row in block)
    if width == 1:
        yield from (Element("p", {}, [row.texts[0]]) for row in block)
        return
    headed = _has_head(block) if headed is None else headed
    lines: list[Element | str] = []
    for place, row in enumerate(block):
        kind = "th" if headed and not place else "td"
        texts = [*row.texts, *[""] * (width - len(row.texts))]
        lines.append(Element("tr", {}, [Element(kind, {}, [" ".join(text.split())]) for text in texts]))
    yield Element("table", {}, lines)


def _has_head(block: list[Row]) -> bool:
    """Return whether the first row names columns: words in each column, and other rows below."""
    first = block[0].texts
    width = max(len(row.texts) for row in block)
    return len(block) > 1 and len(first) == width and all(text and not text[0].isdigit() for text in first)
