"""Files made to exhaust memory or time are read within limits, or left out with a reason.

What took minutes before it was bounded would run into the limit that every test has.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from contextlib import closing
from pathlib import Path

import made_documents as made
import pytest
from ingest_parts import make_indexer, open_store, write

from quaestor.convert import ConversionError, convert_file
from quaestor.convert.html import from_html, reads_as_page

WORDS = b"<p>" + b"word " * 60
LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(20))
    + "]>"
)


def reason_of(data: bytes, path: str) -> str:
    with pytest.raises(ConversionError) as caught:
        convert_file(data, path)
    return f"{caught.value.reason}: {caught.value.detail}"


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(b"<div>" * 20_000, id="deep"),
        pytest.param(b"<table><tr><td>" * 5_000, id="deep tables"),
        pytest.param(b'<div class="sidebar"><p>words</p>' * 79 + b"<b>x</b>" * 20_000, id="furniture in furniture"),
        pytest.param(
            b"<div>" + b"<span>" * 78 + b"<i>x</i>" * 20_000,
            id="a block at the end of deep lines",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            b"<div class=author>" * 78 + b"<i>x</i>" * 20_000, id="authors in authors", marks=pytest.mark.slow
        ),
        pytest.param(b"<a href=x><div>" * 39 + b"<i>x</i>" * 20_000, id="cards in cards", marks=pytest.mark.slow),
        pytest.param(b"<pre>x" + b"\n" * 400_000 + b"x</pre>", id="blank lines"),
        pytest.param(b'<div class="' + b"-skip-to-" * 50_000 + b'.">', id="a long class"),
    ],
)
def test_pages_that_are_read_in_time_that_grows_with_them(html: bytes) -> None:
    text = from_html(html + WORDS).text
    assert ("word word" in text) is (b"<table>" not in html), "words in the last of 5,000 tables are let go"


@pytest.mark.parametrize(
    ("piece", "is_page"), [(b"<script ", False), (b"<", True), (b"<!--", False), (b"{", False), (b"</script", False)]
)
def test_what_is_a_page_is_told_in_time_that_grows_with_it(piece: bytes, is_page: bool) -> None:
    assert reads_as_page(piece * (200_000 // len(piece))) is is_page


def docx_of(document: str | bytes) -> bytes:
    parts = {"[Content_Types].xml": made._TYPES, "_rels/.rels": made._RELATIONS}
    return made.archive({**parts, "word/document.xml": document})


def test_word_documents() -> None:
    bomb = docx_of(f"<w:document {made._WORD}><!--{'a' * 100_000_000}--></w:document>")
    assert reason_of(bomb, "a.docx").startswith("too large: it unpacks to 100,000,")
    declared = f"<?xml version='1.0' encoding='utf-16'?>{LAUGHS}<w:document {made._WORD}>&u;</w:document>"
    assert reason_of(docx_of(declared.encode("utf-16")), "a.docx") == "unreadable: it declares entities of its own"
    deep = made.docx("<w:tbl><w:tr><w:tc>" * 20_000 + made.paragraph("x") + "</w:tc></w:tr></w:tbl>" * 20_000)
    assert reason_of(deep, "a.docx").startswith("unreadable: the file is damaged")


def test_word_documents_of_very_many_paragraphs() -> None:
    many = made.docx("".join(made.paragraph(f"{n * n:x}") for n in range(110_000)))
    assert reason_of(many, "a.docx").startswith("too large: more than 200,000 paragraphs and runs in")
    nested = made.docx("<w:p><w:r>" + "<w:tab/>" * 2_100_000 + "</w:r></w:p>")
    assert reason_of(nested, "a.docx").startswith("too large")
    notes = "<w:footnotes>" + made.paragraph("x") * 150_000 + "</w:footnotes>"
    noted = made.docx(made.paragraph("x"), word__footnotes=notes)
    assert reason_of(noted, "a.docx").startswith(f"too large: more than {20_000 + len(noted):,} para")
    long = convert_file(made.docx("".join(made.paragraph(f"Paragraph {n}.") for n in range(3_000))), "a.docx")
    assert long.text.count("Paragraph ") == 3_000


def test_a_small_word_document_of_very_many_elements() -> None:
    """What a file may unpack to grows with the file: a few kilobytes are no book."""
    paragraphs, breaks = made.docx("<w:p/>" * 75_000), made.docx(f"<w:p><w:r>{'<w:br/>' * 200_000}</w:r></w:p>")
    assert reason_of(paragraphs, "a.docx").startswith(f"too large: more than {20_000 + len(paragraphs):,} para")
    assert reason_of(breaks, "a.docx").startswith(f"too large: more than {100_000 + 5 * len(breaks):,} elements")
    words = "".join(made.paragraph(f"{n * n:x} {n * 7919:x}") for n in range(20_000))
    assert convert_file(made.docx(words), "a.docx").text.count("\n\n") == 19_999


def test_a_word_document_that_brings_a_map_of_styles() -> None:
    """Each line of such a map would be tried on each paragraph."""
    document = made.docx(made.paragraph("Words", "Heading1") * 4_000)
    lines = "\n".join(f"p[style-name='s{n}'] => h1" for n in range(40_000)) + "\np => h6:fresh"
    with zipfile.ZipFile(mapped := io.BytesIO(document), "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mammoth/style-map", lines)
    assert convert_file(mapped.getvalue(), "a.docx").text == convert_file(document, "a.docx").text


NAMES = ("document.data", "document.XML", "document")
BEFORE = ("", "\n", "<?xml version='1.0'?>", "<!-- " + "x" * 5_000 + " -->")


@pytest.mark.parametrize(
    ("name", "before"),
    [
        # Each name and each beginning once in every run.
        pytest.param(name, before, marks=[] if not before or name == NAMES[0] else pytest.mark.slow)
        for name in NAMES
        for before in BEFORE
    ],
)
def test_a_word_document_whose_text_has_another_ending(name: str, before: str) -> None:
    """What a part is called is for the document to say: whatever begins like XML is looked at first."""
    parts = {
        "[Content_Types].xml": made._TYPES.replace("document.xml", name),
        "_rels/.rels": made._RELATIONS.replace("document.xml", name),
    }
    text = f"{before}{LAUGHS}<w:document {made._WORD}><w:body>{made.paragraph('&d;')}</w:body></w:document>"
    for data in (text.encode(), text.encode("utf-16"), text.encode("utf-8-sig")):
        found = reason_of(made.archive({**parts, f"word/{name}": data}), "a.docx")
        assert found == "unreadable: it declares entities of its own"
    if not before:
        many = f"<w:document {made._WORD}><w:body>{'<w:p/>' * 250_000}</w:body></w:document>"
        found = reason_of(made.archive({**parts, f"word/{name}": many}), "a.docx")
        assert "paragraphs and runs in a file of" in found


def test_books() -> None:
    container = f"<?xml version='1.0' encoding='utf-16'?>{LAUGHS}<container>&u;</container>"
    for encoding in ("utf-8", "utf-16"):
        book = made.archive({"META-INF/container.xml": container.replace("utf-16", encoding).encode(encoding)})
        assert reason_of(book, "a.epub") == "unreadable: it declares entities of its own"
    spine = '<itemref idref="a"/>' * 50_000
    repeating = made.archive(
        {
            "META-INF/container.xml": '<c><rootfile full-path="b.opf"/></c>',
            "b.opf": f'<p><item id="a" href="a.x" media-type="text/html"/><spine>{spine}</spine></p>',
            "a.x": "<p>word</p>" * 1000,
        }
    )
    found = convert_file(repeating, "a.epub")
    assert found is not None
    assert found.text.count("word") == 1000


def test_a_book_whose_chapters_are_all_one_page() -> None:
    ids = range(20_000)
    items = "".join(f'<item id="a{n}" href="{"./" * (n % 9)}a.x" media-type="text/html"/>' for n in ids)
    order = "".join(f'<itemref idref="a{n}"/>' for n in ids)
    book = {
        "META-INF/container.xml": '<c><rootfile full-path="b.opf"/></c>',
        "b.opf": f"<p>{items}<spine>{order}</spine></p>",
        "a.x": "<p>word</p>" * 2_000,
    }
    found = convert_file(made.archive(book), "a.epub")
    assert found is not None
    assert (found.text.count("word"), found.note) == (2_000, None)


def test_pdfs() -> None:
    whole = made.pdf(["one", "two"])
    million = convert_file(whole.replace(b"/Count 2", b"/Count 1000000"), "a.pdf")
    assert million is not None
    assert "## Page 2\n\ntwo" in million.text
    cycle = whole.replace(b"[4 0 R 6 0 R]", b"[2 0 R 2 0 R]")
    assert reason_of(cycle, "a.pdf").startswith("unreadable: the file is damaged")
    packed = zlib.compress(b"BT /F1 12 Tf (x) Tj ET " * 10_000_000)
    begin, end = whole.find(b"<< /Length"), whole.find(b"endstream")
    head = b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(packed)
    bomb = convert_file(whole[:begin] + head + packed + b"\n" + whole[end:], "a.pdf")
    assert bomb is not None
    assert "two" in bomb.text
    assert "1 of 2 pages could not be read" in (bomb.note or "")


def test_records_and_notebooks(tmp_path: Path) -> None:
    long = b'{"text": "' + b"x" * 17_000_000 + b'"}\n'
    deep = b'{"text": "a", "b":' + b"[" * 200_000 + b"}\n" + b'{"text": "b"}\n' * 3
    write(tmp_path / "root", {"long.jsonl": long, "deep.jsonl": deep, "deep.ipynb": b"[" * 200_000, "a.md": "# A"})
    with closing(open_store(tmp_path / "index")) as store:
        changes = make_indexer(tmp_path / "root", store).refresh()
    assert sorted(changes.added) == ["a.md", "deep.jsonl"]
    assert {one.path: one.reason for one in changes.skipped} == {"long.jsonl": "too large", "deep.ipynb": "unreadable"}
