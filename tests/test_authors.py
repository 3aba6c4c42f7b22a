"""Authors as documents name them and people ask for them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.bylines import author_line, author_words, is_by, whole_names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Guido van Rossum <guido@python.org>,\n  Barry Warsaw <b@x.org>", "Guido van Rossum, Barry Warsaw"),
        ("Hood Chatham <hood at gmail.com>", "Hood Chatham"),
        ("Ana (ana@example.org)", "Ana"),
        ("guido@python.org", "guido@python.org"),
        ("<a@b.c>", "a@b.c"),
        ("A and B & C; D", "A, B, C, D"),
        (" , ", None),
        ("", None),
    ],
)
def test_author_lines(text: str, expected: str | None) -> None:
    assert author_line(text) == expected


@pytest.mark.parametrize(
    ("author", "name", "expected"),
    [
        ("Julia Evans", "julia evans", True),
        ("Evans, Julia", "Julia Evans", True),
        ("Ana Núñez, Ben", "NUNEZ", True),
        ("Aslı Işık", "ASLI IŞIK", True),
        ("Julia Evans", "Jul", False),
        ("Julia Evans", "Julia Roberts", False),
        ("Julia Evans", "", False),
        (None, "Julia", False),
    ],
)
def test_whom_a_document_is_by(author: str | None, name: str, expected: bool) -> None:
    assert is_by(author, (name,)) is expected


@given(st.text(), st.text())
def test_everybody_is_named_by_their_own_name(one: str, other: str) -> None:
    for name in (one, other):
        if author_words(name):
            assert is_by(f"{one}, {other}", (name.upper(), "nobody else"))


def test_whole_names() -> None:
    assert frozenset({"ana", "nunez"}) in whole_names("Ana Núñez, Ben")
    assert frozenset({"ben"}) in whole_names("Ana Núñez, Ben")
    assert frozenset({"ana", "nunez"}) in whole_names("Núñez, Ana")
    assert frozenset({"ana"}) not in whole_names("Ana Núñez")
