"""Tables on a PDF page as Markdown, found by the lines drawn around cells or by words aligned in columns.

Pure. Anything that is not clearly a table is left unchanged: prose in two columns, lists, contents with dots, formulas.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile, zip_longest
from statistics import median

from quaestor.convert.pdf_pieces import Piece, Pieces, Stroke

ROW = "| "
"""The beginning of a table's row."""
_NEAR = 3.0
"""In points: positions this near are the same."""
_FEWEST_ROWS = 3
_MOST_COLUMNS = 30
_MOST_PIECES = 20_000
_LONGEST_CELL = 1_000
_DRAWN = 0.4
"""Share of a table's height or width: shorter lines separate no columns or rows, and belong to a picture."""
_FILLED = 1 / 3
_ACROSS = 0.08
"""Share of the words: if more of them cross a drawn line, it belongs to a picture and not to a cell."""
_WORDS = 4
"""Words of the median cell of two columns: more are prose beside prose."""
_SHORT = 3
"""Most words of a line that is a cell by itself, not part of a sentence."""
_GUTTER = 0.9
"""In letter sizes: words further apart are two cells."""
_APART = 2.6
"""In letter sizes: a line further below is no longer part of the table."""
_BELOW = 1.4
"""In letter sizes: a line nearer below continues the row above."""
_ABOVE = 0.7
"""In letter sizes: lines nearer than this are parts of a formula."""
_MARKER = re.compile(r"[^\w\s]|o|\(?(\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.):]")
_LEADER = re.compile(r"(\.\s?){4}")


@dataclass(frozen=True, slots=True)
class _Cell:
    """Words that stand together on one line.

    Attributes:
        x: their left edge.
        right: their right edge, estimated.
        text: the words.
        pieces: the numbers of their pieces.
    """

    x: float
    right: float
    text: str
    pieces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a page, with the size of its letters."""

    y: float
    size: float
    cells: tuple[_Cell, ...]


@dataclass(frozen=True, slots=True)
class _Table:
    """Rows of texts, and the numbers of their pieces."""

    rows: tuple[tuple[str, ...], ...]
    pieces: frozenset[int]


def with_tables(page: Pieces) -> str:
    """Return a page's text with its tables as Markdown, each in the place of its first word."""
    texts = page.texts
    if len(texts) > _MOST_PIECES:
        return "".join(piece.text for piece in texts)
    placed = {number: piece for number, piece in enumerate(texts) if piece.size and piece.text.strip()}
    tables = list(_tables_with_lines(placed, page.strokes))
    inside = frozenset[int]().union(*(table.pieces for table in tables))
    tables += _tables_without_lines({number: piece for number, piece in placed.items() if number not in inside})
    return _put_in(texts, tables)


def _put_in(texts: Sequence[Piece], tables: Sequence[_Table]) -> str:
    """Return the pieces as one text, with each table in place of its pieces."""
    begins = {min(table.pieces): table for table in tables}
    inside = frozenset[int]().union(*(table.pieces for table in tables))
    text = ""
    for number, piece in enumerate(texts):
        if number in begins:
            text = f"{text.rstrip()}\n\n{_markdown(begins[number].rows)}\n\n".lstrip("\n")
        elif number in inside:
            text += "" if text.endswith("\n") else "\n"
        else:
            text += piece.text.lstrip(" \n") if text.endswith("|\n\n") else piece.text
    return text


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as Markdown; words above all columns become a line above the table."""
    titles = list(takewhile(lambda row: len(row) > 2 and sum(map(bool, row)) == 1, rows[:-2]))
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows[len(titles) :]]
    above = [f"{''.join(row)}\n" for row in titles]
    return "\n".join([*above, lines[0], f"|{' --- |' * len(rows[0])}", *lines[1:]])


# ----- by drawn lines


def _tables_with_lines(placed: dict[int, Piece], strokes: Sequence[Stroke]) -> Iterator[_Table]:
    """Yield the tables whose cells have lines around them."""
    edges = {edge for stroke in strokes for edge in _edges(stroke)}
    for group in _group_touching(edges):
        columns = _drawn_along([edge for edge in group if edge.right - edge.x <= _NEAR])
        level = [edge for edge in group if edge.right - edge.x > _NEAR and _ends_at(edge, columns)]
        rows = _drawn_along([Stroke(edge.y, edge.x, edge.top, edge.right) for edge in level])
        columns = _with_ends(columns, level)
        if 3 <= len(columns) <= _MOST_COLUMNS + 1 and len(rows) >= 3:
            for table in _in_grid(placed, columns, rows):
                yield table
                placed = {number: piece for number, piece in placed.items() if number not in table.pieces}


def _drawn_along(edges: Sequence[Stroke]) -> list[float]:
    """Return the horizontal positions of upright edges that extend along much of the whole grid."""
    stretches: list[tuple[float, float]] = []
    for edge in sorted(edges):
        if stretches and edge.x - stretches[-1][0] <= _NEAR:
            stretches[-1] = (stretches[-1][0], stretches[-1][1] + edge.top - edge.y)
        else:
            stretches.append((edge.x, edge.top - edge.y))
    whole = max((edge.top for edge in edges), default=0.0) - min((edge.y for edge in edges), default=0.0)
    return [place for place, length in stretches if length >= _DRAWN * whole]


def _ends_at(edge: Stroke, columns: Sequence[float]) -> bool:
    """Return whether a horizontal line goes from column to column, or beyond all, unlike an underline."""
    return bool(columns) and all(
        not columns[0] <= end <= columns[-1] or min(abs(end - column) for column in columns) <= _NEAR
        for end in (edge.x, edge.right)
    )


def _with_ends(columns: Sequence[float], level: Sequence[Stroke]) -> list[float]:
    """Return columns, with the ends of the lines between rows if nothing is drawn at a table's sides."""
    left, right = min((edge.x for edge in level), default=0.0), max((edge.right for edge in level), default=0.0)
    first = [left] if columns and left < columns[0] - _NEAR else []
    return [*first, *columns, *([right] if columns and right > columns[-1] + _NEAR else [])]


def _edges(stroke: Stroke) -> Iterator[Stroke]:
    """Yield a line, or the four edges of a box."""
    x, y, right, top = stroke
    if right - x > _NEAR and top - y > _NEAR:
        yield from (
            Stroke(x, y, right, y),
            Stroke(x, top, right, top),
            Stroke(x, y, x, top),
            Stroke(right, y, right, top),
        )
    elif max(right - x, top - y) > _NEAR:
        yield stroke


def _group_touching(edges: Iterable[Stroke]) -> list[list[Stroke]]:
    """Group edges whose bounding boxes touch; they are sorted from the top, so that few are compared."""
    done: list[list[Stroke]] = []
    active: list[tuple[Stroke, list[Stroke]]] = []
    for edge in sorted(edges, key=lambda one: -one.top):
        box, touching = edge, [edge]
        separate = []
        for other, members in active:
            if _overlap(box, other):
                box, touching = _around(box, other), touching + members
            elif edge.top < other.y - _NEAR:
                done.append(members)
            else:
                separate.append((other, members))
        active = [*separate, (box, touching)]
    return done + [members for _, members in active]


def _overlap(one: Stroke, other: Stroke) -> bool:
    across = one.x - _NEAR <= other.right and other.x - _NEAR <= one.right
    return across and one.y - _NEAR <= other.top and other.y - _NEAR <= one.top


def _around(one: Stroke, other: Stroke) -> Stroke:
    low, high = (min(one.x, other.x), min(one.y, other.y)), (max(one.right, other.right), max(one.top, other.top))
    return Stroke(*low, *high)


def _in_grid(placed: dict[int, Piece], columns: Sequence[float], rows: Sequence[float]) -> Iterator[_Table]:
    """Yield the table in a grid if its content is a table."""
    numbers_by_cell: dict[tuple[int, int], list[int]] = {}
    for number, piece in placed.items():
        column, row = bisect_right(columns, piece.x + 1), bisect_right(rows, piece.y + piece.size / 4)
        if 0 < column < len(columns) and 0 < row < len(rows):
            numbers_by_cell.setdefault((len(rows) - row, column), []).append(number)
    inside = {number: placed[number] for one in numbers_by_cell.values() for number in one}
    if _share_across(inside, columns) > _ACROSS:
        return
    used_columns, used_rows = (
        sorted({column for _, column in numbers_by_cell}),
        sorted({row for row, _ in numbers_by_cell}),
    )
    cells = [
        [_lines_of(numbers_by_cell.get((row, column), ()), placed) for column in used_columns] for row in used_rows
    ]
    texts = [row for one in cells for row in _rows_of_cells(one)]
    filled = sum(bool(text) for row in texts for text in row)
    full = sum(sum(map(bool, row)) > 1 for row in texts)
    short = all(len(text) <= _LONGEST_CELL for row in texts for text in row)
    enough = filled >= _FILLED * len(texts) * len(used_columns) and not _is_wordless(texts)
    if len(used_columns) > 1 and full > 1 and short and enough:
        yield _Table(tuple(map(tuple, texts)), frozenset(inside))


def _share_across(placed: dict[int, Piece], columns: Sequence[float]) -> float:
    """Return the share of words that cross a line between columns; a word may have many pieces."""
    across = words = 0
    for line in _lines(placed):
        pieces = sorted((placed[number] for cell in line.cells for number in cell.pieces), key=lambda one: one.x)
        for piece, after in zip_longest(pieces, pieces[1:]):
            end = columns[bisect_right(columns, piece.x + 1)]
            goes_on = after is not None and after.x - piece.right < piece.size / 6
            across += piece.right > end + 2 * piece.size or (goes_on and after.x + 1 >= end)
            words += not goes_on
    return across / max(1, words)


def _lines_of(numbers: Sequence[int], placed: dict[int, Piece]) -> list[str]:
    """Return a cell's text, line by line."""
    lines = _lines({number: placed[number] for number in numbers})
    return [" ".join(cell.text for cell in line.cells) for line in lines]


def _rows_of_cells(cells: Sequence[list[str]]) -> list[list[str]]:
    """Return the row of cells, or several rows if all cells have the same number of lines."""
    counts = {len(lines) for lines in cells if lines}
    short = all(len(line.split()) <= _SHORT for lines in cells for line in lines)
    if len(counts) == 1 and max(counts) > 1 and (short or sum(map(bool, cells)) > 2):
        return [[lines[number] if lines else "" for lines in cells] for number in range(max(counts))]
    return [[" ".join(lines) for lines in cells]]


# ----- by aligned words


def _tables_without_lines(placed: dict[int, Piece]) -> Iterator[_Table]:
    """Yield the tables without drawn lines."""
    for run in _runs([_without_markers(line) for line in _lines(placed)]):
        if not any(_LEADER.search(cell.text) for line in run for cell in line.cells):
            yield from _in_columns(run)


def _lines(placed: dict[int, Piece]) -> list[_Line]:
    """Return the lines of a page from the top."""
    groups: list[list[int]] = []
    for number in sorted(placed, key=lambda one: -placed[one].y):
        first = placed[groups[-1][0]] if groups else None
        if first and first.y - placed[number].y <= 0.4 * max(first.size, placed[number].size):
            groups[-1].append(number)
        else:
            groups.append([number])
    return [_line([(one, placed[one]) for one in sorted(group, key=lambda one: placed[one].x)]) for group in groups]


def _line(pieces: Sequence[tuple[int, Piece]]) -> _Line:
    size = max(piece.size for _, piece in pieces)
    groups = [[pieces[0]]]
    for before, after in pairwise(pieces):
        if after[1].x - before[1].right > _GUTTER * size:
            groups.append([after])
        else:
            groups[-1].append(after)
    cells = (
        _Cell(
            group[0][1].x,
            max(piece.right for _, piece in group),
            " ".join("".join(piece.text for _, piece in group).split()),
            tuple(number for number, _ in group),
        )
        for group in groups
    )
    return _Line(pieces[0][1].y, size, tuple(cells))


def _without_markers(line: _Line) -> _Line:
    """Return a line in which a leading list marker is joined to the next cell."""
    if len(line.cells) > 1 and _MARKER.fullmatch(line.cells[0].text):
        first, second, *rest = line.cells
        whole = _Cell(first.x, second.right, f"{first.text} {second.text}", first.pieces + second.pieces)
        return _Line(line.y, line.size, (whole, *rest))
    return line


def _runs(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Yield runs of lines that may be a table: near each other, each with several cells or continuing a row."""
    run: list[_Line] = []
    for line in lines:
        gap = (run[-1].y - line.y) / max(line.size, 1) if run else 0.0
        several = len(line.cells) > 1
        if run and (not _ABOVE <= gap <= _APART or not (several or gap <= _BELOW)):
            yield run
            run = []
        if several or run:
            run.append(line)
    if run:
        yield run


def _in_columns(run: Sequence[_Line]) -> Iterator[_Table]:
    """Yield the tables in a run of lines whose cells are aligned in columns."""
    while run and len(run[-1].cells) == 1:
        run = run[:-1]
    counts = Counter(len(line.cells) for line in run if len(line.cells) > 1)
    if sum(counts.values()) < _FEWEST_ROWS:
        return
    usual = max(counts, key=lambda count: (counts[count], count))
    columns = _spans([cell for line in run if len(line.cells) == usual for cell in line.cells])
    if counts[usual] < _FEWEST_ROWS or len(columns) != usual or usual > _MOST_COLUMNS:
        return
    for part in _runs_in_columns(run, columns):
        rows = _rows(part, columns)
        if len(rows) >= _FEWEST_ROWS and _is_table(rows) and _is_by_rows(part):
            numbers = frozenset(number for line in part for cell in line.cells for number in cell.pieces)
            yield _Table(tuple(map(tuple, rows)), numbers)


def _is_wordless(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether rows contain hardly any words, as in a picture or a formula."""
    return sum(max(map(len, row)) for row in rows) < 3 * len(rows)


def _is_numbered(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether rows are numbered lines, as of a program."""
    first = [row[0] for row in rows]
    numbers = [int(text) for text in first if text.isdecimal()]
    return len(rows[0]) == 2 and len(numbers) == len(first) and all(b - a == 1 for a, b in pairwise(numbers))


def _is_by_rows(lines: Sequence[_Line]) -> bool:
    """Return whether lines were written one after the other, unlike columns of prose."""
    ends = [[number for cell in line.cells for number in cell.pieces] for line in lines]
    return all(max(above) < min(below) for above, below in pairwise(ends))


def _spans(cells: Sequence[_Cell]) -> list[tuple[float, float]]:
    """Return the horizontal ranges that cells occupy."""
    spans: list[tuple[float, float]] = []
    for cell in sorted(cells, key=lambda one: one.x):
        if spans and cell.x <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], cell.right))
        else:
            spans.append((cell.x, cell.right))
    return spans


def _runs_in_columns(run: Sequence[_Line], columns: Sequence[tuple[float, float]]) -> Iterator[list[_Line]]:
    """Yield runs of lines in which each cell has a column of its own."""
    part: list[_Line] = []
    for line in run:
        filled = [_column(cell, columns) for cell in line.cells]
        if None not in filled and len(set(filled)) == len(filled):
            if part or len(filled) > 1:
                part.append(line)
        elif part:
            yield part
            part = []
    if part:
        yield part


def _column(cell: _Cell, columns: Sequence[tuple[float, float]]) -> int | None:
    over = [number for number, (left, right) in enumerate(columns) if cell.x < right and left < cell.right]
    return over[0] if len(over) == 1 else None


def _rows(lines: Sequence[_Line], columns: Sequence[tuple[float, float]]) -> list[list[str]]:
    """Return rows of texts; a line near the one above, without a first cell, continues its row."""
    rows: list[list[str]] = []
    above = None
    for line in lines:
        texts = [""] * len(columns)
        for cell in line.cells:
            texts[_column(cell, columns) or 0] = cell.text
        goes_on = above is not None and (above.y - line.y) <= _BELOW * line.size
        if goes_on and (not texts[0] or len(line.cells) == 1):
            rows[-1] = [" ".join(filter(None, pair)) for pair in zip(rows[-1], texts, strict=True)]
        else:
            rows.append(texts)
        above = line
    return rows


def _is_table(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether rows hold data: most cells are filled, and at most one column is prose."""
    filled = [[len(cell.split()) for cell in column if cell] for column in zip(*rows, strict=True)]
    if not all(2 * len(column) >= len(rows) for column in filled) or _is_numbered(rows) or _is_wordless(rows):
        return False
    return sum(median(column) > _WORDS for column in filled) < min(2, len(filled))
