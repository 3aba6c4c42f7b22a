"""Parts of answers: where a statement, a head and a stretch of a definition end, and how code stands in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from quaestor import Index
from quaestor.answers.drafts import (
    CorpusLines,
    end_of_head,
    end_of_statement,
    in_code,
    innermost_definition,
    line_of_name,
    place_of,
    stretch,
)
from quaestor.chunking.definitions import Definition, definitions
from quaestor.core.documents import Chunk, Document, Hit, Span
from quaestor.related.stored_files import IndexedFile, load_file


@pytest.mark.parametrize(("last", "place"), [(7, "a.py:7"), (9, "a.py:7-9")])
def test_a_place_is_a_line_or_the_first_and_the_last(last: int, place: str) -> None:
    assert place_of(Hit(Document("a.py", "", 0, 0, "python"), Chunk(Span(0, 1, 7, last), "x"), 0.0)) == place


@pytest.mark.parametrize(
    ("lines", "line", "end"),
    [
        (["f(", "    1,", ")", "g()"], 1, 3),
        (["f(", "    1,", ")", "g()"], 4, 4),
        (["a = [", *["    1,"] * 4, "]"], 1, 6),
        (["a = [", *["    1,"] * 5, "]"], 1, 1),
        (["x", "f("], 2, 2),
    ],
)
def test_a_statement_ends_where_its_brackets_do_if_that_is_near(lines: Sequence[str], line: int, end: int) -> None:
    assert end_of_statement(lines, line) == end


HEADS = {
    "python": ("# drain\n@once\ndef drain(\n    queue,\n):\n    queue.clear()\n", 2, 5),
    "java": (
        "class A {\n    // drain\n    @Test\n    static void\n    drain()\n        throws E {\n    x();\n  }\n}\n",
        3,
        6,
    ),
    "c": ("/* drain */\nvoid\ndrain(int a)\n{\n    a++;\n}\n", 2, 3),
}


@pytest.mark.parametrize("language", HEADS)
def test_a_head_ends_before_the_body(language: str) -> None:
    text, start, end = HEADS[language]
    found = next(one for one in definitions(text.encode(), language) if one.name == "drain")
    assert end_of_head(text.split("\n"), found, start, "drain") == end


def test_a_head_without_a_known_definition_is_the_statement_that_names_it() -> None:
    lines = ["drain first", "", "@drain", "static", "int drain(", "  int a)", "{"]
    assert end_of_head(lines, None, 3, "drain") == 6


def test_a_name_in_a_comment_or_a_string_is_not_given_there() -> None:
    lines = ["# X", "@X", "f('X', \"X\")", "X()", "X()"]
    assert [line_of_name(lines, 1, last, "X") for last in (5, 4, 3)] == [4, 4, 1]


def test_the_innermost_definition_holds_a_line() -> None:
    text = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    found = definitions(text.encode(), "python")
    assert [one.name if (one := innermost_definition(found, line)) else None for line in (1, 3, 6, 9)] == [
        "A",
        "f",
        "g",
        None,
    ]


def file_of(ferry: Index, path: str) -> tuple[IndexedFile, Sequence[Definition]]:
    file = load_file(ferry.store, path)
    assert file is not None
    return file, definitions(file.text.encode(), "python")


def test_of_a_long_definition_the_lines_around_one_are_quoted_from_a_blank_one_on(ferry: Index) -> None:
    file, known = file_of(ferry, "ferry/boat.py")
    carry = innermost_definition(known, 20)
    assert stretch(file, carry, 20) == (12, 26)
    assert stretch(file, carry, 20, 22) == (12, 28)
    assert stretch(file, carry, 5) == (4, 11)
    assert stretch(file, carry, 57) == (57, 57)
    assert stretch(file, None, 3) == (3, 9)
    file, known = file_of(ferry, "ferry/desk.py")
    assert stretch(file, innermost_definition(known, 6), 6) == (5, 7)


def test_blank_lines_around_a_quote_are_left_out(ferry: Index) -> None:
    hit = CorpusLines(ferry).hit("ferry/boat.py", 2, 4)
    assert (hit.start_line, hit.end_line, hit.text) == (4, 4, "def carry(letter):")
    with pytest.raises(KeyError, match=r"ferry/none\.py"):
        CorpusLines(ferry).hit("ferry/none.py", 2, 4)
    with pytest.raises(KeyError, match=r"ferry/none\.py"):
        CorpusLines(ferry).statement("ferry/none.py", 2)


def test_the_head_is_that_of_the_definition_within_the_lines(ferry: Index) -> None:
    heads = [CorpusLines(ferry).head("Boats.java", start, end, "x.drain") for start, end in ((2, 3), (6, 8))]
    assert [(hit.start_line, hit.end_line) for hit in heads] == [(2, 3), (6, 7)]


def test_code_with_a_backtick_stands_between_two() -> None:
    assert in_code("a`b") == "`` a`b ``"


def test_code_in_running_text_stands_on_one_line_between_more_backticks_than_it_has() -> None:
    assert [in_code(one) for one in ("a\n  b", "`a`", "a``b")] == ["`a b`", "`` `a` ``", "``` a``b ```"]
