"""Reading queries: their kind, the names that they mention, their terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.search.query import read_query

KINDS = {
    "symbol": ["HandlerStack", "send", "send_with_retry", "std::vector", "send()", "@decorator", "a->b"],
    "path": ["src/app.py", "app.py", "src/quaestor/", "docs/guide.md", "src/app.py:12", "./a/b.go"],
    "trace": [
        'Traceback (most recent call last):\n  File "a.py", line 3, in f',
        "ValueError: invalid literal for int()",
        "thread 'main' panicked at src/main.rs:3",
        "    at Object.run (app.js:10:5)",
        "error[E0382]: borrow of moved value",
        "goroutine 1 [running]:",
    ],
    "text": ["where do we retry", "how is the cart's total computed?", "retry policy", "", "???", "再試行 する"],
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in KINDS.items() for text in texts])
def test_kinds(kind: str, text: str) -> None:
    assert read_query(text).kind == kind


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("send_with_retry", ("send_with_retry",)),
        ("Cart.total", ("total", "cart")),
        ("shop.cart.Cart.total()", ("total", "cart")),
        ("where is HandlerStack used", ("handlerstack",)),
        ("what does `send` do", ("send",)),
        ("does Cart.total call add_up and sumPrices?", ("total", "cart", "add_up", "sumprices")),
        ("where do we retry", ()),
        ("", ()),
    ],
)
def test_names(text: str, names: tuple[str, ...]) -> None:
    assert read_query(text).names == names


def test_terms_are_those_of_the_index() -> None:
    assert {"send_with_retry", "send", "retri"} <= set(read_query("send_with_retry").terms)
    assert "retri" in read_query("where do we retry?").terms
    assert read_query("!?").terms == ()


def test_a_query_of_stop_words_alone_still_has_terms() -> None:
    assert read_query("what is it").terms


def test_a_long_query_keeps_its_two_ends() -> None:
    query = read_query("first_words " + "middle " * 20_000 + "last_words")
    assert len(query.text) < 10_000
    assert query.text.startswith("first_words")
    assert query.text.endswith("last_words")


@given(st.text(max_size=300))
def test_any_text_is_a_query(text: str) -> None:
    query = read_query(text)
    assert "\x00" not in query.text
    assert all(name == name.lower() and name for name in query.names)
    assert len(set(query.names)) == len(query.names)
    assert read_query(text) == query


@pytest.mark.parametrize(
    "word", ["a", "_", "\u6f22", "a1", "1.", "aB", "a_", "a/", "a.", "-", "::", "\n", "at ", "Error", "`a"]
)
def test_thousands_of_letters_of_one_word_hide_no_place(word: str) -> None:
    query = read_query(f"x{word * 3_000} and src/retry.py:12")
    assert ("src/retry.py", 12) in [(place.path, place.line) for place in query.places]


@pytest.mark.parametrize(
    ("text", "term"),
    [("the C++ domain", "cpp"), ("how does C# call it?", "csharp"), ("(c++)", "cpp"), ("F#", "fsharp")],
)
def test_a_language_is_also_asked_for_by_the_name_that_code_gives_it(text: str, term: str) -> None:
    assert read_query(text).terms[-1] == term


@pytest.mark.parametrize("text", ["c++++", "Client#connect", "abc++", "C and more", "c#9"])
def test_other_signs_name_no_language(text: str) -> None:
    assert not {"cpp", "csharp", "fsharp"} & set(read_query(text).terms)
