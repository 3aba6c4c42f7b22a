"""Whether a question is for documents or for code: only what its words tell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.search.query import read_query
from quaestor.search.sought_kind import seeks_tests, sought_kind


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
        "who empties the `lease_cache`?",
        "Which function turns a row into a record?",
        "A lease has run out: in which place is that seen?",
    ],
)
def test_who_asks_where_is_for_code(text: str) -> None:
    assert sought_kind(read_query(text)) == "code"


@pytest.mark.parametrize(
    "text", ["retry backoff", "pagination", "Pagination?", "which ports?", "merge conflict resolution", "Is it slow?"]
)
def test_a_few_words_are_for_documents(text: str) -> None:
    assert sought_kind(read_query(text)) == "documents"


@pytest.mark.parametrize(
    "text",
    [
        "How does the cache evict old entries?",
        "Why is the pool lock taken twice?",
        "backoff of `Lease`",
        "merge conflict resolution strategy",
        "LeaseCache",
        "server exited unexpectedly",
        "set_timeout",  # a name, not an order
        "src/set.py",
        "ValueError: set a timeout first",
        "the pool of connections that another one wants",
        "you need to open the pool of connections first",
        "Who approves a release?",
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


@pytest.mark.parametrize(
    "text",
    [
        "Which tests cover the retries?",
        "show me a test of the parser",
        "where is the back-off tested",
        "tests for the retry policy",
        "retry policy tests",
        "test_retry_gives_up",
        "What does the test suite check about time zones?",
        "are there any integration tests?",
    ],
)
def test_who_looks_for_tests(text: str) -> None:
    assert seeks_tests(read_query(text))


@pytest.mark.parametrize(
    "text",
    [
        "How do I write a test for my app?",
        "How can I run only some tests?",
        "What calls parse outside its tests?",
        "who creates a cache, apart from tests?",
        "A test failed, and its temporary directory was still there. Where is it decided to leave it?",
        "What happens when the code under test crashes?",
        "AssertionError: `language: node` must have package.json",
        "How is a connection's health test done?",
        "Where is the contest decided?",
    ],
)
def test_who_mentions_a_test_looks_for_something_else(text: str) -> None:
    assert not seeks_tests(read_query(text))
