"""What a question asks for, by its wording."""

from __future__ import annotations

import pytest

from quaestor.core.questions import asks_for_several


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("which settings are read from the environment?", True),
        ("What HTTP methods can be cached", True),
        ("list the hooks", True),
        ("Where should I eat in Oaxaca?", True),
        ("where are all the places that open a file", True),
        ("with several servers, what is tried first?", False),
        ("what happens when a cache is full?", False),
        ("what does the cache do", False),
        ("how long does every request wait", False),
        ("which class is the parser", False),
        ("", False),
    ],
)
def test_a_question_for_several_things_is_known_by_its_wording(question: str, asks: bool) -> None:
    assert asks_for_several(question) == asks
