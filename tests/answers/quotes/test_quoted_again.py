"""What an earlier answer quoted is shortened when it is quoted again, to what fits the question or to its beginning."""

from __future__ import annotations

import pytest

from quaestor.answers.quotes.pick_quotes import ExtractiveAnswer, answer
from quaestor.answers.quotes.quotes_in_markdown import LEAD, SAME, Quote, text_of_quotes

FERRY = "The ferry lands at noon. A letter costs two coins. The ferry waits for a letter."
LONG = "word " * 30


def quote(text: str, n: int = 1, *, code: bool = False) -> Quote:
    return Quote(n, "a.x", 1, 1 + text.count("\n"), text, code, language="python" if code else "markdown")


def again(text: str, question: str = "", *, code: bool = False) -> str:
    """Return the words of a quote that an earlier answer shows, where they stand after its place."""
    one = quote(text, code=code)
    shown = text_of_quotes([one], [text_of_quotes([one])], question)
    lead, head, words = shown.split("\n\n", 2)
    assert (lead, head) == (SAME, "`a.x:1-2`, quoted above:" if code else "`a.x:1`, quoted above:")
    return words


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When does the ferry land?", "The ferry lands at noon."),
        ("What does a letter cost?", "A letter costs two coins."),
        ("Does the ferry wait for a letter?", "The ferry waits for a letter."),
        ("Who bakes bread?", FERRY),
    ],
)
def test_prose_is_shortened_to_the_sentence_with_most_of_the_question(question: str, sentence: str) -> None:
    assert again(FERRY, question) == f"> {sentence}\n\n[1]"


def test_a_sentence_too_long_to_read_again_is_not_chosen() -> None:
    long = f"A ferry {'word ' * 110}lands."
    assert again(f"{long} It lands.", "When does the ferry land?") == "> It lands.\n\n[1]"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("return ferry", "return ferry"),
        ("x" * 100, "x" * 100),
        (f"{'x' * 99} y", "x" * 99),
        ("x" * 120, "x" * 100),
        (LONG.strip(), LONG[:99]),
    ],
)
def test_code_is_shortened_to_its_first_line(line: str, shown: str) -> None:
    assert again(f"{line}\nland(ferry)", "Where does a ferry land?", code=True) == f"```python\n{shown}\n```\n[1]"


def test_what_no_earlier_answer_shows_is_quoted_whole() -> None:
    old, new = quote(FERRY), quote("Nobody crosses at night.", 2)
    shown = text_of_quotes([old, new], [text_of_quotes([old])], "What does a letter cost?")
    assert (
        shown
        == f"{LEAD}\n\n`a.x:1`, quoted above:\n\n> A letter costs two coins.\n\n[1]\n\n`a.x:1`:\n\n> {new.text}\n\n[2]"
    )


def test_an_answer_is_renumbered_in_its_quotes_and_in_its_text() -> None:
    found = ExtractiveAnswer("", (quote("One.", 1), quote("Two.", 2)), known=True, coverage=1.0)
    other = found.under({1: 7, 2: 4})
    assert [one.n for one in other.quotes] == [7, 4]
    assert other.text == f"{LEAD}\n\n`a.x:1`:\n\n> One.\n\n[7]\n\n`a.x:1`:\n\n> Two.\n\n[4]"
    assert found.unsure().under({1: 7, 2: 4}).text == other.text.replace(LEAD, found.unsure().lead)


def test_what_quotes_nothing_stays_as_it_is() -> None:
    nothing = answer("Where?", ())
    assert nothing.under({}) is nothing.unsure() is nothing
