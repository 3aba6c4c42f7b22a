"""Headings in PDF: which lines are told to be headings, by the size and weight of their letters."""

from __future__ import annotations

import math
import re

import made_documents as made
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.answers.quotes.quotable_stretches import stretches_of
from quaestor.answers.quotes.quotes_in_markdown import label_of
from quaestor.convert import convert_file
from quaestor.convert.pdf import Line, headings_of, lines_of
from quaestor.convert.pdf_pieces import Piece
from quaestor.llm.prompts.numbered_passages import Passage

TEXT = "The kiln is fired overnight and cools for two days before anybody opens it."
PROSE = [Line(TEXT, 10.0, bold=False)] * 4


def show(text: str, y: int, size: int = 10, x: int = 72) -> str:
    return f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET"


def read(*pages: list[str]) -> str:
    found = convert_file(made.pdf([" ".join(["q", *page, "Q"]) for page in pages]), "a.pdf")
    assert found is not None
    return found.text


def test_lines_in_larger_letters_are_headings_by_their_size() -> None:
    lines = [show("Firing", 700, 18), show("2.1 Bisque firing", 660, 14), *(show(TEXT, 640 - 12 * n) for n in range(4))]
    assert read(lines) == f"## Page 1\n\n### Firing\n\n#### 2.1 Bisque firing\n\n{chr(10).join([TEXT] * 4)}\n"


def test_a_heading_over_two_lines_is_one_and_one_below_with_a_number_is_another() -> None:
    lines = [show("Firing and cooling", 700, 18), show("of stoneware", 680, 18), show("1. Before firing", 660, 18)]
    text = read([*lines, *(show(TEXT, 640 - 12 * n) for n in range(4))])
    assert "### Firing and cooling of stoneware\n\n### 1. Before firing\n\n" in text


def test_a_page_that_begins_amid_a_sentence_is_named_after_its_section() -> None:
    prose = [show(TEXT, 640 - 12 * n) for n in range(6)]
    text = read([show("Firing", 700, 18), *prose], [show("and is then unpacked.", 700), *prose], [*prose])
    assert re.findall("^## .*", text, re.MULTILINE) == ["## Page 1", "## Page 2: Firing", "## Page 3"]


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        (Line("Cooling", 10.0, bold=True), True),
        (Line("Cooling", 12.0, bold=False), True),
        (Line("3.2\nCooling", 12.0, bold=False), True),
        (Line("3.2 Cooling.", 12.0, bold=False), True),
        (Line("Cooling", 10.0, bold=False), False),
        (Line("Cooling", 11.0, bold=False), False),
        (Line("Cooling", 9.0, bold=True), False),
        (Line("Cooling takes two days.", 12.0, bold=False), False),
        (Line("Wares:", 12.0, bold=False), False),
        (Line("and cooling", 12.0, bold=False), False),
        (Line("Cooling . . . . . . 12", 12.0, bold=False), False),
        (Line("Cooling 12", 10.0, bold=True), False),
        (Line("Phase 2", 12.0, bold=False), True),
        (Line("12", 12.0, bold=False), False),
        (Line("Cooling", 12.0, bold=True, alone=False), False),
        (Line("Cooling " * 11, 10.0, bold=True), False),
    ],
)
def test_what_is_a_heading(line: Line, is_heading: bool) -> None:
    assert headings_of([[*PROSE, line, *PROSE]]) == [{line.text: 1} if is_heading else {}]


def test_nothing_is_a_heading_where_much_is_large_or_all_is_bold() -> None:
    slide = [Line("Stoneware", 24.0, bold=False), Line("Porcelain", 24.0, bold=False)]
    assert headings_of([PROSE * 9, [*slide, PROSE[0]][:2]]) == [{}, {}]
    assert headings_of([[line._replace(bold=True) for line in PROSE] + [Line("Cooling", 10.0, bold=True)]]) == [{}]
    assert headings_of([]) == []


def test_a_line_holds_what_stands_at_its_height_and_no_one_style_if_parts_differ() -> None:
    beside = [Piece("2.1\n", 72, 700, 90, 14.0, bold=True), Piece("Cooling\n", 100, 700.2, 160, 14.0, bold=True)]
    below = [Piece("Name: ", 72, 650, 90, 10.0, bold=True), Piece("____\n", 100, 650, 160, 12.0)]
    apart = [Piece("left\n", 72, 600, 90, 10.0), Piece("mid\n", 72, 580, 90, 10.0), Piece("right", 300, 600, 350, 10.0)]
    assert lines_of([*beside, *below, *apart]) == [
        Line("2.1\nCooling", 14.0, bold=True),
        Line("Name: ____", 0.0, bold=False),
        Line("left", 10.0, bold=False, alone=False),
        Line("mid", 10.0, bold=False),
        Line("right", 10.0, bold=False, alone=False),
    ]


def test_numbers_of_a_damaged_file_make_no_heading() -> None:
    far = [Piece(f"{y}\n", 72, y, 90, size) for y in (math.inf, -math.inf, math.nan) for size in (math.inf, math.nan)]
    found = lines_of([*far, *(Piece(f"{TEXT}\n", 72, 600 - 12 * n, 90, 10.0) for n in range(3))])
    assert headings_of([found]) == [{}]
    assert [line.text for line in found[-3:]] == [TEXT] * 3


WORDS = st.sampled_from(["Cooling", "2.1 Firing (a+b)", TEXT, "and so on", "# mark", "| a", "12"])
PAGES = st.lists(st.lists(st.tuples(WORDS, st.sampled_from([10, 14, 18])), max_size=8), min_size=1, max_size=3)


@given(PAGES)
def test_whatever_is_a_heading_no_letter_is_lost(pages: list[list[tuple[str, int]]]) -> None:
    written = [[(words.replace("(", "").replace(")", ""), size) for words, size in page] for page in pages]
    shown = [[show(words, 700 - 30 * n, size) for n, (words, size) in enumerate(page)] for page in written]
    said = [words for page in written for words, _ in page]
    if said:
        text = re.sub("^## Page .*", "", read(*shown), flags=re.MULTILINE)
        assert re.findall(r"\w", text) == re.findall(r"\w", " ".join(said))


def test_a_quote_from_a_pdf_names_its_page() -> None:
    text = f"#### Cooling\n\n{TEXT}\n\n## Page 12\n\n#### Glazing\n\nGlazes are mixed by weight."
    passage = Passage(1, "a.pdf", 1, 9, text, symbol="Page 11: Firing > Cooling", language="markdown")
    named = [(one.page, one.section) for one in stretches_of(passage)]
    assert named == [("Page 11", "Cooling"), ("Page 12", "Glazing")]
    assert label_of("The kiln", "Page 11", "`Cooling` > [after]") == "The kiln > Page 11 > Cooling after"
    assert label_of("The kiln " * 10, "Page 11", "Cooling") == "Page 11 > Cooling"
    assert all(not one.page for one in stretches_of(Passage(1, "a.md", 1, 9, text, language="markdown")))
