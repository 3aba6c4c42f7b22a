"""Who wrote a document and when, as it says itself or its path does."""

from __future__ import annotations

from pathlib import Path

import pytest

from quaestor.chunking import cut
from quaestor.files.indexing_values import IngestSettings
from quaestor.indexing.prepare import CutFile, Preparer, Task
from quaestor.stores.embedded.packing import pack


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.md", "---\nauthor: Ana\ndate: 2021-03-04 10:00:00 +0100\n---\nText\n", ("Ana", "2021-03-04")),
        ("a.md", "---\nauthors: [Ana, 'Ben O']\npublished: March 2021\n---\nText\n", ("Ana, Ben O", "2021-03")),
        (
            "a.md",
            "---\nauthors:\n  - name: Ana\n    email: a@b.c\n  - name: Ben\n---\nA\n",
            ("Ana, Ben", None),
        ),
        ("a.md", "---\nauthors:\n- Ana\n- Ben\ntitle: By hand\n---\nText\n", ("Ana, Ben", None)),
        ("a.md", "---\nauthor:\n  name: Ana\ndate_published: 2021\n---\nText\n", ("Ana", "2021")),
        ("a.md", '+++\nauthors = ["Ana"]\ndate = 2021-03-04T10:00:00Z\n+++\nText\n', ("Ana", "2021-03-04")),
        ("a.md", "Title: A\nDate: 2021-03-04\nAuthor: Ana\n\nText\n", ("Ana", "2021-03-04")),
        ("a.md", "---\ndate: soon\n---\nText\n", (None, None)),
        ("a.rst", "Title\n=====\n\n:author: Ana\n:date: 4 March 2021\n", ("Ana", "2021-03-04")),
        (
            "pep.rst",
            "PEP: 1\nTitle: A\n  longer one\nAuthor: Ana <a@b.c>,\n        Ben <b@b.c>\nCreated: 22-Feb-2021\n\nText\n",
            ("Ana, Ben", "2021-02-22"),
        ),
        ("a.adoc", "= Title\nAna Núñez <a@b.c>\nv1.0, 2021-03-04: first\n\nText\n", ("Ana Núñez", "2021-03-04")),
        ("a.adoc", "= Title\n:author: Ana\n:revdate: 2021-03-04\n\nText\n", ("Ana", "2021-03-04")),
        (
            "a.adoc",
            "From: Ana <a@b.c>\nDate: Thu, 4 Mar 2021 10:00:00 +0100\n\nText\n",
            ("Ana", "2021-03-04"),
        ),
        ("a.md", "# Title\n\nOn 2021-03-04 this was said by Ana.\n", (None, None)),
    ],
)
def test_what_a_document_says_of_itself(path: str, text: str, expected: tuple[str | None, str | None]) -> None:
    made = cut(text.encode(), path)
    assert (made.author, made.date) == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("posts/2021-03-04-a.md", "# A\n\nText\n", "2021-03-04"),
        ("posts/2021-03-04-a.md", "---\ndate: 2020\n---\n# A\n", "2020"),
        ("2021/03/a.html", f"<title>A</title><p>{'words ' * 50}</p>", "2021-03"),
        ("a.html", f'<meta name="date" content="2021-03-04T10:00"><p>{"words " * 50}</p>', "2021-03-04"),
        ("migrations/2021-03-04-a.py", "x = 1\n", None),
        ("a.md", "# A\n", None),
    ],
)
def test_paths_say_when_nothing_else_does(tmp_path: Path, path: str, text: str, expected: str | None) -> None:
    place = tmp_path / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    [done] = Preparer(str(tmp_path), IngestSettings(), "e", pack).prepare([Task(path)])
    assert isinstance(done, CutFile)
    assert done.document.date == expected
