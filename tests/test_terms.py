"""Words and terms: identifiers split, stems found, other scripts read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.terms import (
    find_words,
    key_of,
    searched_terms,
    split_identifier,
    term_keys,
    terms,
    terms_of_word,
    words,
)

# Letters with marks, kana, Han, Latin with and without accents, digits, a blank.
UNSPACED = "กาค้ไฟล์นั้ 再試行する サーバーaBé_9 连接。"


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("getUserName", "get user name"),
        ("get_user_name", "get user name"),
        ("getHTTPResponse2", "get http response 2"),
        ("XMLParser", "xml parser"),
        ("parseXML", "parse xml"),
        ("SCREAMING_CASE", "screaming case"),
        ("__init__", "init"),
        ("utf8", "utf 8"),
        ("v2beta10", "v 2 beta 10"),
        ("größe", "große"),
        ("naïveCafé", "naivecafe"),
        ("再試行", "再 試 行"),
        ("x", "x"),
        ("_", ""),
    ],
)
def test_identifiers_are_split(word: str, parts: str) -> None:
    assert split_identifier(word) == tuple(parts.split())


def test_words_of_a_text() -> None:
    assert words("self.getUser(id_2) != None") == ["self", "get", "user", "id", "2", "none"]
    assert find_words("a.getUser(id_2)") == ["a", "getUser", "id_2"]


def test_terms_hold_compounds_whole_and_stems() -> None:
    assert terms_of_word("sendRetries") == ("sendretries", "send", "retri")
    assert terms_of_word("retries") == ("retri",)
    assert set(terms("retry")) == set(terms("retries"))
    assert set(terms("serializer")) & set(terms("serializes"))


def test_terms_repeat_as_often_as_they_occur() -> None:
    assert terms("cart cart") == ["cart", "cart"]


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("再試行", "再試 試行 再 試 行"),
        ("用xMalloc函数", "用 xmalloc x malloc 函数 函 数"),
        ("サーバー", "サー ーバ バー"),
        ("型", "型"),
        ("ที่นี่", "ที่นี่"),
        ("ไฟล์", "ไฟ ฟล์"),
    ],
)
def test_scripts_without_spaces_are_held_in_pairs_of_letters(text: str, held: str) -> None:
    assert terms(text) == held.split()


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("再試行する", "再試 試行 行す"),
        ("する", "する"),
        ("型 エラー", "型 エラ ラー"),
        ("连接 pool", "连接 pool"),
        ("ค้นหา", "ค้น นห หา"),
    ],
)
def test_pairs_are_asked_for_but_not_the_endings_of_japanese(text: str, asked: str) -> None:
    assert searched_terms(text) == asked.split()


@given(st.text(alphabet=UNSPACED, max_size=60))
def test_what_is_asked_for_is_held(text: str) -> None:
    assert set(searched_terms(text)) <= set(terms(text))


def test_a_sentence_without_spaces_is_read_to_its_end() -> None:
    assert terms("漢" * 500 + "字").count("漢字") == 1
    assert len(words("漢" * 500)) == 500


@given(st.text(max_size=200))
def test_any_text_has_terms_in_lower_case(text: str) -> None:
    for term in (*words(text), *terms(text)):
        assert term
        assert term == term.lower()
        assert not any(letter.isspace() for letter in term)


@given(
    st.text(max_size=200) | st.text(alphabet="aZ_09 .é再\x00", max_size=60) | st.text(alphabet=UNSPACED, max_size=60)
)
def test_a_line_of_terms_is_the_terms(text: str) -> None:
    assert term_keys(text) == b"".join(key_of(term).to_bytes(8, "little") for term in terms(text))


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_text_has_the_terms_of_its_parts(one: str, other: str) -> None:
    assert terms(f"{one}\n{other}") == terms(one) + terms(other)


def test_an_endless_word_is_cut() -> None:
    assert all(len(part) <= 64 for part in terms("x" * 100_000 + " " + "ab_" * 50_000))
