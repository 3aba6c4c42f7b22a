"""Whether a question continues the topic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.search.turns import continuity
from quaestor.search.turns.continuity import read_signals

BEFORE = "How is a parcel weighed?\nScale.weigh in post/scale.py sums up the items and the box."

GOES_ON = [
    "and where is that called from?",
    "who calls it?",
    "what about registered letters?",
    "what if the scale is broken?",
    "Which test covers this?",
    "any tests?",
    "how do I turn it off?",
    "And the other one?",
    "why?",
    "where does the result end up then? the rounded one too",
    "can those be sent abroad?",
    "show me the code",
    "is it also done for items that somebody sends back?",
    "Und wer ruft das auf?",
    "Womit wird dabei am schnellsten gewogen?",
    "Was geschieht mit den anderen Paketen?",
    "Et pour les lettres recommandées de l'étranger ?",
    "Où envoie-t-on ceux qui sont trop lourds pour la balance ?",
    "¿Y cuánto pesan las cajas del otro almacén?",
]
CHANGES = [
    "Where does the website check the password of a customer?",
    "How are delivery routes planned when two vans share a depot?",
    "Which database column holds the customer's preferred language?",
    "What happens when a courier class has no default constructor?",
    "Is there a limit on how many addresses a customer may store?",
    "New topic: who writes the invoice?",
    "Something else. Where is the logo?",
    "By the way, where do stamps come from?",
    "Wie werden die Routen zweier Lieferwagen eines Depots geplant?",
    "Comment le site vérifie-t-il le mot de passe d'un client ?",
    "¿Cómo comprueba la página la contraseña de un cliente?",
]


@pytest.mark.parametrize("question", GOES_ON)
def test_goes_on(question: str) -> None:
    assert continuity(question, BEFORE) > 0.5


@pytest.mark.parametrize("question", CHANGES)
def test_changes_the_topic(question: str) -> None:
    assert continuity(question, BEFORE) < 0.5


@pytest.mark.parametrize("question", [*GOES_ON, *CHANGES])
def test_case_does_not_count(question: str) -> None:
    assert continuity(question, BEFORE) == continuity(question.upper(), BEFORE) == continuity(question.lower(), BEFORE)


def test_a_relative_clause_does_not_point_back() -> None:
    signals = read_signals("What happens when a courier class that has no default constructor is loaded?", "")
    assert not signals.points


def test_code_below_a_question_is_not_what_it_is_about() -> None:
    code = "```python\n" + "first_name = second_name + third_name * fourth\n" * 20 + "```"
    assert continuity(f"does it do this?\n{code}", BEFORE) > 0.9


def test_shared_words_speak_for_the_same_topic() -> None:
    question = "How does the clerk round parcel totals upwards?"
    assert continuity(question, BEFORE) > continuity(question, "Where is the logo?")


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_has_a_continuity(question: str, before: str) -> None:
    assert 0 <= continuity(question, before) <= 1
