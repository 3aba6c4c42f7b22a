"""Workbooks and presentations, made by the libraries that people's programs use: what is read, cited, and refused."""

from __future__ import annotations

import io
import re
import zipfile
from contextlib import closing
from datetime import date, datetime
from pathlib import Path

import made_documents as made
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ingest_parts import make_indexer, open_store, write
from openpyxl import Workbook
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from quaestor import Index
from quaestor.convert import ConversionError, ConvertedDocument, convert_file
from quaestor.convert.xlsx import Row, sheet_section
from quaestor.core.settings import Settings


def bytes_of(document: object) -> bytes:
    out = io.BytesIO()
    document.save(out)  # type: ignore[attr-defined]
    return out.getvalue()


def text_of(data: bytes, path: str) -> ConvertedDocument:
    found = convert_file(data, path)
    assert found is not None
    return found


def reason_of(data: bytes, path: str) -> str:
    with pytest.raises(ConversionError) as caught:
        convert_file(data, path)
    return f"{caught.value.reason}: {caught.value.detail}"


def price_list() -> Workbook:
    book = Workbook()
    sheet = book.active
    sheet.title = "Prices"
    sheet["B1"] = "Price list"
    for row in (
        [],
        [None, "Item", "Price", "Since", "Share"],
        [None, "Bolt", 0.1 + 0.2, date(2024, 3, 1), 0.125],
        [None, "Nut | <b>", True, datetime(2024, 3, 1, 5), "=SUM(C4:C4)"],
        [None, None, 5],
    ):
        sheet.append(row)
    sheet["E4"].number_format = "0.0%"
    sheet.merge_cells("B5:B6")
    book.properties.title, book.properties.creator = "What things cost", "Ann Lee"
    book.properties.created = datetime(2024, 3, 2)
    return book


def test_a_sheet_is_a_section_with_its_values_formulas_and_merged_cells() -> None:
    found = text_of(bytes_of(price_list()), "a.xlsx")
    assert found.text == (
        "## Sheet Prices\n\nPrice list\n\n"
        "| Item | Price | Since | Share |\n| --- | --- | --- | --- |\n"
        "| Bolt | 0.3 | 2024-03-01 | 12.5% |\n"
        "| Nut \\| \\<b> | TRUE | 2024-03-01 05:00:00 | =SUM(C4:C4) |\n"
        "| Nut \\| \\<b> | 5 |  |  |\n\n"
    )
    assert (found.title, found.author, found.date, found.note) == ("What things cost", "Ann Lee", "2024-03-02", None)


def test_a_long_sheet_has_parts_with_its_head_and_a_hidden_one_says_so() -> None:
    book = Workbook()
    book.active.title = "Log"
    book.active.sheet_state = "hidden"
    book.create_sheet("Empty")
    book.active.append(["id", "text"])
    for number in range(100):
        book.active.append([number, f"entry {number}"])
    parts = text_of(bytes_of(book), "a.xlsx").text.split("### ")
    assert parts[0] == "## Sheet Log (hidden)\n\n"
    assert len(parts) > 2
    assert all(part.startswith("Sheet Log (hidden), rows ") and "| id | text |\n" in part for part in parts[1:])
    assert "rows 2-" in parts[1]
    assert "-101\n" in parts[-1]


def test_a_million_rows_with_nothing_in_them_cost_nothing() -> None:
    book = Workbook()
    book.active["A1"] = "first"
    book.active["A1048576"] = "last"
    book.active["ZZ3"] = "far right"
    found = text_of(bytes_of(book), "a.xlsx")
    assert found.text == "## Sheet Sheet\n\nfirst\n\nlast\n\n"
    assert found.note == "not read: sheet 'Sheet' right of column 60"


def test_what_is_past_the_bound_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from quaestor.convert import xlsx  # noqa: PLC0415 - its library is heavy

    monkeypatch.setattr(xlsx, "MOST_CELLS", 20)
    book = Workbook()
    for number in range(30):
        book.active.append([number, "x"])
    found = xlsx.from_xlsx(bytes_of(book))
    assert found.note == "not read: sheet 'Sheet' from row 11 on"
    assert found.text.count("| x |") == 10


@pytest.mark.parametrize(
    ("bound", "limit", "rows"),
    [("MOST_CELLS", 20, 21), ("MOST_LETTERS", 100, 11), ("MOST_VISITED", 40, 21)],
)
def test_nothing_is_read_behind_a_bound(monkeypatch: pytest.MonkeyPatch, bound: str, limit: int, rows: int) -> None:
    from quaestor.convert import xlsx  # noqa: PLC0415 - its library is heavy

    monkeypatch.setattr(xlsx, bound, limit)
    book = Workbook()
    for _ in range(30):
        book.active.append(["ten letter"])
    book.active["A1000000"] = "the last row"
    book.create_sheet("Second")["A1"] = "behind"
    found = xlsx.from_xlsx(bytes_of(book))
    assert found.text.count("ten letter") == rows - 1
    assert "behind" not in found.text
    assert found.note == f"not read: sheet 'Sheet' from row {rows} on; not read: sheet 'Second' and those behind it"


def deck() -> object:
    show = Presentation()
    first = show.slides.add_slide(show.slide_layouts[1])
    first.shapes.title.text = "Why\nretries"
    frame = first.placeholders[1].text_frame
    frame.text = "One"
    for text, level in (("Two", 1), ("# Three", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    first.notes_slide.notes_text_frame.text = "Say it slowly"
    second = show.slides.add_slide(show.slide_layouts[5])
    second.shapes.title.text = "Numbers"
    place = [Inches(1)] * 4
    table = second.shapes.add_table(2, 2, *place).table
    for row, texts in enumerate((("Region", "Sales"), ("North", "12"))):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("Visitors", (1, None))
    second.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data)
    third = show.slides.add_slide(show.slide_layouts[6])
    third.element.set("show", "0")
    box = third.shapes.add_group_shape().shapes.add_textbox(*place)
    box.text_frame.text = "## Slide 9: forged"
    show.slides.add_slide(show.slide_layouts[6])
    return show


def test_a_slide_is_a_section_with_its_outline_table_chart_and_notes() -> None:
    assert text_of(bytes_of(deck()), "a.pptx").text == (
        "## Slide 1: Why retries\n\n- One\n  - Two\n- \\# Three\n\n**Notes**\n\nSay it slowly\n\n"
        "## Slide 2: Numbers\n\n| Region | Sales |\n| --- | --- |\n| North | 12 |\n\n"
        "|  | Visitors |\n| --- | --- |\n| Q1 | 1 |\n| Q2 |  |\n\n"
        "## Slide 3 (hidden)\n\n\\## Slide 9: forged\n"
    )


@pytest.mark.parametrize("suffix", ["xlsx", "pptx"])
def test_files_that_cannot_be_read(suffix: str) -> None:
    whole = bytes_of(price_list() if suffix == "xlsx" else deck())
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and so on"
    assert reason_of(old, f"a.{suffix}").endswith(f"save it as .{suffix} without a password")
    assert (
        reason_of(whole[: len(whole) // 2], f"a.{suffix}") == "unreadable: the file is damaged: it is not a zip archive"
    )
    assert reason_of(made.archive({"a": "b"}), f"a.{suffix}").startswith("unreadable: the file is damaged (")
    assert reason_of(bytes_of(Workbook() if suffix == "xlsx" else Presentation()), f"a.{suffix}").startswith(
        "unreadable: its "
    )


def cited_places(root: Path, home: Path, question: str) -> list[str]:
    with Index.build(root, settings=Settings(home=str(home))) as index:
        return [f"{hit.path} {hit.symbol}" for hit in index.search(question)]


@pytest.mark.parametrize(
    ("question", "place"),
    [("what does a bolt cost", "a.xlsx Sheet Prices"), ("sales in the north", "b.pptx Slide 2: Numbers")],
)
def test_a_hit_says_the_sheet_and_the_slide(tmp_path: Path, question: str, place: str) -> None:
    book = price_list()
    book.create_sheet("Other").append(["Nothing", "of this"])
    write(tmp_path / "root", {"a.xlsx": bytes_of(book), "b.pptx": bytes_of(deck())})
    assert cited_places(tmp_path / "root", tmp_path / "home", question)[0] == place


def test_one_bad_file_costs_only_itself(tmp_path: Path) -> None:
    write(tmp_path / "root", {"a.xlsx": bytes_of(price_list()), "b.xlsx": b"PK\3\4 broken", "c.pptx": b""})
    with closing(open_store(tmp_path / "index")) as store:
        changes = make_indexer(tmp_path / "root", store).refresh()
    assert changes.added == ("a.xlsx",)
    assert {one.path: one.reason for one in changes.skipped} == {"b.xlsx": "unreadable", "c.pptx": "unreadable"}


cells = st.lists(st.sampled_from(["", "a", "Item", "12", "é" * 200]), min_size=1, max_size=5)
sheets = st.lists(st.tuples(st.integers(1, 3), cells), max_size=40)


@given(sheets)
@settings(max_examples=50)
def test_every_cell_is_in_the_section(steps: list[tuple[int, list[str]]]) -> None:
    rows, number = [], 0
    for step, texts in steps:
        number += step
        while texts and not texts[-1]:
            texts = texts[:-1]
        if texts:
            rows.append(Row(number, texts))
    section = sheet_section("Sheet S", rows)
    assert (section is None) == (not rows)
    shown = [] if section is None else [one.text() for one in section.elements() if one.name in ("td", "th", "p")]
    for text in ("a", "12"):  # the head of a long table stands in each of its parts
        assert shown.count(text) >= sum(row.texts.count(text) for row in rows)


def of_one_part(sheets: int) -> bytes:
    """Return a workbook of which every sheet is the same part."""
    with zipfile.ZipFile(io.BytesIO(bytes_of(price_list()))) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    begin, _, rest = parts["xl/workbook.xml"].partition(b"<sheet ")
    sheet, _, end = rest.partition(b"/>")
    listed = b"".join(
        b"<sheet "
        + re.sub(rb'name="[^"]*"', b'name="S%d"' % number, re.sub(rb'sheetId="\d+"', b'sheetId="%d"' % number, sheet))
        + b"/>"
        for number in range(1, sheets + 1)
    )
    return made.archive({**parts, "xl/workbook.xml": begin + listed + end})


def test_a_workbook_whose_sheets_are_all_one_part_is_refused() -> None:
    assert reason_of(of_one_part(2), "a.xlsx") == "unreadable: the file is damaged: two of its sheets are one part"


def test_a_workbook_of_very_many_sheets_is_refused() -> None:
    assert reason_of(of_one_part(20_000), "a.xlsx") == "too large: more than 5,000 sheets; split it"
