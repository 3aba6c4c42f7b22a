"""What a question asks for, by its wording."""

from __future__ import annotations

import pytest

from quaestor.core.questions import asks_for_several, without_frame


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


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Can you tell me where options are parsed?", "where options are parsed?"),
        ("Hi! Could you please explain to me how the cache works?", "how the cache works?"),
        ("I'd like to know how help text is printed", "how help text is printed"),
        ("any idea why it fails?", "why it fails?"),
        ("Where do I start reading if I want to understand how options are parsed?", "how options are parsed?"),
        ("Können Sie mir bitte sagen, wo die Optionen gelesen werden?", "wo die Optionen gelesen werden?"),
        ("Peux-tu me dire où sont lues les options ?", "où sont lues les options ?"),
        ("¿Podrías decirme dónde se leen las opciones?", "dónde se leen las opciones?"),
    ],
)
def test_what_only_leads_to_a_question_is_taken_off(question: str, asked: str) -> None:
    assert without_frame(question) == asked
    assert without_frame(asked) == asked


@pytest.mark.parametrize(
    "question", ["Can you show me how?", "Can I tell who wrote it?", "tell me", "Where do I start the server?", ""]
)
def test_a_question_that_says_nothing_else_stays_whole(question: str) -> None:
    assert without_frame(question) == question
