"""What is left out of a PDF: running heads, page numbers, and what programs write for want of a title or a mark."""

from __future__ import annotations

import made_documents as made
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.convert import convert_file
from quaestor.convert.pdf import without_running_heads

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lamda mu".split()


def test_heads_of_left_and_right_pages_and_their_numbers_go() -> None:
    pages = [
        f"{'The Manual' if number % 2 else 'Chapter One'}\n\n{word} is said here.\nMore of {word}.\n{number + 7} of 90"
        for number, word in enumerate(WORDS)
    ]
    found = without_running_heads(pages)
    # A head stays where it stands first.
    assert found[0] == "Chapter One\n\nalpha is said here.\nMore of alpha."
    assert found[1] == "The Manual\n\nbeta is said here.\nMore of beta."
    assert found[2:] == [f"{word} is said here.\nMore of {word}." for word in WORDS[2:]]


def test_what_is_no_head_stays() -> None:
    few = ["Head\nalpha", "Head\nbeta", "Head\ngamma"]
    assert without_running_heads(few) == few
    results = [f"{word}\nThe result is {number * number}" for number, word in enumerate(WORDS)]
    assert without_running_heads(results) == results
    long = ["x" * 200 + f"\n{word}" for word in WORDS]
    assert without_running_heads(long) == long


def test_a_pdf_keeps_its_pages_in_order_without_their_numbers() -> None:
    found = convert_file(made.pdf([f"{word}) Tj 0 -20 Td (Page {n}" for n, word in enumerate(WORDS, 1)]), "a.pdf")
    assert found is not None
    assert found.text == "\n\n".join(f"## Page {n}\n\n{word}" for n, word in enumerate(WORDS, 1)) + "\n"


@given(st.lists(st.lists(st.sampled_from(["Head", "3", "a line", "", " "]), max_size=6).map("\n".join), max_size=20))
def test_what_stays_are_lines_of_the_page_in_order(pages: list[str]) -> None:
    found = without_running_heads(pages)
    assert len(found) == len(pages)
    for before, after in zip(pages, found, strict=True):
        rest = iter(before.split("\n"))
        assert all(line in rest for line in after.split("\n") if line)
    assert {line for page in pages for line in page.split("\n")} - {"", " ", "3"} == {
        line for page in found for line in page.split("\n")
    } - {"", " ", "3"}


@pytest.mark.parametrize(
    ("given", "title"),
    [
        (r"\(anonymous\)", None),
        ("Untitled", None),
        ("Microsoft Word - Ferry times.docx", "Ferry times"),
        ("How to read a .docx", "How to read a .docx"),
        ("Anonymous letters", "Anonymous letters"),
    ],
)
def test_a_title_that_nobody_gave_is_none(given: str, title: str | None) -> None:
    found = convert_file(made.pdf(["alpha"], given), "a.pdf")
    assert found is not None
    assert found.title == title


def test_what_a_font_of_symbols_makes_of_a_mark_is_one() -> None:
    found = convert_file(made.pdf([r"\001 alpha) Tj 0 -20 Td (be\001ta"]), "a.pdf")
    assert found is not None
    assert found.text == "## Page 1\n\n• alpha\nbeta\n"
