"""Which lines are taken of a file, an entry and a table that say what something is, at the limits of each rule."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from quaestor.answers.names import explain_file
from quaestor.answers.names.resolved_names import name_of_message
from quaestor.answers.names.term_definitions import (
    _end_of_entry,
    _end_of_words,
    _head_of_table,
    end_of_list,
    is_abbreviation,
)

WORDS = "one two three four five six seven eight"


@pytest.mark.parametrize(
    ("lines", "at", "end"),
    [
        (["a", "", "b", "c"], 1, 1),
        (["a", "", "b", "c"], 2, 1),
        (["a", "", "b", "c"], 3, 3),
        (["a", "", "b", "c"], 9, 4),
        (["a"] * 60, 20, 20),
        ([*["a"] * 39, "", "b"], 20, 39),
        ([*["a"] * 40, "", "b"], 20, 20),
    ],
)
def test_a_block_of_code_ends_before_a_blank_line_that_is_near(lines: Sequence[str], at: int, end: int) -> None:
    assert explain_file._end_of_block(lines, at) == end


@pytest.mark.parametrize(
    ("lines", "paragraph"),
    [
        ([WORDS], (1, 1)),
        (["# H", "", WORDS], (3, 3)),
        (["one two", "", "", WORDS, "c"], (4, 5)),
        (["one two"], (1, 1)),
        (["", f"[a](b) {WORDS}", "", WORDS], (4, 4)),
        (["", f"{WORDS} and more [a](b)"], (2, 2)),
        (["", f" **{WORDS}**"], (2, 2)),
        (["one two three four", "five six seven eight"], (1, 2)),
        (["one two three four", "five six seven"], (1, 1)),
        (["", *["a b"] * 20], (2, 14)),
    ],
)
def test_the_first_paragraph_of_eight_words_says_what_a_document_is(
    lines: Sequence[str], paragraph: tuple[int, int]
) -> None:
    assert explain_file._first_paragraph(lines) == paragraph


@pytest.mark.parametrize(
    ("lines", "line", "name"),
    [
        (['ERR_A = "x"'], 1, "ERR_A"),
        (["ERR_A = f(", '"x"'], 2, "ERR_A"),
        (["ERR_A = f(", "1,", '"x"'], 3, "ERR_A"),
        (["ERR_A = f(", "1,", "2,", '"x"'], 4, ""),
        (["ERR_A = f(1);", '"x"'], 2, "ERR_A"),
        (["ERR_A = f(", "g(1);", '"x"'], 3, ""),
        (["a = 1;", '"x"'], 2, ""),
        (['#[error("x")]', "Gone,"], 1, "Gone"),
        (['#[error("x")]', "#[b]", "#[c]", "Gone"], 1, "Gone"),
        (['#[error("x")]', "#[b]", "#[c]", "#[d]", "Gone"], 1, ""),
        (['#[error("x")]'], 1, ""),
        (['var ErrGone = E("x")'], 1, "ErrGone"),
        (["x"], 1, ""),
    ],
)
def test_a_message_is_bound_to_a_name_near_it(lines: Sequence[str], line: int, name: str) -> None:
    assert name_of_message(lines, line) == name


TABLE = ["| a |", "|---|"]


@pytest.mark.parametrize(
    ("lines", "number", "head"),
    [
        (["| a | b |", "|---|---|", "| c | d |"], 3, 1),
        (["|---|", "| c |"], 2, 2),
        (["a", "| c |"], 2, 2),
        ([*TABLE, "", "| c |"], 4, 4),
        ([*TABLE, *["| x |"] * 13], 15, 1),
        ([*TABLE, *["| x |"] * 14], 16, 16),
    ],
)
def test_a_row_is_shown_with_a_head_that_is_near(lines: Sequence[str], number: int, head: int) -> None:
    assert _head_of_table(lines, number) == head


@pytest.mark.parametrize(
    ("lines", "indent", "end"),
    [
        (["- a", "  b", "- c"], 0, 2),
        (["- a", "", "  b", "", "c"], 0, 3),
        (["- a", "", "c"], 0, 1),
        (["- a", ""], 0, 1),
        (["  - a", "- b"], 2, 1),
        (["- a", "  - b", "  c"], 0, 3),
        (["- a", *["  b"] * 20], 0, 14),
        (["- a", *["  b"] * 14, "- c"], 0, 14),
        (["- a", *["  b"] * 12, "- c"], 0, 13),
    ],
)
def test_an_entry_ends_with_the_next_of_its_depth(lines: Sequence[str], indent: int, end: int) -> None:
    assert _end_of_entry(lines, 1, indent) == end


def test_words_of_an_item_end_with_a_blank_line_or_an_item() -> None:
    lines = [["a", "b", "", "c"], ["a", "- b"], ["a"] * 30, ["a"], [*["a"] * 15, ""], [*["a"] * 17, ""]]
    assert [_end_of_words(one, 1) for one in lines] == [2, 1, 15, 1, 15, 15]


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        (["a:", "- b", "- c", "", "d"], 3),
        (["a:", "", "- b", "  c", "", "d"], 4),
        (["a:", "", "", "- b"], 1),
        (["a:", "b"], 1),
        (["a:"], 1),
        (["a:", "- b", "", "- c"], 4),
        (["a:", "- b", "c"], 3),
        (["a:", "- b", "", "\tc"], 4),
        (["a:", *["- b"] * 20], 16),
    ],
)
def test_a_list_that_is_announced_goes_on_over_blank_lines(lines: Sequence[str], end: int) -> None:
    assert end_of_list(lines, 1) == end


def test_an_abbreviation_has_two_to_seven_capitals_and_may_be_plural() -> None:
    terms = ["CLs", "CL", "ABCDEFG", "ABCDEFGs", "C", "ABCDEFGH", "Cl", "CLS "]
    assert [is_abbreviation(term) for term in terms] == [True] * 4 + [False] * 4
