"""Which questions ask what a name or a file is, and which have no context."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.answers.ask_back import is_without_context, with_context, with_subject
from quaestor.answers.project.named_documents import read_file_question
from quaestor.answers.way import Question
from quaestor.search.names_in_question import NameQuestion, bare_name, looks_like_a_file, read_name_question


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("what does httpx/_client.py do?", "httpx/_client.py"),
        ("what does /home/me/venv/site-packages/httpx/_client.py do", "/home/me/venv/site-packages/httpx/_client.py"),
        ("What is HandlerStack?", "HandlerStack"),
        ("What is in 03_classification.ipynb?", "03_classification.ipynb"),
        ("what does 0001_initial.py do", "0001_initial.py"),
        ("what is class client", "client"),
        ("what is the file client", "client"),
        ("what is the module config", "config"),
        ("explain src/a.py", "src/a.py"),
        ("describe module shop.retry", "shop.retry"),
        ("send_with_retry", "send_with_retry"),
        ("what is the job of the Client class", "Client"),
        ("what is the ByteChunker class for?", "ByteChunker"),
        ("What is the Client?", "Client"),
        ("where can I find the DigestAuth class", "DigestAuth"),
        ("Can you explain BaseTransport?", "BaseTransport"),
        ("how is shop/std.py structured", "shop/std.py"),
        ("what is send_with_retry used for", "send_with_retry"),
        ("where is send_with_retry defined?", "send_with_retry"),
        ("Where is the ban manager implemented?", "BanManager"),
        ("where is pagination implemented", "Pagination"),
    ],
)
def test_what_is_to_be_explained(text: str, target: str) -> None:
    found = read_name_question(text)
    assert found is not None
    assert found.target == target


@pytest.mark.parametrize(
    "text",
    [
        "what is caching?",
        "what is the default timeout?",
        "what does retry do",
        "what is 3.12?",
        "what is 1.x?",
        "What is caching for",
        "what is the class of functions that retry",
        "explain the retry policy",
        "where is the config file?",
        "what is the lock file for?",
        "timeout",
        "",
    ],
)
def test_everyday_words_are_no_names(text: str) -> None:
    assert read_name_question(text) is None


@given(st.text(max_size=400))
def test_any_text_may_be_asked(text: str) -> None:
    found = read_name_question(text)
    assert found is None or isinstance(found, NameQuestion)
    is_without_context(text)
    read_file_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "and how do I turn that off?",
        "what about the other one?",
        "why?",
        "it doesn't work",
        "tell me more",
        "is that possible?",
        "how do I change that default?",
        "why do I get this error?",
    ],
)
def test_questions_without_context(text: str) -> None:
    assert is_without_context(text)


@pytest.mark.parametrize(
    "text",
    [
        "how do I turn that off in the config of gunicorn",
        "what is this?",
        "what does it do?",
        "how does this work?",
        "how do I install it?",
        "who wrote it?",
        "where do I begin to read?",
        "warum?",
        "wie schalte ich das ab?",
        "send_with_retry",
        "how do I change that timeout?",
        "what is the default of this library?",
    ],
)
def test_questions_that_need_none(text: str) -> None:
    assert not is_without_context(text) or text == "warum?"


def test_a_question_about_one_file() -> None:
    assert read_file_question("src/a.c: why does the bar show three numbers?") == (
        "src/a.c",
        "why does the bar show three numbers",
    )
    assert read_file_question("how does pyproject.toml change the build?") is None
    assert read_file_question("what differs between src/a.c and src/b.c?") is None


def test_a_question_that_points_back_is_understood_by_the_last_that_names_a_thing() -> None:
    earlier = ["how are requests sent?", "how are nulls written?", "and why is that?"]
    assert with_context("and how do I turn that off?", earlier) == f"{earlier[1]}\nand how do I turn that off?"
    assert with_context("and how do I turn that off?", []) == "and how do I turn that off?"
    assert with_context("where is that tested?", ["why?"]) == "where is that tested?"
    assert with_context("how are dates written?", earlier) == "how are dates written?"
    assert with_context("why?", earlier) == "why?"


def test_a_question_without_a_telling_word_that_goes_on_is_read_with_the_one_before() -> None:
    earlier = ["Wer hat Git entwickelt?"]
    assert with_context("Wann war das?", earlier) == f"{earlier[0]}\nWann war das?"
    assert with_context("And on a phone?", ["What is a major mode?"]) == "And on a phone?"
    assert with_context("and parse_minor?", ["What is a major mode?"]) == "and parse_minor?"
    assert with_context("Wann war das?", []) == "Wann war das?"


@pytest.mark.parametrize(
    ("earlier", "text", "meant"),
    [
        (["what does the pager do?"], "who wrote it?", "who wrote the pager?"),
        (["what does the pager do?", "and where is that tested?"], "who wrote it?", "who wrote the pager?"),
        (["How does fuzzy filtering work?"], "and where is that tested?", "and where is fuzzy filtering tested?"),
        (["When and why was `Retry` added?"], "who uses it?", "who uses `Retry`?"),
        (["where is the config loaded?"], "who wrote that?", "who wrote the config?"),
        (["who calls send_now?"], "where is it defined?", "where is send_now defined?"),
        (["What's src/a.py for?"], "when was it last changed?", "when was src/a.py last changed?"),
        # What names no subject, and what is about another one since.
        (["What is this?"], "who wrote it?", None),
        (["how do I install it?"], "who wrote it?", None),
        (["what does the pager do?", "list all commands"], "who wrote it?", None),
        (["what does the pager do?"], "is that file big?", None),
        (["what does the pager do?"], "who wrote the filter, and is there more to know about it?", None),
        (["what does the pager do?"], "who wrote the filter?", None),
        ([], "who wrote it?", None),
    ],
)
def test_what_it_is_in_a_later_question(earlier: list[str], text: str, meant: str | None) -> None:
    question = with_subject(Question(text, tuple(earlier)))
    assert (question.text if question else None) == meant


@pytest.mark.parametrize(
    ("text", "lacking"),
    [("What examples are there?", False), ("How many are there?", False), ("Why is it not there?", True)],
)
def test_there_is_no_place_where_something_is_said_to_be(text: str, lacking: bool) -> None:
    assert is_without_context(text) == lacking


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (" `X.send()` ", "X.send"),
        ('"XX"', "XX"),
        ("items[]", "items"),
        ("“a b”", "a b"),
        ("run(a, b).", "run"),
        ("``", ""),
    ],
)
def test_marks_around_a_name_are_no_part_of_it(text: str, name: str) -> None:
    assert bare_name(text) == name


@pytest.mark.parametrize(
    ("text", "is_file"),
    [("src/shop", True), ("`a.py`", True), ("/shop/", False), ("send it/them", False), ("Shop", False)],
)
def test_a_path_needs_no_ending(text: str, is_file: bool) -> None:
    assert looks_like_a_file(text) is is_file


def test_a_name_may_be_followed_by_a_blank_and_a_question_mark() -> None:
    assert read_name_question("parse_config ?") == read_name_question("parse_config")
