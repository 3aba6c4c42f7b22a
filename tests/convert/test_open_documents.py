"""OpenDocument: what is read of texts, sheets and slides, and what is refused."""

from __future__ import annotations

from pathlib import Path

import made_documents as made
import pytest

from quaestor import Index
from quaestor.convert import ConversionError, ConvertedDocument, convert_file
from quaestor.convert.odf import _MOST_REPEATED, MOST_CELLS, MOST_COLUMNS, from_odf

META = (
    "<dc:title>Ferry  times</dc:title><meta:initial-creator>Ann Lee</meta:initial-creator><dc:creator>Bo</dc:creator>"
    "<meta:creation-date>2024-03-02T10:11:12</meta:creation-date>"
)
STYLES = '<style:style style:name="P1" style:parent-style-name="Title"/>'
TEXT = (
    "<text:table-of-content><text:p>Contents</text:p></text:table-of-content>"
    '<text:p text:style-name="P1">Ferry</text:p><text:h text:outline-level="2">Fares<text:note>'
    "<text:note-citation>1</text:note-citation><text:note-body><text:p>In"
    " euros</text:p></text:note-body></text:note></text:h><text:p>Adults<text:s/>pay <text:span>nine</text:span>"
    '<text:tab/><text:a xlink:href="http://a" xmlns:xlink="http://www.w3.org/1999/xlink">here</text:a>.</text:p>'
    "<text:list><text:list-item><text:p>One</text:p><text:list><text:list-item><text:p>Two</text:p></text:list-item>"
    "</text:list></text:list-item></text:list><table:table><table:table-header-rows><table:table-row><table:table-cell>"
    "<text:p>Day</text:p></table:table-cell><table:table-cell><text:p>Fare</text:p></table:table-cell></table:table-row>"
    "</table:table-header-rows><table:table-row><table:table-cell><text:p>Monday</text:p></table:table-cell>"
    "<table:table-cell><text:p>9</text:p></table:table-cell></table:table-row></table:table>"
)


def cells(*texts: str) -> str:
    inner = "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in texts)
    return f"<table:table-row>{inner}</table:table-row>"


def read(data: bytes, path: str = "a.odt") -> ConvertedDocument:
    found = convert_file(data, path)
    assert found is not None
    return found


def test_a_text() -> None:
    found = read(made.odf(TEXT, styles=STYLES, meta=META))
    assert found == ConvertedDocument(
        "# Ferry\n\n## Fares (In euros)\n\nAdults pay nine [here](http://a).\n\n- One\n  - Two\n\n"
        "| Day | Fare |\n| --- | --- |\n| Monday | 9 |\n",
        "Ferry times",
        "Ann Lee",
        "2024-03-02",
    )


def test_sheets_long_ones_in_parts() -> None:
    rows = "".join(cells(f"bolt {number}", str(number)) for number in range(30))
    sheet = f'<table:table table:name="Prices">{cells("Item", "Price")}{rows}</table:table><table:table/>'
    found = read(made.odf(sheet, "spreadsheet"), "a.ods")
    assert found.paged
    assert found.text.startswith("## Sheet Prices\n\n### Sheet Prices, rows 2-21\n\n| Item | Price |\n")
    assert "### Sheet Prices, rows 22-31\n\n| Item | Price |\n| --- | --- |\n| bolt 20 | 20 |" in found.text


def test_slides_with_their_titles_and_notes() -> None:
    slide = (
        '<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Why</text:p></draw:text-box>'
        "</draw:frame><draw:frame><draw:text-box><text:p>Because</text:p></draw:text-box></draw:frame>"
        "<presentation:notes><text:p>Say it</text:p></presentation:notes></draw:page><draw:page/>"
    )
    found = read(made.odf(slide, "presentation"), "a.odp")
    assert (found.text, found.paged) == ("## Slide 1: Why\n\nBecause\n\n**Notes**\n\nSay it\n", True)


def test_what_is_repeated_is_bounded() -> None:
    many = 'table:number-columns-repeated="9999999" table:number-rows-repeated="1048576"'
    row = f"<table:table-row {many}><table:table-cell {many}><text:p>a</text:p></table:table-cell></table:table-row>"
    blank = '<table:table-row table:number-rows-repeated="1048576"><table:table-cell/></table:table-row>'
    one = from_odf(made.odf(f"<table:table>{row}{blank}</table:table>", "spreadsheet"))
    assert one.text.count(" a ") == MOST_COLUMNS * (_MOST_REPEATED + (_MOST_REPEATED - 2) // 20)
    full = from_odf(made.odf(f"<table:table>{row * 200}</table:table>", "spreadsheet"))
    assert full.note == f"not read: cells beyond the first {MOST_CELLS:,}"
    long = row.replace(">a<", f">{'long ' * 9}<")
    assert from_odf(made.odf(f"<table:table>{long}</table:table>", "spreadsheet")).text.count("long") == 9


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (made.odf(""), "it holds no text"),
        (made.archive({"a": "b"}), "it has no part 'content.xml'"),
        (made.archive({"content.xml": "<a>"}), "'content.xml' is not XML"),
        (made.archive({"content.xml": "<a/>"}), "it has no body"),
        (made.odf("<text:p>a</text:p>").replace(b"PK", b"XX"), "it is not a zip archive"),
        (made.archive({"content.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}), "entities of its own"),
        (made.odf("<text:p>a</text:p>" * 200_001), "more than 200,000 paragraphs"),
    ],
)
def test_what_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ConversionError, match=reason):
        convert_file(data, "a.odt")


def test_depth_is_survived() -> None:
    deep = "<text:section>" * 3_000 + "<text:p>a</text:p>" + "</text:section>" * 3_000
    spans = "<text:p>" + "<text:span>b" * 3_000 + "</text:span>" * 3_000 + "</text:p>"
    assert read(made.odf(deep)).text == "a\n"
    assert read(made.odf(spans)).text.startswith("bb")


def test_a_text_is_found_and_cited(tmp_path: Path) -> None:
    (tmp_path / "ferry.odt").write_bytes(made.odf(TEXT, styles=STYLES, meta=META))
    with Index.build(tmp_path) as index:
        [hit] = index.search("what do adults pay?")
        assert (hit.path, hit.document.title, hit.document.author) == ("ferry.odt", "Ferry times", "Ann Lee")
        assert hit.symbol == "Ferry > Fares (In euros)"
