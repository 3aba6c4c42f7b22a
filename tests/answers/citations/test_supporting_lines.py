"""Where an answer's sentences begin and end, and which lines of a passage support one that cites nothing."""

from __future__ import annotations

import pytest

from quaestor.answers.citations.judged_sentences import Ground, Support, find_support
from quaestor.answers.citations.sentences import sentences


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It waits\nand stops. Then\n\nit goes on.", ["It waits\nand stops.", "Then", "it goes on."]),
        ("# How it waits\n\nIt waits.", ["It waits."]),
        ("| a | b |\nIt waits.", ["It waits."]),
        ("It waits！！ It stops.", ["It waits！", "！", "It stops."]),
    ],
)
def test_sentences(answer: str, expected: list[str]) -> None:
    assert [one.text for one in sentences(answer)] == expected
    assert [answer[one.start : one.end] for one in sentences(answer)] == expected


def test_the_lines_of_a_claim_are_those_of_the_window_that_says_most_of_it() -> None:
    lines = ["The server starts.", *["Nothing else."] * 6, "The server deletes logs", "after seven days."]
    assert find_support("The server deletes logs after seven days.", Ground(lines)) == Support(7, 8, 1.0)


def test_a_denial_in_the_first_line_is_noticed() -> None:
    claim = "The server deletes logs after seven days."
    assert find_support(claim, Ground(["The server", "deletes logs after seven days."])) is not None
    assert find_support(claim, Ground(["The server never", "deletes logs after seven days."])) is None


def test_a_call_is_supported_by_the_function_of_its_name() -> None:
    lines = ["def call_with_retry(action):", "    Run an action again when the connection is reset."]
    assert find_support("`call_with_retry()` runs an action again.", Ground(lines)) is not None
    assert find_support("`call_once()` runs an action again.", Ground(lines)) is None
