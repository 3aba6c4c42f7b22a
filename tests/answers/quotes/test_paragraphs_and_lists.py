"""Where a paragraph, a fenced block, a list, a clause and the comment at the head of a file begin and end."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from quaestor.answers.quotes.blocks import before_legal_words, end_of_comment, head_comment
from quaestor.answers.quotes.paragraphs import end_of_clause, end_of_items, paragraph_up_to, pieces_of
from quaestor.answers.quotes.readable_markup import readable


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("```sh\nrow\n\nland\n```\n\nIt lands.", "markdown"),
        ("----\nrow\n\nland\n----\n\nIt lands.", "asciidoc"),
        ("````\n```\nland\n````\n\nIt lands.", "markdown"),
    ],
)
def test_a_fenced_block_ends_with_its_own_fence(text: str, language: str) -> None:
    code, words = (text[piece.start : piece.end] for piece in pieces_of(text, begins=False, language=language))
    assert code == text.removesuffix("\n\nIt lands.")
    assert words == "It lands."


def test_a_list_begins_with_an_item() -> None:
    lines = ["Boats:", "- red", "- blue", "", "They float."]
    assert end_of_items(lines, 1, 5) is None
    assert end_of_items(lines, 2, 5) == 3


def test_the_last_clause_ends_with_its_document() -> None:
    lines = ["4.1 Boats are free.", "Ask the desk.", "4.2 Oars cost.", "  One coin each,", "  two at night."]
    assert end_of_clause(lines, 3) == 5
    assert end_of_clause(["1. Row.", "   Slowly.", "2. Land."], 1) == 2


def test_a_paragraph_is_read_up_to_a_line_from_its_item() -> None:
    lines = ["It floats.", "- Boats that", "  float and", "  row are:", "- red", "- blue"]
    assert paragraph_up_to(lines, 4) == "- Boats that   float and   row are:"
    assert paragraph_up_to(["Old.", "", "Boats that", "float are:"], 4) == "Boats that float are:"


def test_the_comment_at_the_head_of_a_file_may_follow_a_line_for_programs() -> None:
    lines = ["#!/bin/sh", "# Rows the boat over to the other side.", "# It waits for wind.", "row"]
    assert head_comment(lines) == (2, 3)
    assert head_comment(["", *lines]) == (3, 4)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_link_of_restructured_text_leads_to_its_address(scheme: str) -> None:
    shown = readable(f"See `the boats <{scheme}://ferry.example/a>`_.", "restructuredtext")
    assert shown == f"See [the boats]({scheme}://ferry.example/a)."


def test_an_address_and_the_end_of_a_line_are_no_words_of_a_comment() -> None:
    assert before_legal_words(["# one two three http://ferry.org/way"], 1, 1) is None
    assert before_legal_words(["# one two", "# three"], 1, 2) is None
    assert before_legal_words(["# one two", "# three four"], 1, 2) == (1, 2)


def test_a_comment_ends_before_it_begins_where_there_is_none() -> None:
    assert end_of_comment(["x = 1", "# no"], 1) == 0
    assert end_of_comment(["x = 1"], 2) == 1


@pytest.mark.parametrize(
    ("lines", "start", "longest", "end"),
    [
        (["# a", "# b", "x = 1"], 1, 9, 2),
        (["x = 1"], 1, 9, 0),
        (["# a"], 2, 9, 1),
        (["# a", "# b", "# c", "# d"], 1, 2, 3),
        (["# a", "# b"], 1, 9, 2),
        (['"""a', "b", '"""', "x"], 1, 9, 3),
        (['"""a"""', '"""'], 1, 9, 1),
        (["{- a", "b -}", "x"], 1, 9, 2),
        (["(* a", "b *)", "x"], 1, 9, 2),
        (['"""a', "b", "c", "d", '"""'], 1, 3, 4),
    ],
)
def test_a_comment_ends_with_its_mark_or_its_last_line(lines: list[str], start: int, longest: int, end: int) -> None:
    assert end_of_comment(lines, start, longest) == end


@pytest.mark.parametrize(
    ("lines", "before"),
    [
        (["# SPDX-x", "# one two three four"], (2, 2)),
        (["/*", "# SPDX-x", "# one two three four"], (3, 3)),
        (["# one two three four", "# Copyright"], (1, 1)),
        (["# Copyright", "# one two three four"], None),
        (["# a b c d"] * 30, (1, 21)),
        (["# SPDX-x"], None),
        (["# one", "# SPDX-x", "# two three four"], None),
    ],
)
def test_a_comment_tells_something_before_its_licence(lines: Sequence[str], before: tuple[int, int] | None) -> None:
    assert before_legal_words(lines, 1, len(lines)) == before
