"""Small files and answers that would fill a machine: each is read within bounds, or left out with a sentence.

Bombs in HTML, Word, EPUB, PDF, notebooks and JSON Lines are tried in ``tests/convert``; a model server's streams
in ``tests/faults/test_flooding_server.py``; sitemaps in ``tests/crawl``. Here are the ways in that these leave.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from io import BytesIO
from pathlib import Path

import pytest
from packed_bombs import packed

import quaestor
from convert import made_documents as made
from quaestor.convert import CONVERTED_SUFFIXES, ConversionError, convert_file
from quaestor.core.config import Settings
from quaestor.crawl.connections import FetchError
from quaestor.crawl.fetch import Fetcher
from quaestor.server.uploads import DocumentRefusedError, Documents
from servers.site import Answer, SiteServer

MEGABYTES = 1024


@contextmanager
def answering(status: int, body: bytes, coding: str, kind: str = "application/json") -> Iterator[SiteServer]:
    """Serve one answer, to whatever is asked."""
    with SiteServer(lambda _path, _headers: Answer(body, status, {"Content-Encoding": coding}, kind)) as server:
        # What is asked of a model server is posted.
        server.listening.RequestHandlerClass.do_POST = server.listening.RequestHandlerClass.do_GET  # type: ignore[attr-defined]
        yield server


@pytest.mark.parametrize(
    ("status", "coding", "wbits"), [(200, "gzip", 31), pytest.param(400, "deflate", 15, marks=pytest.mark.slow)]
)
def test_answers_of_an_embedding_server(tmp_path: Path, status: int, coding: str, wbits: int) -> None:
    bomb = packed(MEGABYTES, b'{"data": [' if status == 200 else b'{"error": "', wbits)
    assert len(bomb) < 2_000_000
    shared = [Path(quaestor.__file__).parents[1], Path(__file__).parents[1]]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, shared))}
    with answering(status, bomb, coding) as server:
        command = [sys.executable, str(Path(__file__).with_name("bombed_embedder.py")), f"{server.url}/v1"]
        done = subprocess.run(
            [*command, str(tmp_path)], env=environment, capture_output=True, text=True, timeout=600, check=True
        )
    error, peak = done.stdout.split()
    assert error in ("UpstreamError", "BadRequestError", "UnavailableError"), done.stdout
    assert int(peak) < 700


@pytest.mark.parametrize(("coding", "wbits"), [("gzip", 31), ("deflate", 15), ("deflate", -15)])
@pytest.mark.parametrize("kind", ["text/html", "application/pdf", "text/plain"])
def test_pages_of_a_site(coding: str, wbits: int, kind: str) -> None:
    bomb = packed(MEGABYTES, b"<h1>Home</h1>", wbits)
    with answering(200, bomb, coding, kind) as site:
        fetcher = Fetcher(seconds=60, largest=5_000_000, private_hosts=frozenset({site.host}))
        with closing(fetcher), pytest.raises(FetchError) as caught:
            fetcher.fetch(f"{site.url}/")
    # That it is too large is said by whatever part is read first.
    assert caught.value.reason in ("too large", "broken answer")


def overlapping(parts: int) -> bytes:
    """Return an archive of which every part is the same bytes: no part is large, all together are."""
    name, packer = b"a.xhtml", zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(b"<p>" + b"word " * 8_000_000) + packer.flush()
    fixed = struct.pack("<HHHHHIII", 20, 0, 8, 0, 0x21, 0, len(data), 40_000_003)
    local = b"PK\3\4" + fixed + struct.pack("<HH", len(name), 0) + name + data
    listed = b"".join(
        b"PK\1\2" + struct.pack("<H", 20) + fixed + struct.pack("<HHHHHII", len(one), 0, 0, 0, 0, 0, 0) + one
        for one in (b"%d%s" % (number, name) for number in range(parts))
    )
    return local + listed + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, parts, parts, len(listed), len(local), 0)


def nested(levels: int) -> bytes:
    """Return an archive in an archive in an archive: what is within is data, and is not opened."""
    inner = b"\0" * 1_000_000
    for _ in range(levels):
        inner = made.archive({f"{number}.zip": inner for number in range(10)})
    return inner


DOCBOOK = b'<?xml version="1.0"?>\n<article xmlns="http://docbook.org/ns/docbook">'

BOMBS: dict[str, Callable[[], bytes]] = {
    "docx": lambda: overlapping(1000),
    "xlsx": lambda: overlapping(1000),
    "pptx": lambda: overlapping(1000),
    "epub": lambda: overlapping(1000),
    "odt": lambda: made.odf("<text:section>" * 300_000),
    "ods": lambda: made.odf("<table:table><table:table-row>" + "<table:table-cell/>" * 190_000, "spreadsheet"),
    "odp": lambda: made.odf("<draw:page><draw:g>" * 150_000, "presentation"),
    "rtf": lambda: b"{\\rtf1 " + b"{\\*\\x" * 300_000 + b"\\u1" * 300_000,
    "eml": lambda: (
        b"From: a@b\nSubject: =?utf-8?q?"
        + b"=?" * 900_000
        + b"\n"
        + b"To: (((\n" * 100_000
        + b"\n"
        + b"--b\n" * 200_000
    ),
    "mbox": lambda: b"From a Mon\nSubject: x\n\nwords\n\n" * 60_000,
    "pdf": lambda: b"%PDF-1.4\n" + b"1 0 obj <</Length 1 0 R>> stream\n" * 20_000,
    "html": lambda: b"<html><body>" + b"<table><tr><td>" * 200_000 + b"<p>words",
    "htm": lambda: b"<html><body>" + b"<div><p>" * 400_000 + b"words",
    "xhtml": lambda: b"<html><body>" + b"&lol;" * 600_000,
    "xml": lambda: DOCBOOK + b"<section>" * 300_000 + b"words",
    "docbook": lambda: DOCBOOK + b"<![CDATA[" * 300_000 + b"<para>words",
    "dbk": lambda: DOCBOOK + b"&lol;" * 600_000 + b"<" * 300_000,
    "ipynb": lambda: b'{"nbformat": 4, "cells": [' + b'{"cell_type": "markdown", "source": []},' * 100_000 + b"{}]}",
    "jsonl": lambda: b'{"text": "words and more words", "x": ' + b"[" * 50_000 + b"]" * 50_000 + b"}\n" * 100,
    "ndjson": lambda: b'{"text": "word"}\n' * 20_000,
}


def test_no_converter_is_forgotten() -> None:
    assert set(BOMBS) == CONVERTED_SUFFIXES


@pytest.mark.parametrize("suffix", BOMBS)
def test_every_converter_ends_with_a_text_or_a_reason(suffix: str) -> None:
    """What took minutes, or all memory, would run into the limit that every test has."""
    try:
        found = convert_file(BOMBS[suffix](), f"a.{suffix}")
    except ConversionError as error:
        assert error.reason in ("too large", "unreadable", "failed")
    else:
        assert found is None or len(found.text) < 50_000_000


@pytest.mark.parametrize("suffix", ["docx", "xlsx", "pptx", "epub"])
def test_archives_within_archives_are_not_opened(suffix: str) -> None:
    with pytest.raises(ConversionError):
        convert_file(nested(3), f"a.{suffix}")


@pytest.mark.parametrize(
    "suffix", ["docx", *(pytest.param(one, marks=pytest.mark.slow) for one in ("xlsx", "pptx", "epub")), "pdf"]
)
def test_an_upload_is_refused_with_a_sentence(tmp_path: Path, suffix: str) -> None:
    documents = Documents(Settings(home=str(tmp_path)), "anna")
    with pytest.raises(DocumentRefusedError, match="cannot be converted to text"):
        documents.add(f"a.{suffix}", BOMBS[suffix]())
    assert documents.list() == []


_PACKAGE = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'


def test_pictures_that_a_word_document_names_are_not_fetched() -> None:
    with SiteServer(lambda _path, _headers: Answer("secret")) as site:
        namespaces = (
            'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
            'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
            'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
            'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
        )
        picture = (
            f"<w:p><w:r><w:drawing><wp:inline {namespaces}><a:graphic><a:graphicData><pic:pic><pic:blipFill>"
            '<a:blip r:link="rId{0}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>'
            "</w:r></w:p>"
        )
        targets = (f"{site.url}/picture.png", "file:///etc/passwd", "/dev/zero")
        relations = "".join(
            f'<Relationship Id="rId{number}" TargetMode="External" Target="{target}" Type='
            '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"/>'
            for number, target in enumerate(targets)
        )
        body = "".join(picture.replace("{0}", str(number)) for number in range(len(targets)))
        document = made.docx(body + made.paragraph("Words"))
        data = _with_part(
            document, "word/_rels/document.xml.rels", f"<Relationships {_PACKAGE}>{relations}</Relationships>"
        )
        found = convert_file(data, "a.docx")
        assert found is not None
        assert found.text.strip() == "Words"
        assert not site.asked


def _with_part(data: bytes, name: str, content: str) -> bytes:
    out = BytesIO(data)
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr(name, content)
    return out.getvalue()
