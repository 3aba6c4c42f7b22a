"""Which questions ask who uses a thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.search.callers_question import read_callers_question

NAMES = st.from_regex(
    r"[a-z]{3,8}(?:_[a-z]{3,8}){1,2}|[A-Z][a-z]{3,8}[A-Z][a-z]{3,8}|[A-Z][a-z]{3,8}\.[a-z]{3,8}", fullmatch=True
)
FORMS = st.sampled_from(
    [
        "who calls {}",
        "What calls {}?",
        "where is {} used?",
        "usages of {}",
        "{} callers",
        "{} is used by?",
        "Which modules call {}?",
        "I changed {}; who depends on it?",
        "Wer ruft {} auf?",
    ]
)


@given(NAMES, FORMS)
def test_a_name_of_code_is_read_out_of_any_form(name: str, form: str) -> None:
    found = read_callers_question(form.format(name))
    assert found is not None
    assert (found.target, found.kind, found.plain) == (name, "uses", False)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("What calls wrap-params?", "wrap-params"),
        ("who uses magit-confirm-files?", "magit-confirm-files"),
        ("where is assoc-param-map used", "assoc-param-map"),
        ("callers of blank-line??", "blank-line?"),
    ],
)
def test_a_name_with_hyphens_counts_if_it_is_defined(text: str, name: str) -> None:
    found = read_callers_question(text)
    assert found is not None
    assert (found.target, found.kind, found.plain) == (name, "uses", True)


@given(st.text(max_size=500))
def test_any_text_may_be_asked(text: str) -> None:
    found = read_callers_question(text)
    assert found is None or found.target


@pytest.mark.parametrize(
    "text",
    [
        "how does send_with_retry work?",
        "where is the timeout configured?",
        "why does Client.send call itself twice?",
        "which settings use seconds as their unit?",
        "what uses most of the memory at startup?",
        "docs/guide.md - who may push new messages?",
        "what is `...` here?",
        "is `?` used anywhere?",
        "",
        "which bindings can be used on `svelte:document`?",
        "Which Lua version does it build with MakeFile?",
        "What happens if somebody calls update_blob?",
        '"has no registered handler()" is said; who throws it?',
        "Which handlers must I pass to set_handlers?",
        "Can I use variables from a .env file?",
    ],
)
def test_other_questions_are_none_of_it(text: str) -> None:
    assert read_callers_question(text) is None


def test_what_limits_the_uses() -> None:
    found = read_callers_question("who uses M3UFile outside tests?")
    assert found is not None
    assert found.without_tests
    found = read_callers_question("ui::file_picker callers outside src/commands.rs")
    assert found is not None
    assert (found.target, found.outside) == ("ui::file_picker", "src/commands.rs")
    found = read_callers_question("Call sites of makeUniqueId outside its own module")
    assert found is not None
    assert found.outside == "."


@pytest.mark.parametrize(
    ("text", "target", "sought"),
    [
        ("which tests cover send_with_retry?", "send_with_retry", "tests"),
        ("what does send_with_retry call?", "send_with_retry", "callees"),
        ("what depends on shop/retry.py?", "shop/retry.py", "uses"),
        ("If getSlot(byte[]) rejected empty keys, which callers would be hit?", "getSlot", "uses"),
    ],
)
def test_what_is_sought(text: str, target: str, sought: str) -> None:
    found = read_callers_question(text)
    assert found is not None
    assert (found.target, found.kind) == (target, sought)


def test_a_plain_word_counts_right_behind_a_word_that_is_said_of_code() -> None:
    found = read_callers_question("who calls send?")
    assert found is not None
    assert found.plain
    assert read_callers_question("who uses dark mode?") is None


@pytest.mark.parametrize(
    ("text", "target", "inside"),
    [
        ("who calls send in client.py?", "send", "client.py"),
        ("Who calls send_all in the retry module?", "send_all", "retry"),
        ("what uses QueueNotFound within shop/queues.py", "QueueNotFound", "shop/queues.py"),
        ("Which functions call drain from the Worker class?", "drain", "Worker"),
        ("who calls find in this project?", "find", ""),
        ("who uses RetryPolicy here?", "RetryPolicy", ""),
        ("who uses RetryPolicy outside of tests?", "RetryPolicy", ""),
    ],
)
def test_in_which_place_the_uses_are_sought(text: str, target: str, inside: str) -> None:
    found = read_callers_question(text)
    assert found is not None
    assert (found.target, found.inside) == (target, inside)


def test_what_is_called_in_a_phrase_is_no_name() -> None:
    assert read_callers_question("who calls in sick?") is None


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("which reporters implement IListener?", "subtypes"),
        ("which parts of the harbour extend BaseQuay", "subtypes"),
        ("which old boats throw QuayClosed?", "raises"),
        ("which parts use IListener?", ""),
        ("which implemented boats call landAt?", ""),
    ],
)
def test_the_verb_before_a_name_tells_how_it_is_used_whoever_does_so(text: str, relation: str) -> None:
    found = read_callers_question(text)
    assert found is not None and found.relation == relation and found.kind == "uses"


def test_who_created_something_is_a_person() -> None:
    assert read_callers_question("who created quay.py?") is None
    assert read_callers_question("who creates BaseQuay?") is not None
