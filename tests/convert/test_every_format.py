"""Every format from the file to the index, and every kind of damage to a file."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import closing
from pathlib import Path

import made_documents as made
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ingest_parts import make_indexer, open_store, write
from pypdf import PdfReader, PdfWriter

from missing_packages import run_without
from quaestor.chunking import ChunkSettings, cut
from quaestor.convert import ConversionError, ConvertedDocument, convert_file, is_converted
from quaestor.convert.sandbox import convert_in_sandbox
from quaestor.core.documents import text_of_chunks
from quaestor.files.indexing_values import SkippedPath
from quaestor.indexing.indexer import Changes
from quaestor.stores import Store

WORDS = "Retries are made after a pause that grows. " * 8


def text_of(data: bytes, path: str) -> ConvertedDocument:
    found = convert_file(data, path)
    assert found is not None
    return found


def indexed_text(store: Store, path: str) -> str:
    return text_of_chunks(stored.chunk for stored in store.chunks_of(path)).decode()


def reason_of(data: bytes, path: str) -> tuple[str, str]:
    with pytest.raises(ConversionError) as caught:
        convert_file(data, path)
    return caught.value.reason, caught.value.detail


def test_a_notebook() -> None:
    data = made.notebook(
        {"cell_type": "markdown", "source": ["# A study\n", "of words"]},
        {
            "cell_type": "code",
            "source": "print('```')",
            "outputs": [
                {"output_type": "stream", "text": ["\x1b[31mred\x1b[0m\n"]},
                {"output_type": "display_data", "data": {"image/png": "AAAA"}},
                {"output_type": "error", "ename": "ValueError", "evalue": "no"},
            ],
        },
        {"cell_type": "markdown", "source": ""},
    )
    found = text_of(data, "a.ipynb")
    assert found.title == "A study"
    assert found.text == (
        "# A study\nof words\n\n```python\nprint('```')\n```\n\n```text\nred\n```\n\n```text\nValueError: no\n```\n"
    )


def test_the_title_of_a_notebook_may_be_its_first_line_in_bold() -> None:
    data = made.notebook({"cell_type": "markdown", "source": "**Chapter 3 – Sorting**\n\n# Setup\n\nAs always."})
    assert text_of(data, "a.ipynb").title == "Chapter 3 – Sorting"


def test_a_comment_in_code_is_no_title_of_a_notebook() -> None:
    code = {"cell_type": "code", "source": "# install what is missing\nimport os"}
    headed = made.notebook(code, {"cell_type": "markdown", "source": "# Sorting"})
    assert text_of(headed, "a.ipynb").title == "Sorting"
    assert text_of(made.notebook(code, {"cell_type": "markdown", "source": "## Part"}), "a.ipynb").title is None


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"cells": 3}', b'{"cells": [3]}', b"[" * 100_000])
def test_no_notebook(data: bytes) -> None:
    assert reason_of(data, "a.ipynb") == ("unreadable", "it is not a Jupyter notebook")


def test_records_that_are_texts() -> None:
    lines = [{"title": "One", "text": "First.", "url": "https://a.example/1", "tags": ["x", "y"]}, {"text": "# Second"}]
    found = text_of("\n".join(map(json.dumps, lines)).encode() + b"\nnot json\n", "a.jsonl")
    assert found.text == ("# One\n\nurl: https://a.example/1  \ntags: x, y\n\nFirst.\n\n# Record 2\n\n# Second\n")
    assert found.note == "1 line without a text left out"


def test_records_that_are_data_stay_as_they_are() -> None:
    assert convert_file(b'{"level": 3}\n{"level": 4}\n', "a.jsonl") is None


def test_a_book() -> None:
    chapters = {
        "one.xhtml": f"<body><h1>One</h1><p>{WORDS}</p></body>",
        "two.xhtml": "<h1>Two</h1><p>Last <b>words</b>.</p>",
    }
    found = text_of(made.epub(chapters, missing="three.xhtml"), "a.epub")
    assert found.text == f"# One\n\n{WORDS.strip()}\n\n# Two\n\nLast **words**.\n"
    assert (found.title, found.author, found.date) == ("A book", "Bo Ek", "2019-05-06")
    assert found.note == "1 chapters are missing in the file"


def test_damaged_and_hostile_books() -> None:
    assert reason_of(b"PK nothing", "a.epub")[1] == "the file is damaged: it is not a zip archive"
    assert "has no part" in reason_of(made.archive({"a": "b"}), "a.epub")[1]
    bomb = made.archive({"META-INF/container.xml": b"\0" * 40_000_000})
    assert reason_of(bomb, "a.epub") == ("too large", "it unpacks to 40,000,000 bytes in 1 parts")
    entities = '<!DOCTYPE x [<!ENTITY a "aa">]><x>&a;</x>'
    assert "entities" in reason_of(made.archive({"META-INF/container.xml": entities}), "a.epub")[1]
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        odd = made.archive({"META-INF/container.xml": WORDS}, method)
        assert reason_of(odd, "a.epub")[1].startswith("it is compressed in a way that such documents may not be")
    whole = made.epub({"one.xhtml": WORDS})
    for place in range(0, len(whole), 97):
        damaged = whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :]
        try:
            convert_file(damaged, "a.epub")
        except ConversionError as error:
            assert error.reason in ("unreadable", "too large")


def test_a_pdf() -> None:
    found = text_of(made.pdf(["Retries are made", "", "# after a pause"], "On retries"), "a.pdf")
    assert found.text == "## Page 1\n\nRetries are made\n\n## Page 3\n\n\\# after a pause\n"
    assert (found.title, found.author, found.date) == ("On retries", "Ann Lee", "2024-03-02")


def test_pdfs_that_cannot_be_read() -> None:
    assert "hold no text" in reason_of(made.pdf([""]), "a.pdf")[1]
    assert reason_of(b"%PDF-1.7 and nothing more", "a.pdf")[1].startswith("the file is damaged")
    assert reason_of(b"", "a.pdf")[1].startswith("the file is damaged")
    assert reason_of(encrypted_pdf(), "a.pdf")[1].startswith("it is encrypted")


def encrypted_pdf() -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(made.pdf(["secret words"]))))
    writer.encrypt("password", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_a_word_document() -> None:
    table = "".join(f"<w:tc>{made.paragraph(word)}</w:tc>" for word in ("a", "b"))
    data = made.docx(
        made.paragraph("Retries", "Heading1")
        + made.paragraph("made after a pause", bold=True)
        + f"<w:tbl><w:tr>{table}</w:tr></w:tbl>",
        docProps__core="<x><title>On retries</title><creator>Ann Lee</creator><created>2024-03-02T1</created></x>",
    )
    found = text_of(data, "a.docx")
    assert found.text == "# Retries\n\n**made after a pause**\n\n|  |  |\n| --- | --- |\n| a | b |\n"
    assert (found.title, found.author, found.date) == ("On retries", "Ann Lee", "2024-03-02")


def test_word_documents_that_cannot_be_read() -> None:
    assert "password" in reason_of(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and so on", "a.docx")[1]
    assert "damaged" in reason_of(made.archive({"a": "b"}), "a.docx")[1]
    assert "damaged" in reason_of(b"", "a.docx")[1]


def test_a_parser_that_takes_too_long_is_ended() -> None:
    with pytest.raises(ConversionError) as caught:
        convert_in_sandbox("pdf", made.pdf(["a"]), seconds=0.001)
    assert caught.value.reason == "too large"


INDEX_TWICE = """
import sys
from pathlib import Path
from ingest_parts import make_indexer, open_store
store = open_store(Path(sys.argv[2]))
for _ in range(2):
    changes = make_indexer(Path(sys.argv[1]), store).refresh()
    print([tuple(one) for one in changes.skipped], store.generation())
"""


def test_a_format_that_nothing_here_reads_names_what_to_install(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {"a.pdf": made.pdf(["words"]), "b.md": "# B"})
    said = run_without("pypdf", tmp_path / "packages", INDEX_TWICE, root, tmp_path / "index")
    skipped = [("a.pdf", "needs an extra", "install it with: pip install 'quaestor[documents]'")]
    assert said.splitlines() == [f"{skipped} 1"] * 2, "nothing is tried again without the package"
    with closing(open_store(tmp_path / "index")) as store:
        again: Changes = make_indexer(root, store).refresh()
    assert again.added == ("a.pdf",)


def test_documents_in_the_index_are_current_by_their_own_bytes(tmp_path: Path) -> None:
    root = tmp_path / "root"
    page = f"<title>T</title><meta name=author content=Ann><h1>T</h1><p>{WORDS}</p>"
    write(
        root,
        {"a.html": page, "b.epub": made.epub({"one.xhtml": WORDS}), "c.html": "<b>{{ template }}</b>", "d.epub": b"PK"},
    )
    with closing(open_store(tmp_path / "index")) as store:
        indexer = make_indexer(root, store)
        changes = indexer.refresh()
        assert changes.added == ("a.html", "b.epub", "c.html")
        assert changes.skipped == (SkippedPath("d.epub", "unreadable", "the file is damaged: it is not a zip archive"),)
        found = store.documents()
        assert (found["a.html"].language, found["a.html"].author, found["a.html"].title) == ("markdown", "Ann", "T")
        assert found["a.html"].note == "converted from html"
        assert [path for path in found if is_converted(found[path])] == ["a.html", "b.epub"]
        assert found["c.html"].language == "html"
        assert indexed_text(store, "a.html").strip() == f"# T\n\n{WORDS.strip()}"
        assert not indexer.refresh().any
        write(root, {"a.html": page.replace("grows", "shrinks")}, age=False)
        assert indexer.refresh().changed == ("a.html",)
        assert "shrinks" in indexed_text(store, "a.html")


lines = st.sampled_from(["# T", "## U", "", "  ", "words and more words", "- a", "```", "é" * 30])


@given(st.lists(lines, max_size=40).map("\n".join))
def test_the_kept_text_is_the_text_but_for_blanks_between_chunks(text: str) -> None:
    parts = cut(text.encode(), "a.md", ChunkSettings(16, 60))
    kept = text_of_chunks(parts.chunks)
    for chunk in parts.chunks:
        assert kept[chunk.span.start : chunk.span.end].decode() == chunk.text
        assert kept[: chunk.span.start].count(b"\n") == chunk.span.start_line - 1
