"""How much of a query occurs in a text word for word."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.terms import searched_terms
from quaestor.search.phrases import shares_of_runs, word_numbers, word_runs


def found(query: str, text: str) -> tuple[float, float]:
    runs = word_runs(query, dict.fromkeys(searched_terms(query), 1.0))
    phrase, pairs, _ = shares_of_runs(runs, [word_numbers(text)])[0].tolist()
    return phrase, pairs


def test_punctuation_line_ends_and_the_seams_of_literals_do_not_count() -> None:
    source = 'raise Failure(\n    "Could not open the "\n    "configuration file: %s" % path)'
    assert found("could not open the configuration file", source) == (1.0, 1.0)


@pytest.mark.parametrize("value", ["42", "/etc/app.toml", "0x7f:12"])
def test_no_run_goes_across_a_value(value: str) -> None:
    source = 'die("cannot open %s: error code %d in section", path, code)'
    assert found(f"cannot open {value}: error code {value} in section", source)[1] == 1.0


def test_parts_of_words_are_no_words() -> None:
    assert found("open the file", "reopen the files")[1] == 0.0


def test_pairs_count_by_what_they_tell() -> None:
    runs = word_runs("red green blue", {"red": 3.0, "green": 1.0, "blue": 0.0})
    assert shares_of_runs(runs, [word_numbers("red green")])[0].tolist() == [0.0, pytest.approx(4 / 5), 1.0]


def test_a_query_of_stop_words_has_no_pairs() -> None:
    assert word_runs("what is it", {}).pairs == ()
    assert shares_of_runs(word_runs("", {}), [word_numbers("text")])[0].tolist() == [0.0, 0.0, 0.0]


@given(st.text(max_size=200), st.text(max_size=200))
def test_shares_are_shares(query: str, text: str) -> None:
    assert all(0.0 <= share <= 1.0 + 1e-9 for share in found(query, text))


@given(st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=2, max_size=20))
def test_a_text_holds_all_runs_of_itself(words: list[str]) -> None:
    text = " ".join(words)
    assert found(text, f'"{text}!"')[1] == pytest.approx(1.0)


@given(st.lists(st.lists(st.sampled_from(["red", "green", "blue"]), max_size=6).map(" ".join), max_size=5))
def test_a_text_shares_the_same_among_others(texts: list[str]) -> None:
    runs = word_runs("red green blue red", dict.fromkeys(searched_terms("red green blue"), 1.0))
    words = [word_numbers(text) for text in texts]
    assert shares_of_runs(runs, words).tolist() == [shares_of_runs(runs, [one])[0].tolist() for one in words]


@given(
    st.lists(st.sampled_from("red green blue".split()), max_size=9),
    st.lists(st.sampled_from("red green blue".split()), max_size=9),
)
def test_pairs_are_those_that_stand_word_by_word(asked: list[str], words: list[str]) -> None:
    pairs = set(pairwise(asked))
    held = pairs & set(pairwise(words))
    assert found(" ".join(asked), ", ".join(words).title())[1] == pytest.approx(len(held) / (len(pairs) or 1))


@given(st.lists(st.sampled_from("red green blue".split()), min_size=1, max_size=5))
def test_words_are_counted_by_what_they_tell(held: list[str]) -> None:
    weights = {"red": 1.0, "green": 2.0, "blue": 5.0}
    [[_, _, words]] = shares_of_runs(word_runs("red green blue", weights), [word_numbers(" ".join(held))]).tolist()
    assert words == pytest.approx(sum(weights[word] for word in set(held)) / 8)
