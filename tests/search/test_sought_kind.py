"""Whether a question is for documents or for code: only what its words tell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.search.query import read_query
from quaestor.search.sought_kind import sought_kind


@pytest.mark.parametrize(
    "text",
    [
        "Switch off statement caching",
        "please keep eight rotated log files of 50 MB each",
        "don't print colours when the output is no terminal",
        "How can I limit the number of open connections?",
        "Our customer wants every request logged. What has to be set?",
        "The cache is too large; can we shrink it?",
        "I'd like two columns instead of one",
    ],
)
def test_orders_and_wishes_are_for_documents(text: str) -> None:
    assert sought_kind(read_query(text)) == "documents"


@pytest.mark.parametrize(
    "text",
    [
        "Where is the cache emptied?",
        "where does a retry give up",
        "who decides that a lease has run out?",
        "Which function turns a row into a record?",
        "A lease has run out: in which place is that seen?",
    ],
)
def test_who_asks_where_is_for_code(text: str) -> None:
    assert sought_kind(read_query(text)) == "code"


@pytest.mark.parametrize(
    "text",
    [
        "How does the cache evict entries?",
        "Why is the lock taken twice?",
        "retry backoff",
        "merge conflict resolution",
        "set_timeout",  # a name, not an order
        "src/set.py",
        "ValueError: set a timeout first",
        "the pool that another one wants",
        "you need to open the pool first",
        "Can you explain the pool?",
        "",
        "?!",
    ],
)
def test_all_else_says_nothing(text: str) -> None:
    assert sought_kind(read_query(text)) == ""


def test_a_question_that_was_translated_is_for_documents() -> None:
    assert sought_kind(read_query("where cache empty")._replace(translated=("cache",))) == "documents"


@given(st.text())
def test_any_text_can_be_asked(text: str) -> None:
    assert sought_kind(read_query(text)) in ("documents", "code", "")
