"""Where things stand in a conversation, as wide or narrow as it is."""

from __future__ import annotations

import pytest
from browser_parts import Page, StartPage

LONG = 'run("' + "x" * 200 + '")'


def sides(page: Page, selector: str) -> tuple[float, float]:
    """Return how far from the left the first such thing begins and ends, in pixels."""
    found = page.one(selector).rect
    return found["x"], found["x"] + found["width"]


@pytest.mark.parametrize("width", [360, *(pytest.param(width, marks=pytest.mark.slow) for width in (600, 900)), 1280])
def test_the_field_stands_right_under_the_conversation(page: StartPage, width: int) -> None:
    one = page([f"```python\n{LONG}\n```\n\n" + "More of it.\n\n" * 60]).size(width, 800)
    one.answered("How long does the dough rest?")
    assert sides(one, "#composer") == pytest.approx(sides(one, ".turn .prose"), abs=0.5)
    assert one.sideways() <= 0


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_stands_above_code(page: StartPage, width: int) -> None:
    one = page([f"```python\n{LONG}\n```\n"]).size(width, 800)
    one.answered("How long does the dough rest?")
    assert sides(one, ".code-block pre")[1] <= sides(one, ".code-block .button")[0]
