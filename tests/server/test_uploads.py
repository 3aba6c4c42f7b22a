"""A user's uploads: untrusted names, texts and other bytes, limits."""

from __future__ import annotations

import io
import stat
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.core.errors import LimitError, NotFoundError
from quaestor.files.deny import deny_file
from quaestor.files.walk import walk
from quaestor.server import uploads
from quaestor.server.uploads import DocumentRefusedError, Documents, is_text, stored_name


@pytest.fixture
def documents(tmp_path: Path) -> Documents:
    return Documents(Settings(home=str(tmp_path)), "anna")


@given(st.text() | st.text(alphabet="./\\\x00\n -a\u202e\ud800é", max_size=300))
def test_no_name_leads_anywhere(name: str) -> None:
    made = stored_name(name)
    assert made == Path(made).name
    assert not made.startswith(".")
    assert made.isprintable()
    assert 0 < len(made.encode()) <= 120
    assert stored_name(made) == made


@pytest.mark.parametrize(
    ("given_name", "made"),
    [
        ("notes.md", "notes.md"),
        ("../../etc/passwd", "passwd.md"),
        ("C:\\Users\\me\\Plan B.txt", "Plan B.txt"),
        ("<script>alert(1)</script>.html", "script.html"),
        ("über Straße.md", "über Straße.md"),
        (".env", "env.md"),
        ("", "document.md"),
        ("...", "document.md"),
        ("a.b c", "a.b c.md"),
        ("x" * 500 + ".txt", "x" * 116 + ".txt"),
    ],
)
def test_names(given_name: str, made: str) -> None:
    assert stored_name(given_name) == made


def test_a_text_is_stored_listed_and_removed(documents: Documents) -> None:
    assert documents.list() == []
    first = documents.add("notes.md", b"# Notes")
    second = documents.add("notes.md", b"# Other notes")
    assert (first.name, second.name) == ("notes.md", "notes-2.md")
    assert {one.id for one in documents.list()} == {first.id, second.id}
    assert (documents.folder / "notes.md").read_bytes() == b"# Notes"
    assert stat.S_IMODE((documents.folder / "notes.md").stat().st_mode) == 0o600
    assert documents.remove(first.id) == first
    assert [one.id for one in documents.list()] == [second.id]
    for unknown in (first.id, "notes-2.md", "../anna/notes-2.md", ""):
        with pytest.raises(NotFoundError):
            documents.remove(unknown)


def test_users_have_folders_of_their_own(documents: Documents, tmp_path: Path) -> None:
    stored = documents.add("notes.md", b"# Notes")
    for other in ("ben", ""):
        theirs = Documents(Settings(home=str(tmp_path)), other)
        assert theirs.list() == []
        with pytest.raises(NotFoundError):
            theirs.remove(stored.id)


def test_what_is_stored_is_indexed(documents: Documents) -> None:
    for name in ("notes.md", ".gitignore", "../a.txt", "a|b.py", "Makefile"):
        documents.add(name, b"words")
    found = {file.path for file in walk(documents.folder).added}
    assert found == {one.name for one in documents.list()}
    assert len(found) == 5


@pytest.mark.parametrize("name", ["id_rsa.txt", "server.pem", "app.min.js", "credentials.json"])
def test_names_that_are_never_indexed(documents: Documents, name: str) -> None:
    assert deny_file(name)
    with pytest.raises(DocumentRefusedError, match="never indexed") as refused:
        documents.add(name, b"words")
    assert refused.value.http_status == 400
    assert documents.list() == []


@pytest.mark.parametrize(
    ("name", "data", "status"),
    [
        ("a.md", b"", 400),
        ("a.md", b" \n", 400),
        ("a.md", b"-----BEGIN RSA PRIVATE KEY-----\nx", 400),
        ("a.md", b"PNG\x00\x01", 415),
        ("a.png", b"words", 415),
        ("a.pdf", b"words", 415),
        ("a.epub", b"PK words", 415),
        ("a.ipynb", b"{", 415),
        ("a.doc", b"words", 415),
        ("a.txt", b"%PDF-1.7\n\x01\x02\xff\xfe\x03", 415),
        ("a.py", b"x = 1\n" * 1000, 413),
    ],
)
def test_what_is_no_document(tmp_path: Path, name: str, data: bytes, status: int) -> None:
    documents = Documents(Settings(home=str(tmp_path), max_file_bytes=1000), "anna")
    with pytest.raises(DocumentRefusedError, match=name.replace(".", r"\.")) as refused:
        documents.add(name, data)
    assert refused.value.http_status == status
    assert documents.list() == []
    assert list((tmp_path / "documents").glob(".incoming/*")) == []


@pytest.mark.parametrize(
    "data", [b"words", "Straße".encode(), "Straße".encode("cp1252"), "Straße".encode("utf-16"), b"\x1b[1mlog\x1b[0m"]
)
def test_texts(data: bytes) -> None:
    assert is_text(data)


def test_what_text_is_made_of_is_taken_as_it_is(documents: Documents) -> None:
    item = '<item id="a" href="a.xhtml" media-type="text/html"/>'
    package = f'<package><manifest>{item}</manifest><spine><itemref idref="a"/></spine></package>'
    book = io.BytesIO()
    with zipfile.ZipFile(book, "w") as archive:
        archive.writestr("META-INF/container.xml", '<container><rootfile full-path="b.opf"/></container>')
        archive.writestr("b.opf", package)
        archive.writestr("a.xhtml", "<html><body><p>The heron stands at the pond.</p></body></html>")
    stored = documents.add("book.epub", book.getvalue())
    with Index.build(documents.folder, settings=Settings(home=str(documents.folder.parent.parent))) as index:
        assert [hit.path for hit in index.search("where does the heron stand?")] == [stored.name]


def test_uploads_of_one_name_at_once_do_not_meet(documents: Documents) -> None:
    with ThreadPoolExecutor(8) as pool:
        names = {one.name for one in pool.map(lambda n: documents.add("a.md", b"%d" % n), range(24))}
    assert len(names) == 24
    assert {(documents.folder / name).read_bytes() for name in names} == {b"%d" % number for number in range(24)}


def test_nobody_fills_the_disk(documents: Documents) -> None:
    documents.folder.mkdir(parents=True)
    for number in range(uploads._MOST - 1):
        (documents.folder / f"{number}.md").touch()
    documents.add("a.md", b"words")
    with pytest.raises(LimitError, match=r"2,000 documents of 5 bytes.* Delete some"):
        documents.add("a.md", b"words")


def test_links_in_the_folder_are_not_documents(documents: Documents, tmp_path: Path) -> None:
    documents.add("a.md", b"words")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (documents.folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    assert [one.name for one in documents.list()] == ["a.md"]
