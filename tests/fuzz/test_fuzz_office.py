"""Documents that are archives of XML, and PDF: whatever is in them, they are read or refused by one error."""

from __future__ import annotations

from collections.abc import Callable
from zipfile import ZIP_STORED

from convert import made_documents as made
from fuzz.parser_properties import fuzzed
from quaestor.convert import ConversionError
from quaestor.convert.converted_document import ConvertedDocument
from quaestor.convert.docx import from_docx
from quaestor.convert.epub import from_epub
from quaestor.convert.mail import from_mail, from_mbox, reads_as_mail
from quaestor.convert.odf import from_odf
from quaestor.convert.pdf import from_pdf
from quaestor.convert.pptx import from_pptx
from quaestor.convert.rtf import from_rtf
from quaestor.convert.xlsx import from_xlsx

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_SLIDE = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p='
    '"http://schemas.openxmlformats.org/presentationml/2006/main"'
)
WORD = [
    *("<w:p>", "</w:p>", "<w:r>", "</w:r>", "<w:t>", "</w:t>", "<w:tbl>", "</w:tbl>", "<w:tr>", "</w:tr>", "<w:tc>"),
    *("</w:tc>", "<w:tab/>", "<w:br/>", '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>', "<w:b/>", "<w:hyperlink>"),
    *('<w:gridSpan w:val="9999"/>', '<w:vMerge w:val="restart"/>', '<w:footnoteReference w:id="x"/>', "&#0;", "&a;"),
    *("<w:sdt>", '<w:fldChar w:fldCharType="begin"/>', "<w:instrText>HYPERLINK", "<!--", "]]>", "<?x", "<w:"),
]
SHEET = [
    *("<row>", "</row>", "<c>", "</c>", "<v>", "</v>", '<c r="A1">', '<c r="XFD1048576">', '<c r="1">', '<row r="9">'),
    *('<row r="99999999999">', '<c t="s">', '<c t="b">', '<c t="d">', '<c t="e">', '<c t="inlineStr"><is><t>'),
    *("</t></is>", "<f>A1</f>", '<mergeCell ref="A1:B9999999"/>', "<mergeCells>", '<dimension ref="A1:Z9"/>', "1e999"),
    *("-1", "0", "x", "#REF!", "2020-13-45", '<c s="9">', "</sheetData>", "<sheetData>", "&#0;"),
]
SLIDE = [
    *("<p:sp>", "</p:sp>", "<p:txBody>", "</p:txBody>", "<a:p>", "</a:p>", "<a:r>", "</a:r>", "<a:t>", "</a:t>"),
    *("<p:grpSp>", "</p:grpSp>", "<p:graphicFrame>", "<a:tbl>", "<a:tr>", "<a:tc>", "<a:br/>", '<a:pPr lvl="99"/>'),
    *('<p:nvSpPr><p:cNvPr id="1" name="a"/><p:cNvSpPr/><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>', "<p:pic>"),
    *('<a:hlinkClick r:id="x"/>', "&#0;", "<p:", "x"),
]
BOOK = [
    *('<item id="a" href="a.x" media-type="text/html"/>', '<itemref idref="a"/>', '<itemref idref="b"/>', "<spine>"),
    *('<item id="b" href="../../b" media-type="text/html"/>', '<item href="%00"/>', "<title>", "</title>", "<creator>"),
    *("</spine>", "<date>", "</date>", "<!DOCTYPE", "<!ENTITY", "&#0;", "<p>", "</p>", 'xmlns="a"'),
]
OPEN = [
    *(
        "<text:p>",
        "</text:p>",
        '<text:h text:outline-level="99">',
        "</text:h>",
        "<text:list>",
        "</text:list>",
        "<text:s/>",
    ),
    *(
        "<text:list-item>",
        "</text:list-item>",
        "<table:table>",
        "</table:table>",
        "<table:table-row>",
        "</table:table-row>",
    ),
    *(
        "<table:table-cell>",
        "</table:table-cell>",
        '<table:table-cell table:number-columns-repeated="-1">',
        "<draw:page>",
    ),
    *(
        '<table:table-row table:number-rows-repeated="99999999">',
        "</draw:page>",
        "<text:note-body>",
        "<text:a>",
        "&#0;",
    ),
    *(
        "<presentation:notes>",
        "</presentation:notes>",
        "<text:tracked-changes>",
        "</text:tracked-changes>",
        "a",
        "<draw:",
    ),
]
RICH = [
    *(
        "{",
        "}",
        "\\par ",
        "\\'e9",
        "\\'",
        "\\u8364?",
        "\\u-10179?",
        "\\uc9 ",
        "\\bin9 ",
        "\\*",
        "\\~",
        "\\",
        "\n",
        "a",
        "é",
    ),
    *(
        "\\cell ",
        "\\row ",
        "\\intbl ",
        "\\pard ",
        "{\\stylesheet",
        "{\\s1 heading 1;}",
        "\\s1 ",
        "{\\info",
        "{\\title ",
    ),
    *("\\ansicpg99999 ", "\\yr2020 ", "\\mo13 ", "\\dy1 ", "\\outlinelevel9 ", "{\\pict ", "\\line ", "\\v0 ", "\\v "),
]
MAIL = [
    *(
        "From: a@b\n",
        "Subject: x\n",
        "Date: Mon, 2 May 2005 16:07:05 -0600\n",
        "=?utf-8?q?=C3?=",
        "=?x?b?!?=",
        "\n",
        "\n\n",
    ),
    *("Content-Type: multipart/mixed; boundary=b\n", "--b\n", "--b--\n", "Content-Type: message/rfc822\n"),
    *("Content-Transfer-Encoding: base64\n", "Content-Type: text/html; charset=utf-16\n", "<p>a", "# a\n", "é", "\r\n"),
    *(
        "Content-Type: multipart/alternative; boundary=b\n",
        'Content-Disposition: attachment; filename="a"\n',
        ">From x\n",
    ),
    *("From a Mon\n", " x"),
]
PDF = [
    *("1 0 obj", "endobj", "<<", ">>", "/Type /Pages", "/Kids [", "]", "/Count -1", "3 0 R", "1 0 R", "stream\n"),
    *(
        "endstream",
        "xref\n",
        "trailer",
        "startxref\n",
        "/Length 99999999",
        "/Filter /FlateDecode",
        "BT",
        "ET",
        "Tj",
        "(",
    ),
    *(")", "Tm", "/Outlines", "/Next", "/Prev", "/Encrypt", "%%EOF", "/Title (\\777", "/CreationDate (D:", "TJ", "cm"),
]


def _read(convert: Callable[[bytes], ConvertedDocument], data: bytes) -> None:
    try:
        read = convert(data)
    except ConversionError as error:
        assert error.detail
        assert len(error.detail) < 500
        return
    assert isinstance(read.text, str)
    for field in (read.title, read.author, read.date):
        assert field is None or len(field) <= 300


def _related(target: str) -> str:
    return made._RELATIONS.replace("word/document.xml", target)


def workbook(cells: str) -> bytes:
    """Return a workbook of one sheet with some rows."""
    sheets = '<sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets>'
    kinds = made._TYPES.replace("/word/document.xml", "/xl/workbook.xml").replace(
        "wordprocessingml.document.main", "spreadsheetml.sheet.main"
    )
    sheet = _related("worksheets/sheet1.xml").replace("rId1", "r1").replace('officeDocument" ', 'worksheet" ')
    parts = {
        "[Content_Types].xml": kinds,
        "_rels/.rels": _related("xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook {_SHEET} xmlns:r="{_OFFICE}">{sheets}</workbook>',
        "xl/_rels/workbook.xml.rels": sheet,
        "xl/worksheets/sheet1.xml": f"<worksheet {_SHEET}><sheetData>{cells}</sheetData></worksheet>",
    }
    return made.archive(parts, ZIP_STORED)


def presentation(shapes: str) -> bytes:
    """Return a presentation of one slide with some shapes."""
    names = f'{_SLIDE} xmlns:r="{_OFFICE}"'
    main = f'<p:presentation {names}><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>'
    kind = "application/vnd.openxmlformats-officedocument.presentationml"
    kinds = made._TYPES.replace("/word/document.xml", "/ppt/presentation.xml").replace(
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main", f"{kind}.presentation.main"
    )
    slide = f'<Override PartName="/ppt/slides/s.xml" ContentType="{kind}.slide+xml"/></Types>'
    related = _related("slides/s.xml").replace("rId1", "r1").replace('officeDocument" ', 'slide" ')
    parts = {
        "[Content_Types].xml": kinds.replace("</Types>", slide),
        "_rels/.rels": _related("ppt/presentation.xml"),
        "ppt/presentation.xml": main,
        "ppt/_rels/presentation.xml.rels": related,
        "ppt/slides/s.xml": f"<p:sld {names}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>",
    }
    return made.archive(parts, ZIP_STORED)


def book(text: str) -> bytes:
    """Return a book whose list of parts and whose only chapter are some text."""
    parts = {
        "META-INF/container.xml": '<c><rootfile full-path="b.opf"/></c>',
        "b.opf": f"<package>{text}</package>",
        "a.x": text,
    }
    return made.archive(parts, ZIP_STORED)


@fuzzed(WORD, [made.paragraph("a", "Heading1") + made.paragraph("b", bold=True)])
def test_a_word_document_is_read_or_refused(text: str) -> None:
    _read(from_docx, made.docx(text))


@fuzzed(
    OPEN, ["<text:p>a</text:p><table:table><table:table-row><table:table-cell><text:p>b</text:p></table:table-cell>"]
)
def test_an_open_document_is_read_or_refused(text: str) -> None:
    for kind in ("text", "spreadsheet", "presentation"):
        _read(from_odf, made.odf(text, kind))


@fuzzed(SHEET, ['<row r="1"><c r="A1"><v>1</v></c><c r="B1" t="inlineStr"><is><t>a</t></is></c></row>'])
def test_a_workbook_is_read_or_refused(text: str) -> None:
    _read(from_xlsx, workbook(text))


@fuzzed(SLIDE, ["<p:sp><p:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></p:txBody></p:sp>"])
def test_a_presentation_is_read_or_refused(text: str) -> None:
    _read(from_pptx, presentation(text))


@fuzzed(BOOK, ['<item id="a" href="a.x" media-type="text/html"/><spine><itemref idref="a"/></spine><p>A word</p>'])
def test_a_book_is_read_or_refused(text: str) -> None:
    _read(from_epub, book(text))


@fuzzed(
    ["PK\x03\x04", "PK\x01\x02", "PK\x05\x06", "word/document.xml", "[Content_Types].xml", "\xff\xff\xff\xff"], raw=True
)
def test_any_archive_is_read_or_refused(data: bytes) -> None:
    whole = made.docx(made.paragraph("a"))
    # The soup lies over a whole one, so that more of it is read than its first bytes.
    at = len(data) * 7 % len(whole)
    for convert in (from_docx, from_epub, from_pptx, from_xlsx):
        _read(convert, data)
        _read(convert, whole[:at] + data + whole[at + len(data) :])


@fuzzed(PDF, [made.pdf(["a"], "b").decode("ascii")], raw=True)
def test_a_pdf_is_read_or_refused(data: bytes) -> None:
    _read(from_pdf, data)
    whole = made.pdf(["a", "b"], "c")
    at = len(data) * 7 % len(whole)
    _read(from_pdf, whole[:at] + data + whole[at + len(data) :])


DRAWN = [
    *(
        "BT /F1 10 Tf 72 700 Td (a b) Tj ET ",
        "BT 72 680 Td [(c) -9000 (d)] TJ ET ",
        "0 -20 Td ",
        "(e) Tj ",
        "(f) ' ",
        "T* ",
    ),
    *(
        "72 690 400 20 re S ",
        "72 690 m 472 690 l S ",
        "200 m ",
        "h ",
        "c ",
        "W n ",
        "f ",
        "q ",
        "Q ",
        "1 0 0 -1 0 792 cm ",
    ),
    *("1e99 ", "-1 ", "/x ", "[ ", "] ", "(", ") ", "/F9 9 Tf ", "0 0 Td ", "1 0 0 1 Tm ", '2 3 (g) " ', "Do "),
]


@fuzzed(DRAWN)
def test_whatever_is_drawn_on_a_page_it_is_read(text: str) -> None:
    whole = made.pdf([f"q {text}".encode("ascii", "replace").decode(), "after"])
    found = from_pdf(whole)
    assert "## Page 2\n\nafter" in found.text


@fuzzed(RICH, [r"{\rtf1{\stylesheet{\s1 heading 1;}}\s1 a\par\intbl b\cell\row}"])
def test_rich_text_is_read_or_refused(text: str) -> None:
    _read(from_rtf, b"{\\rtf1 " + text.encode())


@fuzzed(MAIL, ["Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>a\n--b--\n"])
def test_a_mail_is_read_or_refused(text: str) -> None:
    data = b"From: a@b\nSubject: x\n" + text.encode()
    assert reads_as_mail(data) in (True, False)
    _read(from_mail, data)
    _read(from_mbox, b"From a Mon\n" + data)
