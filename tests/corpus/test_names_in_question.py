"""Names in questions are distinguished from words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.corpus.unmentioned import names_in


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How do I stream messages from a Kafka topic into SQLite?", ("Kafka", "SQLite")),
        ("Which proposal added an HTTP/3 client to Python's standard library?", ("HTTP/3", "Python")),
        ("How do I write a build.rs script?", ("build.rs",)),
        ("where is insertAndGetId called, and send_batch?", ("insertAndGetId", "send_batch")),
        ("what is in src/client/retry.py?", ("src/client/retry.py",)),
        ("Does it speak TCP/IP, and are the APIs ADL-based?", ("TCP", "IP", "API", "ADL")),
        ("Is the rule of Client::send kept on my Mac?", ("Client", "Mac")),
        # Neither at the beginning of a sentence, nor where everything or nothing English has a capital.
        ("Dates are wrong. Why do they shift?", ()),
        ("How To Stream A Kafka Topic", ()),
        ("Wie richte ich einen Server mit Passwort ein?", ()),
        # Faults, numbers, contractions, abbreviations, addresses, and words with a slash or hyphen between them.
        ("why does a KeyError come in 3.12, i.e. why can't I read/write a self-made file?", ()),
        ("what is at https://example.com/Page or me@Example.com?", ()),
        ("how do I serve blog.Example.com/shop2 and *.example.org beside shop2.rs?", ("shop2.rs",)),
        ("I'd ask what I do", ()),
        ("", ()),
    ],
)
def test_names_are_told_from_words(question: str, names: tuple[str, ...]) -> None:
    assert names_in(question) == names


def test_a_pasted_text_is_no_question_that_names_things() -> None:
    assert names_in("the log of Kafka says so " * 10) == ()


@given(st.text(max_size=200))
def test_names_stand_in_the_question_once(question: str) -> None:
    names = names_in(question)
    assert all(name in question for name in names)
    assert len(set(names)) == len(names)
