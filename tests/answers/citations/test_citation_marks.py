"""Citation marks as models write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.answers.citations.citation_marks import (
    NO_ANSWER,
    parse,
    says_no_answer,
    without_marks,
    without_no_answer,
    words_of_sentence,
)


def read(answer: str) -> list[tuple[int, str | None]]:
    return [(mark.n, mark.quote) for mark in parse(answer)]


@pytest.mark.parametrize(
    ("answer", "marks"),
    [
        ("It waits [1].", [(1, None)]),
        ("It waits[1].", [(1, None)]),
        ("It waits [1, 2] and [3].", [(1, None), (2, None), (3, None)]),
        ("It waits [1][2].", [(1, None), (2, None)]),
        ("It waits [1-3].", [(1, None), (2, None), (3, None)]),
        ("It waits [7-9].", [(7, None), (8, None), (9, None)]),
        ("It waits [3-3].", [(3, None)]),
        ("It waits [1-30].", [(1, None), (30, None)]),
        ("X > 3 holds [1] for all.", [(1, None)]),
        ("As in [1999 and before] it waits [1].", [(1, None)]),
        ("It waits [1; 4].", [(1, None), (4, None)]),
        ("It waits [1 and 4].", [(1, None), (4, None)]),
        ('It waits [1: "time.sleep(delay)"].', [(1, "time.sleep(delay)")]),
        ("It waits [1: 'time.sleep'].", [(1, "time.sleep")]),
        ("It waits [1: “time.sleep”].", [(1, "time.sleep")]),
        ("It waits [1: `time.sleep`].", [(1, "time.sleep")]),
        ('It waits [1, "time.sleep"].', [(1, "time.sleep")]),
        ('It waits [1 "time.sleep"].', [(1, "time.sleep")]),
        ('It waits [1:"a b"; 2: "c d"].', [(1, "a b"), (2, "c d")]),
        ('It waits [1: "a b", 2: "c d"].', [(1, "a b"), (2, "c d")]),
        ('It waits [1: "a b"] [2: "c d"].', [(1, "a b"), (2, "c d")]),
        ("It waits [1: retries three times].", [(1, "retries three times")]),
        ('It reads [2: "x = a["key"]"].', [(2, 'x = a["key"]')]),
        ('It reads [2: "rows[0], rows[1]"].', [(2, "rows[0], rows[1]")]),
        ('It reads [2: "rows[0"].', [(2, "rows[0")]),
        ('It says [2: "print("hi")"].', [(2, 'print("hi")')]),
        ('It says [2: "name = "quaestor""].', [(2, 'name = "quaestor"')]),
        ("It waits 【3】.", [(3, None)]),
        ("It waits [^3].", [(3, None)]),
        ("It waits [passage 3].", [(3, None)]),
        ('It waits [Passage 3: "so"].', [(3, "so")]),
        ("It waits [#3].", [(3, None)]),
        ("It waits [source 3, source 4].", [(3, None), (4, None)]),
        ("It waits [3](https://example.org).", [(3, None)]),
        ('The manual says "wait for it" [1].', [(1, "wait for it")]),
        ("It calls `time.sleep(1)` [1].", [(1, "time.sleep(1)")]),
        ("> wait for it\n> and more\n\n[1]", [(1, "wait for it\nand more")]),
        ("> wait for it [1]", [(1, "wait for it")]),
        ("```python\ndef f():\n    return 1\n```\n[2]", [(2, "def f():\n    return 1")]),
        ("In 2024 [2024] it [x] was [ ] so [a1].", []),
        ("`items[0]` and ``rows[1]``", []),
        ("```\nitems[0] [1]\n```\n", []),
        ("an unclosed [1 mark", []),
        ("", []),
    ],
)
def test_forms(answer: str, marks: list[tuple[int, str | None]]) -> None:
    assert read(answer) == marks


def test_stray_backtick_hides_nothing() -> None:
    assert read("A stray ` here [1].\n\nAnd another ` there [2].") == [(1, None), (2, None)]


@pytest.mark.parametrize(
    ("answer", "marks"),
    [
        ("> ```php\n> $all = collect([1, 2, 3]);\n> ```\n\n[2]", [2]),
        ("> It waits,[^1] and then [2] it stops.\n\n[3]", [3]),
        ("> It is so.[^1]\n> [^1]: Says who.\n\n[4]", [4]),
        ("> The first of [1, 2] is taken.\n\n[1]", [1]),
        ("> It waits [1].\n> It stops. [2][3]\n\nSo it [4] is.", [1, 2, 3, 4]),
    ],
)
def test_numbers_within_what_is_quoted_are_words_of_it(answer: str, marks: list[int]) -> None:
    assert [n for n, _ in read(answer)] == marks


def test_without_marks() -> None:
    answer = 'It waits [1: "x"] and [2] retries.'
    assert without_marks(answer, parse(answer)) == "It waits  and  retries."


def test_a_link_behind_a_mark_belongs_to_it() -> None:
    answer = "It waits [1](https://ferry.example/a) and retries [2] (twice)."
    assert without_marks(answer, parse(answer)) == "It waits  and retries  (twice)."


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ('It waits\n[1: "x"] for a boat [2].', "It waits for a boat."),
        ("[x] Row [1] across [2]!", "Row across!"),
        ("[ ] Land [1], then [ ] rest", "Land, then [ ] rest"),
    ],
)
def test_a_sentence_is_shown_on_one_line_without_marks_and_its_box(sentence: str, words: str) -> None:
    assert words_of_sentence(sentence) == words


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (NO_ANSWER, ""),
        ("[No answer] Nothing on it.", "Nothing on it."),
        ("**[no answer]** x", "x"),
        ("[no_answer]", ""),
    ],
)
def test_no_answer(answer: str, shown: str) -> None:
    assert says_no_answer(answer)
    assert without_no_answer(answer) == shown


def test_an_answer_is_no_refusal() -> None:
    assert not says_no_answer("There is no answer to send back when the queue is empty [1].")


@pytest.mark.parametrize(
    "answer",
    [
        "I do not know.",
        "I don't know",
        "Sorry, but I cannot answer that.",
        "The passages do not mention the price of bread.",
        "The provided context doesn't contain the answer.\n",
    ],
)
def test_a_sentence_that_says_it_alone_says_no_answer_as_the_mark_does(answer: str) -> None:
    assert says_no_answer(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "The passages do not say it, but it is 42.",
        "I do not know. It is 42.",
        "I do not know why it fails: it is 42.",
        "The sources do not mention it [1].",
        "The text does not hold more than 42 words: it is cut.",
    ],
)
def test_who_says_more_than_that_is_judged(answer: str) -> None:
    assert not says_no_answer(answer)


@given(st.text(alphabet="ab [](){}\"'`>123:,;-\n“”【】", max_size=200))
def test_any_text_is_read(answer: str) -> None:
    marks = parse(answer)
    assert all(0 <= mark.start < mark.end <= len(answer) for mark in marks)
    assert [mark.start for mark in marks] == sorted(mark.start for mark in marks)
    without_marks(answer, marks)


@given(
    st.integers(1, 99),
    st.text(alphabet="ab c_=(){}.,+", min_size=1, max_size=60).map(str.strip).filter(lambda quote: len(quote) > 2),
)
def test_the_agreed_form_is_always_read(n: int, quote: str) -> None:
    assert read(f'So it is [{n}: "{quote}"].') == [(n, quote)]
