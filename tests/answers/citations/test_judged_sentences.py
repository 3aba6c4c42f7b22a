"""Which sentences of an answer are reported as unsupported: all that make a claim, and no other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaestor.answers.citations.citation_marks import Passage
from quaestor.answers.citations.sentences import sentences
from quaestor.answers.citations.verify import verify

RETRY = '''MAX_ATTEMPTS = 3


def call_with_retry(action, delay=0.5):
    """Run an action, trying it again when the connection is reset.

    The delay doubles after each attempt.
    """
'''
GUIDE = """The server deletes logs after seven days.

Nothing is sent elsewhere.
"""
FILES = {"src/retry.py": RETRY.encode(), "guide.md": GUIDE.encode()}
SHOWN = (
    Passage(1, "src/retry.py", 1, 8, RETRY.rstrip("\n"), symbol="call_with_retry"),
    Passage(2, "guide.md", 1, 3, GUIDE.rstrip("\n"), title="Guide"),
)
QUESTION = "How often does the client try, and does it keep logs?"
CITED = 'The delay doubles [1: "The delay doubles after each attempt."].'
FALSE = 'The delay triples [1: "The delay triples after each attempt."].'


def weak(answer: str, question: str = QUESTION) -> list[str]:
    return [one.text for one in verify(answer, SHOWN, FILES.get, question).unsupported]


@pytest.mark.parametrize(
    "sentence",
    [
        "No, it doesn't.",
        "Yes.",
        "The answer is 42.",
        "The answer is 42 [1].",
        "It is 42.",
        "The moon melts.",
        "MIT.",
        "Nein.",
        "It is **not**.",
        "The database is encrypted with a passphrase.",
        FALSE,
        "It tries three times [7].",
        'It tries three times [7: "MAX_ATTEMPTS = 3"].',
        "> The moon is made of green cheese.",
        "The moon is made of green cheese:",
    ],
)
def test_every_sentence_is_judged_however_short(sentence: str) -> None:
    assert weak(sentence) == [sentence.removeprefix("> ")]
    elsewhere = f"{CITED}\n\nSomething else was asked?\n\n{sentence}"
    assert weak(elsewhere) == [sentence.removeprefix("> ")], "what stands elsewhere does not help"


@pytest.mark.parametrize(
    "answer",
    [
        f"No, it doesn't. {CITED}",
        f"{CITED} No, it doesn't.",
        f"**No.**\n\n{CITED}",
        f"Yes. It does. {CITED}",
        'Three times at most. `MAX_ATTEMPTS` says so [1: "MAX_ATTEMPTS = 3"].',
        "It keeps them for seven days. The server deletes logs after seven days.",
        f"Here is how:\n\n- {CITED}",
        f"Here are the three main steps:\n\n1. {CITED}\n2. {CITED}",
        f"Here are the two steps:\n\n1. {CITED}\n2. {CITED}",
        f"In short：\n\n- {CITED}",
        f"{CITED} Not three times.",
        f"In short: {CITED}",
        "In `src/retry.py`:\n\n```python\nMAX_ATTEMPTS = 3\n```\n[1]",
        f"{CITED}\n\nShall I go on with the logs?",
        f"{CITED}\n\nI hope this helps!",
        f"{CITED} The passages do not say who decides that.",
        f"{CITED} However, the documents never mention logs of the client.",
        f"# How it tries\n\n{CITED}",
        "> The delay doubles after each attempt.\n\n[1]",
        'It waits.\n\n[1: "The delay doubles after each attempt."]',
        "The server deletes logs after seven days.",
        f"Sure! {CITED}",
        "",
    ],
)
def test_what_a_person_finds_fair_is_no_false_alarm(answer: str) -> None:
    assert weak(answer) == []


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (f"It is 42. {CITED}", ["It is 42."]),
        (f"{CITED} Forty-two times. The moon melts.", ["Forty-two times.", "The moon melts."]),
        (f"The moon melts. {CITED}", ["The moon melts."]),
        (f"{CITED}\n\nNo, it doesn't.", ["No, it doesn't."]),
        (f"No, it doesn't. {FALSE}", ["No, it doesn't.", FALSE]),
        (f"The answer is 42:\n\n- {CITED}", ["The answer is 42:"]),
        (f"Everything is encrypted with AES:\n\n- {CITED}", ["Everything is encrypted with AES:"]),
        ("The passages do not say it, but it is 42.", ["The passages do not say it, but it is 42."]),
        (f"{CITED} Let me know if 42 is wrong.", ["Let me know if 42 is wrong."]),
        (f"It is 42. {CITED} It is 42. It is  42.", ["It is 42."]),
        (f"{FALSE} The server deletes logs after seven days.", [FALSE]),
        (f"{FALSE}\n\n{CITED}\n\n[7]", [FALSE]),
        (f"The moon melts. Yes.\n\n{CITED}", ["The moon melts.", "Yes."]),
        (f"{CITED}\n\nLet me know about TeX", ["Let me know about TeX"]),
    ],
)
def test_what_is_new_must_stand_in_a_passage(answer: str, expected: list[str]) -> None:
    assert weak(answer) == expected


def test_code_is_no_sentence_even_where_its_block_is_never_closed() -> None:
    answer = "Calls are tried again. [1]\n\n```python\nprint('never. shown')\n"
    assert [one.text for one in sentences(answer)] == ["Calls are tried again. [1]"]


def test_what_was_asked_for_may_be_named_as_missing() -> None:
    missing = f"{CITED} The passages do not say what `frobnicate` does."
    assert weak(missing, "What does `frobnicate` do?") == []
    assert weak(missing, "What does it do?") == ["The passages do not say what `frobnicate` does."]


def test_a_number_that_was_asked_for_is_not_right_for_it() -> None:
    asked = "Does it try 42 times?"
    assert weak(f"Yes, 42 times. {CITED}", asked) == ["Yes, 42 times."]
    assert weak(f"No, not 42 times. {CITED}", asked) == []


def test_a_sentence_stands_by_any_citation_that_holds() -> None:
    both = 'It tries three times [2: "nowhere at all"] [1: "MAX_ATTEMPTS = 3"].'
    assert weak(both) == []


def test_a_quote_of_small_words_shows_nothing() -> None:
    [citation] = verify('The answer is 42 [1: "it"].', SHOWN, FILES.get).citations
    assert citation.status == "unverified"


PIECES = st.lists(
    st.sampled_from(
        [
            CITED,
            FALSE,
            "No, it doesn't.",
            "It is 42.",
            "Here is how:",
            "Is it so?",
            "\n\n",
            "\n- ",
            "\n> ",
            "\n```\nx = 1\n```\n",
            "\n# Heading\n",
            "[1]",
            "The moon melts.",
        ]
    ),
    max_size=12,
)


@settings(deadline=None)
@given(PIECES)
def test_a_claim_with_a_number_that_stands_nowhere_is_never_passed(pieces: list[str]) -> None:
    answer = " ".join(pieces)
    found = weak(answer)
    assert len(found) == len(set(found))
    for one in sentences(answer):
        # Its own citation might hold; a sentence that only its neighbours vouch for is not believed a number.
        if "42" in one.text and "[" not in one.text:
            assert " ".join(one.text.split()) in {" ".join(text.split()) for text in found}


@settings(deadline=None)
@given(PIECES)
def test_what_is_unsupported_is_a_sentence_of_the_answer(pieces: list[str]) -> None:
    answer = " ".join(pieces)
    for one in verify(answer, SHOWN, FILES.get).unsupported:
        assert answer[one.start : one.end] == one.text
        assert "```" not in one.text
        assert any(map(str.isalnum, one.text))


@settings(deadline=None)
@given(st.lists(st.sampled_from(["No, it doesn't.", "Yes.", "It does not."]), min_size=1, max_size=4), st.booleans())
def test_short_sentences_stand_or_fall_with_the_one_beside_them(short: list[str], holds: bool) -> None:
    said = " ".join([*short, CITED if holds else FALSE])
    assert weak(said) == ([] if holds else [*dict.fromkeys(short), FALSE])


@given(st.text(max_size=200), st.text(max_size=40))
def test_any_text_is_survived(answer: str, question: str) -> None:
    verify(answer, SHOWN, FILES.get, question)
