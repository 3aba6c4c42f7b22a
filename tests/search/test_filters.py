"""Dates and authors that a question asks for, and those that it is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.errors import UsageError
from quaestor.core.terms import find_words
from quaestor.search.filters import QuestionFilters, both_filters, make_filter, read_filters
from quaestor.stores import Bylines, Where

BLOG = Bylines(10, 9, "2015", "2024", {"Julia Evans": 3, "Simon Willison, Ana Núñez": 2, "antirez": 1})
CODE = Bylines(100, 2, "2020", "2021", {"Julia Evans": 2})


@pytest.mark.parametrize(
    ("question", "text", "since", "before", "authors"),
    [
        ("posts about retries since 2020", "posts about retries", "2020", "", ()),
        ("Since 2020, how do we retry?", "how do we retry?", "2020", "", ()),
        ("formats before March 2019?", "formats?", "", "2019-03", ()),
        ("notes until 4 May 2019 on sqlite", "notes on sqlite", "", "2019-05-05", ()),
        ("articles written after March 2019 on dns", "articles written on dns", "2019-04", "", ()),
        ("posts in 2021 about sql", "posts about sql", "2021", "2022", ()),
        ("what did she write about retries in 2021?", "what did she write about retries?", "2021", "2022", ()),
        ("posts from 2020 to March 2022 on dns", "posts on dns", "2020", "2022-04", ()),
        ("dns between 2019 and 2021", "dns", "2019", "2022", ()),
        ("posts since 2020 and before 2021-06 on dns", "posts on dns", "2020", "2021-06", ()),
        ("posts by Julia Evans about dns", "posts about dns", "", "", ("Julia Evans",)),
        ("dns by julia evans", "dns", "", "", ("julia evans",)),
        ("posts by Evans, Julia on dns", "posts by Evans, Julia on dns", "", "", ()),
        ("posts by antirez on retries", "posts on retries", "", "", ("antirez",)),
        ("dns by Julia Evans or Ana Nunez", "dns", "", "", ("Julia Evans", "Ana Nunez")),
        ("posts since 2020 by antirez on dns", "posts on dns", "2020", "", ("antirez",)),
        ("posts by Ana Núñez from 2020 to 2022 on dns", "posts on dns", "2020", "2023", ("Ana Núñez",)),
    ],
)
def test_what_a_question_asks_for(question: str, text: str, since: str, before: str, authors: tuple[str, ...]) -> None:
    said = read_filters(question, BLOG)
    assert (said.text, said.where) == (text, Where(since=since, before=before, authors=authors))
    assert bool(said.phrases) == (said.where != Where())
    assert all(phrase in question for phrase in said.phrases)


@pytest.mark.parametrize(
    "question",
    [
        "which PEPs were accepted in 2021",
        "what happened with async in 2021?",
        "what becomes of timestamps after 2038",
        'who said "since 2020"',
        "what does `posts since 2020` print",
        "retries by antirez",
        "how is memory freed by hand",
        "dns by Julia Evans's brother",
        "dns by Julia Roberts",
        "since 2020",
        "by Julia Evans",
        "the word since 1.2020.3 came",
        "posts between 2021 and 2019",
        "",
    ],
)
def test_what_it_is_about_stays(question: str) -> None:
    assert read_filters(question, BLOG) == QuestionFilters(question)


def test_where_few_documents_are_dated_only_a_word_for_texts_makes_a_date_a_filter() -> None:
    assert read_filters("the retry since 2020", CODE) == QuestionFilters("the retry since 2020")
    assert read_filters("posts since 2020 on retries", CODE).where == Where(since="2020")
    assert read_filters("posts since 2020 on retries", Bylines(5)) == QuestionFilters("posts since 2020 on retries")


WORDS = st.sampled_from(
    "posts since before in from to and between 2020 March by Julia Evans 's or \" ` , ? dns written 2021-03".split()
)


@given(st.lists(WORDS, max_size=14).map(" ".join))
def test_any_text_is_read(question: str) -> None:
    said = read_filters(question, BLOG)
    assert bool(said.phrases) == (said.where != Where()) == (said.text != question)
    # Nothing is left to be understood, and nothing comes from elsewhere.
    assert all(word in question for word in find_words(said.text))


@given(st.text())
def test_no_text_is_refused(question: str) -> None:
    said = read_filters(question, BLOG)
    assert said.phrases or said == QuestionFilters(question)


def test_options_make_a_filter() -> None:
    assert make_filter() is None
    assert make_filter(since=" ", by=["", " "]) is None
    assert make_filter(["src/**"], ["python"], "March 2020", "2021", ["Ana "]) == Where(
        ("src/**",), ("python",), "2020-03", "2021", ("Ana",)
    )
    with pytest.raises(UsageError, match="'soon' is not a date"):
        make_filter(since="soon")


def test_both_filters_hold() -> None:
    one, other, third = Where(since="2020"), Where(before="2021"), Where(paths=("a",))
    assert both_filters(None, None) is None
    assert both_filters(one, None) == both_filters(None, one) == one
    joined = both_filters(both_filters(one, other), third)
    assert joined is not None
    assert list(joined.parts()) == [one, other, third]
