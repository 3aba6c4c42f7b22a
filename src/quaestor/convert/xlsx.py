"""Excel workbooks as Markdown, one section for each sheet, by openpyxl. Runs in its own process."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import date, datetime, time
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

from openpyxl.reader.excel import ExcelReader
from openpyxl.utils import range_boundaries

from quaestor.convert.converted_document import ConversionError, ConvertedDocument
from quaestor.convert.html_to_markdown import render
from quaestor.convert.html_tree import Element
from quaestor.convert.zipped_documents import LARGEST_PART, Archive, Bounds, checked_archive, core_properties

MOST_COLUMNS = 60
"""Most columns of a table in Markdown (see ``convert/html_to_markdown.py``)."""
_PART_BYTES = 700
"""Bytes of a part of a long table: with head and heading it fits one chunk, which would else lose its head."""


class Row(NamedTuple):
    """A row that is not empty.

    Attributes:
        number: its number in the sheet, from 1.
        texts: its cells from the first column on, without trailing blank ones.
    """

    number: int
    texts: list[str]


def sheet_section(name: str, rows: Sequence[Row]) -> Element | None:
    """Return a sheet's heading and tables, long tables in parts, or None if it has no rows.

    Consecutive rows without a blank row are one table. A part of a long table begins with the table's head and has a
    heading with its row numbers.
    """
    if not rows:
        return None
    section = Element("div", {}, [Element("h2", {}, [name])])
    for block in _blocks(rows):
        section.children += _long_table(name, block) if len(list(_parts(block))) > 1 else _table(block)
    return section


def _blocks(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield blocks of consecutive rows, without leading columns that are blank in all of them."""
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
    """Yield groups of rows that fit into one chunk."""
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
    """Yield a table, or running text for a block of one column, such as a title or a remark."""
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
    """Return whether the first row is a head: it has words in each column, and other rows follow."""
    first = block[0].texts
    width = max(len(row.texts) for row in block)
    return len(block) > 1 and len(first) == width and all(text and not text[0].isdigit() for text in first)


MOST_CELLS = 500_000
"""Most filled cells that are read from a workbook; reading each takes some ten microseconds."""
MOST_LETTERS = 20_000_000
"""Most characters in them: all cells may share one long text."""
MOST_VISITED = 20_000_000
"""Most rows and cells up to the last filled one: a sheet may claim that this is row one billion."""
MOST_ELEMENTS = 20_000_000
MOST_SHEETS = 5_000
"""Most sheets; each takes openpyxl a millisecond, however small it is."""

_MOST_NOTES = 3
_SHEETS = "xl/worksheets/"
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>]")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s+ref=\"([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})\"")


class _MergedCells(NamedTuple):
    """Merged cells in one column, which show one value."""

    column: int
    last_row: int


def from_xlsx(data: bytes) -> ConvertedDocument:
    """Return a workbook as Markdown; each sheet is a section named after it, a long one in parts that name their rows.

    Cells show their values; a formula without a stored value shows itself. Charts and pictures are left out.

    Raises:
        ConversionError: it is damaged, encrypted or empty, or exceeds the limits when it is unpacked.
    """
    archive = checked_archive(data, "xlsx", Bounds(MOST_ELEMENTS, MOST_SHEETS, {"sheet"}, "sheets"))
    reader = _Reader(data, archive)
    try:
        with catch_warnings():
            simplefilter("ignore")  # unknown styles and extensions, which contain no text
            text = "".join(reader.sections())
    except ConversionError:
        raise
    except Exception as error:  # damage can raise any error of openpyxl
        raise ConversionError("unreadable", f"the file is damaged ({type(error).__name__})") from error
    if not text:
        raise ConversionError("unreadable", "its sheets hold nothing in their cells")
    properties = core_properties(archive)
    return ConvertedDocument(
        text,
        properties.get("title"),
        properties.get("creator"),
        properties.get("created", "")[:10] or None,
        "; ".join(reader.notes[:_MOST_NOTES]) or None,
        paged=True,
    )


class _Reader:
    """Reads the sheets of one workbook, up to a number of cells.

    Attributes:
        notes: remarks on content that was left out.
    """

    def __init__(self, data: bytes, archive: Archive) -> None:
        self._data = data
        self._archive = archive
        self._cells = self._letters = self._visited = 0
        self.notes: list[str] = []

    def sections(self) -> Iterator[str]:
        """Yield each sheet that is not empty as Markdown."""
        with closing(self._load(values=True)) as book:
            sheets = book.worksheets
            formulas = self._load(values=False).worksheets if self._has_formulas() else [None] * len(sheets)
            for sheet, formula in zip(sheets, formulas, strict=True):
                if self._is_full:
                    self.notes.append(f"not read: sheet {sheet.title!r} and those behind it")
                    break
                part = self._archive.read(sheet._worksheet_path.lstrip("/"), LARGEST_PART)
                rows = list(self._rows(sheet, formula, _merged_cells(part)))
                hidden = " (hidden)" if sheet.sheet_state != "visible" else ""
                if section := sheet_section(f"Sheet {sheet.title}{hidden}", rows):
                    yield render(section) + "\n"

    @property
    def _is_full(self) -> bool:
        return self._cells > MOST_CELLS or self._letters > MOST_LETTERS or self._visited > MOST_VISITED

    def _load(self, *, values: bool) -> Any:
        reader = _WorkbookReader(io.BytesIO(self._data), read_only=True, data_only=values, keep_links=False)
        reader.read()
        return reader.wb

    def _has_formulas(self) -> bool:
        parts = (name for name in self._archive.names if name.startswith(_SHEETS))
        return any(_FORMULA.search(self._archive.read(name, LARGEST_PART)) for name in parts)

    def _rows(self, sheet: Any, formulas: Any, merged: dict[int, list[_MergedCells]]) -> Iterator[Row]:
        """Yield the rows of a sheet that are not empty, with the values of merged cells that reach down into them."""
        sheet.reset_dimensions()  # a file may state a wrong size
        others = _without_bounds(formulas) if formulas is not None else ()
        reaching: dict[int, tuple[int, str]] = {}
        wide = 0
        for number, (cells, unworked) in enumerate(zip_longest(sheet.iter_rows(), others, fillvalue=()), start=1):
            self._visited += 1 + len(cells)
            if self._is_full:
                self.notes.append(f"not read: sheet {sheet.title!r} from row {number:,} on")
                break
            if not cells and not unworked:
                continue  # a sheet may have a million such rows
            texts = _texts(cells, unworked)
            wide = max(wide, len(texts))
            texts = texts[:MOST_COLUMNS]
            for column, last_row in merged.get(number, ()):
                reaching[column] = (last_row, texts[column] if column < len(texts) else "")
            filled = sum(map(bool, texts))
            if filled:
                texts = _fill_merged_cells(texts, number, reaching)
                self._cells += filled
                self._letters += sum(map(len, texts))
                if self._is_full:
                    self.notes.append(f"not read: sheet {sheet.title!r} from row {number:,} on")
                    break
                yield Row(number, texts)
        if wide > MOST_COLUMNS:
            self.notes.append(f"not read: sheet {sheet.title!r} right of column {MOST_COLUMNS:,}")


class _WorkbookReader(ExcelReader):  # type: ignore[misc] # openpyxl has no types
    """Opens a workbook, and refuses several sheets in one part, which no program writes."""

    def read_worksheets(self) -> None:
        parts = [relation.target for _, relation in self.parser.find_sheets()]
        if len(set(parts)) < len(parts):
            raise ConversionError("unreadable", "the file is damaged: two of its sheets are one part")
        super().read_worksheets()


def _without_bounds(sheet: Any) -> Iterator[Any]:
    sheet.reset_dimensions()
    return sheet.iter_rows()  # type: ignore[no-any-return]


def _texts(cells: Any, formulas: Any) -> list[str]:
    """Return the texts of a row without trailing blank ones; a formula without a value is returned as its source."""
    texts = [_text(cell) for cell in cells]
    for place, cell in enumerate(formulas):
        if cell.value is not None and place < len(texts) and not texts[place]:
            texts[place] = str(getattr(cell.value, "text", cell.value))
    while texts and not texts[-1]:
        texts.pop()
    return texts


def _text(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return f"{value * 100:.15g}%" if "%" in cell.number_format else f"{value:.15g}"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds")
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _merged_cells(part: bytes) -> dict[int, list[_MergedCells]]:
    """Return the merged cells of a sheet that reach below their first row, by that row."""
    merged: dict[int, list[_MergedCells]] = {}
    for match in _MERGED.finditer(part):
        left, top, _, bottom = range_boundaries(match[1].decode())
        if bottom > top and left <= MOST_COLUMNS:
            merged.setdefault(top, []).append(_MergedCells(left - 1, bottom))
    return merged


def _fill_merged_cells(texts: list[str], number: int, merged: dict[int, tuple[int, str]]) -> list[str]:
    """Fill blank cells with the values of merged cells above that reach down into them."""
    for column, (last_row, text) in list(merged.items()):
        if number > last_row:
            del merged[column]
        elif text and not "".join(texts[column : column + 1]):
            texts += [""] * (column + 1 - len(texts))
            texts[column] = text
    return texts
