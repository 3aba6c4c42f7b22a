"""What a question asks for, by its wording."""

from __future__ import annotations

import pytest

from quaestor.questions import asks_how_to


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("How do I set a timeout?", True),
        ("In SQLite my dates are UTC. How can we keep one day?", True),
        ("how to serialize a model", True),
        ("How does the client retry?", False),
        ("how are cookies merged", False),
        ("where do I find the retry policy", False),
        ("show toast", False),
        ("", False),
    ],
)
def test_how_to_use_a_thing_is_told_from_how_it_works(question: str, asks: bool) -> None:
    assert asks_how_to(question) == asks
