"""Which lines an overview reads, where these begin and where they end, at the limits of each rule."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from quaestor.answers.overview import build_and_test, guide_sections, introduction, path_descriptions, prose_lines
from quaestor.answers.overview.build_and_test import Aim
from quaestor.answers.overview.entry_points import _is_within_test
from quaestor.answers.overview.overview_text import Entry, Source, Statement, line_of
from quaestor.answers.overview.prose_lines import Part

FENCED = ["```", *["a"] * 24, "```"]


@pytest.mark.parametrize(
    ("lines", "at", "least", "first"),
    [
        (["a", "", "Do:", "", "x"], 5, 1, 3),
        (["# H", "", "x"], 3, 1, 3),
        (["Do:", "", "```", "a", "x"], 5, 1, 1),
        (["Do:", "  y", "  x"], 3, 1, 1),
        (["Do:", "", "  y", "  x"], 4, 4, 4),
        (["Do:", "", "", "x"], 4, 1, 1),
        (["a", "b", "", "x"], 4, 2, 2),
        (["", "b", "", "  x"], 4, 3, 4),
        (["```", "a", "```", "Do:", "x"], 5, 1, 1),
        (["= H", "Do:", "", "x"], 4, 1, 2),
    ],
)
def test_a_paragraph_leads_to_a_line_of_code(lines: Sequence[str], at: int, least: int, first: int) -> None:
    assert prose_lines.start_of_lead(lines, at, least) == first


@pytest.mark.parametrize(
    ("lines", "first", "last", "end", "opened", "shown"),
    [
        (["```", "a", "```", "b"], 1, 2, 4, 0, 3),
        (["a", "", "# H"], 1, 3, 3, 0, 1),
        (["a", "===", ""], 1, 3, 3, 0, 1),
        (FENCED[1:], 1, 1, 25, 1, 25),
        (FENCED, 1, 1, 26, 0, 1),
        (["```", "a", "```"], 1, 1, 2, 0, 1),
        (["#"], 1, 1, 1, 0, 1),
        (["a", "= H"], 1, 2, 2, 0, 1),
        (["a", "```", "b"], 1, 1, 3, 1, 2),
        (["a", "```", "b"], 1, 2, 3, 1, 2),
        (["Do:", "", "    a", "    b", "", "x"], 1, 3, 6, 0, 4),
        (["Such:", "", "a", "", "b"], 1, 1, 5, 0, 3),
        (["a", "b", "", "x"], 1, 1, 4, 0, 2),
        (["- a", "  b", "- c"], 1, 1, 3, 0, 2),
        (["| a |", "| b |"], 1, 1, 2, 0, 1),
        (["a"] * 30, 1, 2, 30, 0, 2),
    ],
)
def test_an_excerpt_cuts_no_block_and_ends_with_no_heading(
    lines: Sequence[str], first: int, last: int, end: int, opened: int, shown: int
) -> None:
    assert prose_lines.end_of_blocks(lines, first, last, end, opened=opened) == shown


@pytest.mark.parametrize(
    ("lines", "number", "underlines"),
    [
        (["abc", "---"], 2, True),
        (["abc", "-----"], 2, True),
        (["abc", "------"], 2, False),
        (["abcde", "---"], 2, True),
        (["abcdef", "---"], 2, False),
        (["---"], 1, False),
        (["", "---"], 2, False),
        (["abc", "-=-"], 2, False),
        (["*a", "--"], 2, False),
    ],
)
def test_an_underline_is_about_as_long_as_the_words_above(
    lines: Sequence[str], number: int, *, underlines: bool
) -> None:
    assert prose_lines._underlines(lines, number) == underlines


@pytest.mark.parametrize(
    ("lines", "number", "opens"),
    [
        (["", "----", "a", "----"], 2, True),
        (["", "----", "", "----"], 2, False),
        (["", "----", "a", "-----"], 2, False),
        (["abcd", "----", "a", "----"], 2, False),
        (["----", "a"], 1, False),
        (["----"], 1, False),
        (["----", "a", "----"], 1, True),
        (["----", "----"], 1, False),
    ],
)
def test_a_listing_is_opened_and_closed_by_the_same_line(lines: Sequence[str], number: int, *, opens: bool) -> None:
    assert prose_lines._opens_listing(lines, number) == opens


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        (["---", "a", "---", "b"], 3),
        (["+++", "a", "+++"], 3),
        (["---", "a"], 0),
        ([], 0),
        (["a", "---"], 0),
        (["---  ", "---"], 2),
        (["---", "+++"], 0),
    ],
)
def test_front_matter_ends_with_the_mark_that_begins_it(lines: Sequence[str], end: int) -> None:
    assert prose_lines.end_of_front_matter(lines) == end


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        (["# A"], "A"),
        (["#A"], None),
        (["####### A"], None),
        (["A", "="], None),
        (["A", "==="], "A"),
        (["Abcdef", "---"], None),
        (["Abcde", "---"], "Abcde"),
        (["---"], ""),
        ([" A", "---"], None),
        (["", "---"], None),
        (["a"], None),
        (["== A =="], "A"),
        (["== A"], "A"),
        (["==="], ""),
        (["# F#"], "F#"),
        (["# A #"], "A"),
        (["# #"], ""),
    ],
)
def test_headings_of_all_markups(lines: Sequence[str], title: str | None) -> None:
    assert prose_lines._heading(lines, 1) == title


def test_a_title_of_a_wiki_has_as_many_marks_behind_it() -> None:
    lines = [
        "== A ==",
        "= A =",
        "==A==  ",
        "======A======",
        "== A",
        "== A =",
        "=====",
        "=======A=======",
        "== =A ==",
        "A",
    ]
    assert [prose_lines._wiki_title(one) for one in lines] == ["A"] * 4 + [""] * 6


def test_tags_over_several_lines_are_left_out_while_they_are_open() -> None:
    shown = prose_lines._without_open_tags
    assert shown(["a <img", "src=1", "alt=2>b", "c"]) == ["a ", "", "b", "c"]
    assert shown(["<img", *["x"] * 9]) == ["", *[""] * 8, "x"]
    assert shown(["<img", *["x"] * 7, "y>z"]) == ["", *[""] * 7, "z"]
    assert shown(["<img", *["x"] * 8, "y>z"]) == ["", *[""] * 8, "y>z"]
    assert shown(["<img", "", "b>c"]) == ["", "", "b>c"]
    assert shown(["<b", "x"]) == ["<b", "x"]


def test_what_is_a_link_as_a_whole_is_left_out_unless_it_is_a_title_or_has_no_end() -> None:
    shown = prose_lines._without_linked_blocks
    assert shown(['<a href="x">', "<img>", "buy it", "</a>", "b"]) == ["", "", "", "", "b"]
    assert shown(["<A>", "</A>", "b"]) == ["", "", "b"]
    for kept in (['<a href="x">', "<h1>A</h1>", "</a>"], ["<a>x", "</a>"], ["<a>", *["b"] * 29, "</a>"]):
        assert shown(kept) == kept
    assert shown(["<a>", *["b"] * 28, "</a>", "c"]) == [*[""] * 30, "c"]


def test_sections_hold_those_below_them() -> None:
    assert [*prose_lines.parts_of(["# A", "## B", "### C", "## D", "# E", "", "z", ""])] == [
        Part("A", 2, 4, ()),
        Part("B", 3, 3, ("A",)),
        Part("C", 4, 3, ("A", "B")),
        Part("D", 5, 4, ("A",)),
        Part("E", 6, 7, ()),
    ]


def test_paragraphs_are_what_is_neither_list_nor_table_nor_code() -> None:
    lines = [
        *("# H", "", "One two three four.", "more words", ""),
        *("- item one two three", "  five six seven eight", "", "Then one two three four."),
        *("| a | b | c | d", "    code is not text here", "<div>", "  but this is text inside"),
    ]
    assert [(one.text, one.start_line, one.end_line, one.heading) for one in prose_lines.paragraphs(lines)] == [
        ("One two three four. more words", 3, 4, "H"),
        ("Then one two three four.", 9, 9, "H"),
        ("but this is text inside", 13, 13, "H"),
    ]


@pytest.mark.parametrize(
    ("paragraph", "within"),
    [
        (["<summary>", "a", "</summary>", "b"], (1, ["a"])),
        (["a", "<b>"], (0, ["a", "<b>"])),
        (["<summary>", "a"], (1, ["a"])),
        (["<summary>"], (0, ["<summary>"])),
        (["<summary>", "a", "b"], (1, ["a", "b"])),
    ],
)
def test_what_stands_within_tags_of_their_own_lines(paragraph: list[str], within: tuple[int, list[str]]) -> None:
    assert path_descriptions._within_tags(paragraph) == within


@pytest.mark.parametrize(
    ("paragraph", "within"),
    [
        (["Module : A", "Description : Sends", "  orders", "Copyright : x"], (1, ["Sends", "  orders"])),
        (["Module : A", "Description : x"], (1, ["x"])),
        (["Module : A", "License : x"], (0, [""])),
        (["a"], (0, ["a"])),
        (["Description : x"], (0, ["Description : x"])),
    ],
)
def test_the_head_of_a_module_of_haskell_has_a_description(paragraph: list[str], within: tuple[int, list[str]]) -> None:
    assert path_descriptions._within_haddock(paragraph) == within


def test_metadata_of_a_script_is_blank_if_it_ends() -> None:
    blank = path_descriptions._without_metadata
    assert blank(["a", "# /// script", "# b", "# ///", "x"]) == ["a", "", "", "", "x"]
    assert blank(["x", "# /// script", "# a"]) == ["x", "# /// script", "# a"]


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        (['#include "a"', "", "/* x", "y */", "", "int a;"], (3, 4)),
        (['#include "a"', "/* x */", "int a;"], None),
        (["/* x */", '#include "a"', "/* y */", ""], (3, 3)),
        (["int a;", '#include "a"', "/* x */", ""], None),
        (['#include "a"', "/* x */"], None),
        (["/* x */", ""], None),
        (['#include "a"', "#define B", "/* x */", "", "a"], (3, 3)),
        (['#include "a"', *[""] * 118, "/* x */", "", "a"], (120, 120)),
        (['#include "a"', *[""] * 119, "/* x */", "", "a"], None),
    ],
)
def test_a_comment_below_includes_stands_alone(lines: Sequence[str], place: tuple[int, int] | None) -> None:
    assert path_descriptions.comment_below_includes(lines) == place


@pytest.mark.parametrize(
    ("lines", "start", "line"),
    [
        (["# go", "def go():", "  go()"], 1, 2),
        (["use go", "def go():"], 1, 2),
        (["# go"], 1, 1),
        (["x"], 1, 1),
        (["x", "go()"], 2, 2),
    ],
)
def test_a_name_is_defined_in_a_line_that_tells_it(lines: Sequence[str], start: int, line: int) -> None:
    assert path_descriptions._line_with(lines, "go", start) == line


@pytest.mark.parametrize(
    ("lines", "language", "comments"),
    [
        (["# a", "# b", "", "# c", "x = 1", "# d"], "python", [(1, 1, ["a", "b"]), (2, 4, ["c"])]),
        (['"""a', "b", "", 'c"""', "x"], "python", [(1, 1, ["a", "b"]), (1, 4, ["c"])]),
        (["/* a", " * b", " *", " * c */", "int x;"], "c", [(1, 1, ["a", "b"]), (1, 4, ["c"])]),
        (["// a", "package x;", "// b", "class A"], "java", [(1, 1, ["a"]), (2, 3, ["b"])]),
        (["<!-- a", "b -->", "c"], "html", [(1, 1, ["a", "b"])]),
        (["{- a", "b -}", "module A where", "c"], "haskell", [(1, 1, ["a", "b"])]),
        (["(* a *)", "let x"], "ocaml", [(1, 1, ["a"])]),
        (["'''a'''"], "python", [(1, 1, ["a"])]),
        (['  @moduledoc ~S"""', "  a", '  """'], "elixir", [(1, 2, ["a"])]),
    ],
)
def test_comments_are_read_by_paragraphs(
    lines: Sequence[str], language: str, comments: Sequence[tuple[int, int, list[str]]]
) -> None:
    assert [*path_descriptions._comments(lines, language)] == comments


@pytest.mark.parametrize(
    ("text", "shown", "verbatim"),
    [
        ("a  b", "a b", False),
        ("a b", "a b", True),
        ("x" * 110, "x" * 110, True),
        ("x " * 55 + "x", ("x " * 55).strip(), True),
        (f"{'x' * 108} yz", "x" * 108, True),
    ],
)
def test_a_line_is_cut_behind_a_word(text: str, shown: str, *, verbatim: bool) -> None:
    says = build_and_test._line("a", 3, text).says
    assert says is not None and says.source is not None
    assert (says.text, says.verbatim, says.source.start_line, says.source.end_line) == (shown, verbatim, 3, 3)


def test_levels_of_headings() -> None:
    assert [guide_sections._level(one) for one in ("# A", "### A", "== A", "A", "")] == [1, 3, 2, 1, 1]


@pytest.mark.parametrize(
    ("lines", "last", "heads", "shown"),
    [
        (["# A", "```", "x", "```", "y"], 3, set(), 4),
        (["# A", "```", "x"], 3, set(), 1),
        (["# A", "x", "", "## B"], 4, {4}, 2),
        (["# A", "```", "x", "~~~", "```"], 3, set(), 5),
        (["# A", "```", *["x"] * 19, "```"], 2, set(), 22),
        (["# A", "```", *["x"] * 20, "```"], 2, set(), 1),
        (["# A", "", "y", "```", *["x"] * 20, "```"], 4, set(), 3),
        (["# A", ""], 2, set(), 1),
    ],
)
def test_a_section_to_show_cuts_no_block(lines: Sequence[str], last: int, heads: set[int], shown: int) -> None:
    assert guide_sections._whole_blocks(lines, 1, last, heads) == shown


@pytest.mark.parametrize(
    ("lines", "section"),
    [
        (["# A", "## Build", "`make`", "## C", "y"], (3, 3)),
        (["# A", "## Build", "", "`make`", "", "## C"], (4, 4)),
        (["# A", "## Build", "### More", "`make`", "# D"], (3, 4)),
        (["# A", "## Build", "", "`make`", "x"], (4, 5)),
        (["# A", "Build", "-----", "`make`"], (4, 4)),
        (["# A", "## Build", *["`make`"] * 30], (3, 22)),
        (["# A", "## Build", "Do it."], None),
        (["# A", f"## Build {'x' * 54}", "`make`"], (3, 3)),
        (["# A", f"## Build {'x' * 55}", "`make`"], None),
    ],
)
def test_a_section_tells_how_it_is_built(lines: Sequence[str], section: tuple[int, int] | None) -> None:
    found = [*guide_sections._sections(lines, "a.md", re.compile("Build"), "build")]
    assert [(one.start_line, one.end_line) for one in found] == ([section] if section else [])


def test_steps_of_a_workflow_are_lines_or_blocks() -> None:
    lines = ["- run: make", "- run: |", "    a", "", "    b", "  c: d", "- run: >", "    e", "f: g"]
    found = [(1, "make"), (3, "    a"), (5, "    b"), (6, "  c: d"), (8, "    e")]
    assert [*build_and_test._runs(lines)] == found


def test_a_task_is_the_nearer_to_an_aim_the_more_it_is_called_so() -> None:
    names: list[tuple[str, Aim | None]] = [("test", "test"), ("tests", "test"), ("test-all", "test"), ("check", "test")]
    names += [("x", "test"), ("all", "build"), ("tests", None), ("build-it", None), ("x", None)]
    assert [build_and_test._distance(*one) for one in names] == [0, 0, 1, 2, 3, 1, 0, 1, 3]


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (["# A", "", "> It sends.", "> More.", "", "x"], ["# A", "", "It sends.", "More.", "", "x"]),
        (["# A", "> **Note**: x"], None),
        (["# A", "b", "c", "d", "> e"], None),
        (["# A", "b", "c", "> e"], ["# A", "b", "c", "e"]),
        (["> a"], ["a"]),
        (["x"], None),
    ],
)
def test_a_tagline_is_a_quote_below_the_title(lines: list[str], shown: list[str] | None) -> None:
    assert introduction._with_tagline(lines) == (shown or lines)


@pytest.mark.parametrize(
    ("lines", "within"),
    [
        (["#ifdef SHOP_TEST"], True),
        (["#ifdef SHOP_TEST", "#endif"], False),
        (["#ifdef A", "#else /* TEST */"], True),
        (["#ifdef TEST", "#else"], False),
        (["#if TEST", "#if A", "#endif"], True),
        (["#if A", "#elif TEST"], True),
        (["#endif"], False),
        (["#else TEST"], False),
    ],
)
def test_a_condition_for_tests_is_open(lines: Sequence[str], *, within: bool) -> None:
    assert _is_within_test(lines) == within


def test_where_nothing_is_said_of_a_place_no_colon_leads_to_it() -> None:
    source = Source("main.go", 3, 3)
    assert line_of(Entry("main.go", Statement("func main() {", source, brief="")), 2) == "- main.go [2]"
    assert line_of(Entry("main.go", Statement("Runs it.", source)), 2) == "- main.go: Runs it. [2]"
    assert line_of(Entry("main.go", about="2024"), None) == "- main.go: 2024"
