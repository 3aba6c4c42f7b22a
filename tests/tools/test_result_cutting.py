"""Cutting results: never over the budget, at line ends, and always marked."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from quaestor.llm.tokens import counter_for
from quaestor.tools.tool_results import cut_to_budget, fit, plural

LINES = st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=40), max_size=40)


def words(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def mark_of(lines: list[str]) -> Callable[[int], str]:
    return lambda shown: f"[{plural(len(lines) - shown, 'line')} left out]"


@given(LINES, st.integers(0, 200))
def test_the_budget_holds_and_what_is_shown_is_the_beginning(lines: list[str], budget: int) -> None:
    fitted = fit(lines, budget, words, mark_of(lines))
    assert words(fitted.text) <= budget
    assert fitted.text.startswith("\n".join(lines[: fitted.shown]))
    if fitted.shown == len(lines):
        assert fitted.text == "\n".join(lines)
    elif fitted.shown:
        assert fitted.text == "\n".join(
            [*lines[: fitted.shown], f"[{plural(len(lines) - fitted.shown, 'line')} left out]"]
        )


COUNTER = counter_for("gpt-4o")


@settings(deadline=None)  # the encoding is loaded when first used
@given(LINES, st.integers(0, 60))
def test_tokens_of_a_real_encoding(lines: list[str], budget: int) -> None:
    count = COUNTER.text
    assert count(cut_to_budget("\n".join(lines), budget, count)) <= budget


def test_what_fits_is_whole() -> None:
    assert cut_to_budget("one\ntwo\n", 2, words) == "one\ntwo\n"


def test_more_room_shows_more() -> None:
    lines = [f"line {number}" for number in range(1000)]
    shown = [fit(lines, budget, words, mark_of(lines)).shown for budget in (6, 20, 100, 1000, 2000)]
    assert shown == sorted(shown)
    assert shown[-1] == 1000
    assert 0 < shown[1] < shown[3] < 1000


def test_one_long_line_is_cut_within() -> None:
    fitted = fit(["word " * 100_000], 20, words, lambda shown: "[the rest of line 1 left out]")
    assert fitted.cut
    assert fitted.text.startswith("word word")
    assert fitted.text.endswith("\n[the rest of line 1 left out]")


def test_a_text_that_is_much_too_long_is_not_counted_whole() -> None:
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return len(text)

    text = "x" * 79 + "\n"
    assert len(cut_to_budget(text * 100_000, 800, count)) <= 800
    assert counted < 100_000
