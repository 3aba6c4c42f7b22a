"""Tables in PDF: which lines are recognised as a table, and which are not."""

from __future__ import annotations

from itertools import product

import made_documents as made
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.convert import convert_file
from quaestor.convert.pdf_pieces import Piece, Pieces, Stroke
from quaestor.convert.pdf_tables import with_tables

KILN = [["Ware", "Cone", "Hours"], ["Stoneware", "10", "9"], ["Porcelain", "12", "11"], ["Raku", "06", "1"]]
KILN_TABLE = (
    "| Ware | Cone | Hours |\n| --- | --- | --- |\n| Stoneware | 10 | 9 |\n| Porcelain | 12 | 11 |\n| Raku | 06 | 1 |"
)
LEFT, TOP = 72, 700
WIDE, HIGH = 120, 18


def said(text: str, x: float, y: float) -> str:
    return f"BT /F1 10 Tf {x} {y} Td ({text}) Tj ET"


def words(rows: list[list[str]]) -> list[str]:
    """Return operators that write rows in columns."""
    places = product(range(len(rows)), range(len(rows[0])))
    return [said(rows[row][column], LEFT + 4 + WIDE * column, TOP - 13 - HIGH * row) for row, column in places]


def rules(rows: int, columns: int) -> list[str]:
    """Return operators that draw lines around cells."""
    right, low = LEFT + WIDE * columns, TOP - HIGH * rows
    level = [f"{LEFT} {TOP - HIGH * row} m {right} {TOP - HIGH * row} l S" for row in range(rows + 1)]
    upright = [f"{LEFT + WIDE * column} {low} m {LEFT + WIDE * column} {TOP} l S" for column in range(columns + 1)]
    return level + upright


def read(*operators: str) -> str:
    found = convert_file(made.pdf([" ".join(["q", *operators, "Q"])]), "a.pdf")
    assert found is not None
    return found.text.removeprefix("## Page 1\n\n").rstrip("\n")


def test_a_table_without_lines_stands_between_its_prose() -> None:
    before, after = said("Wares are fired as follows.", LEFT, TOP + 40), said("Raku is quick.", LEFT, 500)
    assert read(before, *words(KILN), after) == f"Wares are fired as follows.\n\n{KILN_TABLE}\n\nRaku is quick."


def test_a_table_is_found_in_one_string_with_gaps() -> None:
    lines = [
        f"BT /F1 10 Tf {LEFT} {TOP - HIGH * row} Td [({one}) {-9000 + 500 * len(one)} ({two}) -3000 ({three})] TJ ET"
        for row, (one, two, three) in enumerate([[f"{one:9}", f"{two:2}", three] for one, two, three in KILN[1:]])
    ]
    assert read(*lines) == "| Stoneware | 10 | 9 |\n| --- | --- | --- |\n| Porcelain | 12 | 11 |\n| Raku | 06 | 1 |"


def test_words_of_several_lines_are_one_cell_where_lines_are_drawn_around_it() -> None:
    rows = [["Ware", "Remark"], ["Raku", ""], ["Porcelain", "white"]]
    wrapped = [said("taken out while", LEFT + WIDE + 4, TOP - 25), said("it glows", LEFT + WIDE + 4, TOP - 33)]
    # What is underlined is no row of its own.
    underline = f"{LEFT + WIDE + 4} {TOP - 27} 110 0.6 re f"
    text = read(*rules(3, 2), underline, *words(rows)[:3], *wrapped, *words(rows)[4:])
    assert text == "| Ware | Remark |\n| --- | --- |\n| Raku | taken out while it glows |\n| Porcelain | white |"


def test_empty_cells_and_bars_stay_in_their_place() -> None:
    rows = [["a|b", "", "third"], ["one", "two", ""], ["", "six", "seven"]]
    assert read(*rules(3, 3), *words(rows)).splitlines() == [
        "| a\\|b |  | third |",
        "| --- | --- | --- |",
        "| one | two |  |",
        "|  | six | seven |",
    ]


def test_a_line_above_all_columns_stands_above_the_table() -> None:
    rows = [["Kilns of 2024", "", ""], *KILN]
    assert read(*rules(5, 3), *words(rows)) == f"Kilns of 2024\n\n{KILN_TABLE}"


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([[f"it is as dry as a {n}", "so we put it by {n}"] for n in range(8)], id="prose"),
        pytest.param([[f"{n}.", "a step of many"] for n in range(1, 6)], id="list"),
        pytest.param([[str(n), f"wheel.turn({n})"] for n in range(1, 6)], id="program"),
        pytest.param([[f"{one} . . . . . .", "3"] for one in ("Clay", "Glaze", "Kiln")], id="contents"),
        pytest.param([["x", "2"], ["y", "3"], ["z", "4"]], id="signs"),
        pytest.param([["one", "two"], ["three", "four"]], id="two rows"),
    ],
)  # fmt: skip
def test_what_is_no_table_stays_text(rows: list[list[str]]) -> None:
    assert "|" not in read(*words(rows))


def test_columns_of_a_page_that_were_written_one_after_the_other_are_not_rows() -> None:
    down = [said(KILN[row][column], LEFT + WIDE * column, TOP - HIGH * row) for column in range(3) for row in range(4)]
    assert "|" not in read(*down)


def test_words_that_run_over_lines_are_of_a_picture() -> None:
    across = [said("a long sentence in no cell", LEFT + 60 * row, TOP - 13 - HIGH * row) for row in range(3)]
    beside = [said("here", LEFT + 2.5 * WIDE, TOP - 13 - HIGH * row) for row in range(2)]
    assert "|" not in read(*rules(3, 3), *across, *beside)
    assert "|" not in read(*rules(3, 3), *words([["x", "y", "z"]] * 3))


def test_the_head_of_a_table_that_goes_on_stays_on_each_page() -> None:
    pages = [
        " ".join(["q", *words([KILN[0], *([f"Ware {n}{m}", str(n), str(m)] for m in range(4))]), "Q"]) for n in range(6)
    ]
    found = convert_file(made.pdf(pages), "a.pdf")
    assert found is not None
    assert found.text.count("| Ware | Cone | Hours |") == 6


def test_a_page_of_very_many_lines_and_words_is_read() -> None:
    boxes = [f"{x * 7} {y * 7} 5 5 re S" for x in range(80) for y in range(80)]
    many = [said("word", x * 30, y * 3) for x in range(20) for y in range(250)]
    found = convert_file(made.pdf([" ".join(["q", *boxes, *many, "Q"]), "after"]), "a.pdf")
    assert found is not None
    assert found.text.count("word") == 5_000
    assert found.note is None


PLACES = st.integers(0, 30).map(lambda place: place * 9.0)
PIECES = st.builds(
    lambda text, x, y, size: Piece(text, x, y, x + 5 * len(text), size),
    st.sampled_from(["word ", "two words", "|", "1", "\n", "end.\n", " ", "- "]),
    PLACES, PLACES, st.sampled_from([10.0, 6.0, 0.0]),
)  # fmt: skip
STROKES = st.one_of(
    st.builds(lambda x, y, length: Stroke(x, y, x + length, y), PLACES, PLACES, PLACES),
    st.builds(lambda x, y, length: Stroke(x, y, x, y + length), PLACES, PLACES, PLACES),
    st.builds(lambda x, y, length: Stroke(x, y, x + length, y + length), PLACES, PLACES, PLACES),
)


@given(st.lists(PIECES, max_size=60), st.lists(STROKES, max_size=30))
def test_whatever_stands_on_a_page_no_letter_is_lost(texts: list[Piece], strokes: list[Stroke]) -> None:
    kept = with_tables(Pieces(0, texts, strokes))
    letters = sorted(letter for piece in texts for letter in piece.text if letter.isalnum())
    assert sorted(letter for letter in kept if letter.isalnum()) == letters
