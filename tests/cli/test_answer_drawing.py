"""How an answer looks in a terminal."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Sequence

import pytest
from cli_parts import in_terminal
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from quaestor.cli.answer_drawing import DrawnAnswer, whole_blocks, with_short_marks

PIECES = [
    "# Head\n",
    "a word ",
    "\n",
    "\n\n",
    "```\n",
    "```python\n",
    "x = [1]\n",
    "~~~\n",
    "- item\n",
    "> quoted\n",
    "`",
    "[1] ",
]


def drawn(pieces: Sequence[str], width: int = 60) -> str:
    """Return what stays on a terminal of a width after an answer came in pieces."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=width, height=30, highlight=False, markup=False, emoji=False)
    with DrawnAnswer(console) as answer:
        answer.wait_for("searching")
        for piece in pieces:
            answer.write(piece)
    return out.getvalue()


def words_of(screen: str) -> list[str]:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen).split()


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join), st.data())
def test_blocks_are_the_same_however_the_text_comes(text: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(text)))
    early = whole_blocks(text[:cut])
    assert 0 <= early <= whole_blocks(text) <= len(text)
    assert early + whole_blocks(text[early:]) == whole_blocks(text)


def test_a_fence_is_one_block_whatever_stands_in_it() -> None:
    text = "```\na\n\nb\n\n"
    assert whole_blocks(text) == 0
    assert whole_blocks(f"{text}```\n") == len(f"{text}```\n")


def test_words_are_wrapped_and_marks_are_short() -> None:
    shown = drawn(["Requests are **retried** thr", 'ee times [1: "for attempt in range"] and ', "then they " * 20])
    assert "for attempt in range" not in words_of(shown)
    assert {"[1]", "retried", "three"} <= set(words_of(shown))
    assert "**" not in shown.split("retried")[-1]


def test_a_remark_comes_below_the_words_that_were_on_their_way() -> None:
    code = (
        "from quaestor.cli.answer_drawing import new_answer\n"
        "with new_answer() as answer:\n"
        "    answer.write('The end of ')\n"
        "    answer.say_below('It was ended here.')\n"
        "    answer.write('the answer.')\n"
    )
    _, shown = in_terminal([sys.executable, "-c", code])
    assert words_of(shown)[-6:] == "the answer. It was ended here.".split()
    assert shown.count("It was ended here.") == 1


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_long_remark_is_cut_between_words(name: str) -> None:
    code = (
        "from quaestor.cli.output import echo, remark, wrapped\n"
        "text = '  - ' + 'several words of a remark ' * 20\n"
        f"remark(text) if {name == 'stderr'} else [echo(line) for line in wrapped(text)]\n"
    )
    _, shown = in_terminal([sys.executable, "-c", code])
    first, *others = shown.replace("\r", "").rstrip("\n").split("\n")
    assert others and max(map(len, (first, *others))) <= 100
    assert first.startswith("  - several")
    assert all(line.startswith("    ") and line.split()[0] in "several words of a remark".split() for line in others)


def test_a_dim_remark_is_dim_unless_no_colours_are_wanted() -> None:
    code = "from quaestor.cli.output import remark; remark('→ search', dim=True)"
    assert in_terminal([sys.executable, "-c", code])[1].strip() == "\x1b[2m→ search\x1b[0m"
    assert in_terminal([sys.executable, "-c", code], NO_COLOR="1")[1].strip() == "→ search"


def lines_before_item(pieces: Sequence[str]) -> int:
    """Return how many lines are drawn between the first block of an answer and the word *item*."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", drawn(pieces)).rpartition("Above.")[2]
    return plain[: plain.index("item")].count("\n")


@pytest.mark.parametrize(
    ("block", "own"), [("- item\n", 0), ("1. item\n", 0), ("> item\n", 0), ("| item |\n|---|\n", 1)]
)
def test_a_block_stands_as_far_below_another_as_a_paragraph(block: str, own: int) -> None:
    assert lines_before_item(["Above.\n\n", block]) == lines_before_item(["Above.\n\n", "item\n"]) + own


def test_code_is_shown_as_it_stands() -> None:
    shown = words_of(drawn(["```python\n", "values = [1]  # not a mark\n", "```\n"]))
    assert shown[-7:] == ["values", "=", "[1]", "#", "not", "a", "mark"]


@pytest.mark.parametrize("harmful", ["\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\u202e"])
def test_nothing_steers_the_terminal(harmful: str) -> None:
    plain, hostile = drawn(["fine\n\n"]), drawn([f"fine{harmful}\n\n"])
    assert harmful not in hostile
    assert hostile.count("\x1b") <= plain.count("\x1b") + 2


def test_a_link_shows_where_it_leads() -> None:
    shown = drawn(["see [the docs](http://evil.example/)\n\n"])
    assert "http://evil.example/" in shown
    assert "\x1b]8" not in shown


def test_markup_of_the_drawing_library_is_text() -> None:
    assert "[bold]x[/bold]" in " ".join(words_of(drawn(["[bold]x[/bold]\n\n"])))


@pytest.mark.parametrize(
    ("markdown", "short"),
    [
        ('It waits [2: "doubling"].', "It waits [2]."),
        ('Both [1: "a b"; 3: "c d"].', "Both [1][3]."),
        ("`a[1]` stays", "`a[1]` stays"),
        ("[x] and [link](u)", "[x] and [link](u)"),
    ],
)
def test_short_marks(markdown: str, short: str) -> None:
    assert with_short_marks(markdown) == short
