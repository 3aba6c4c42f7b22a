"""Special tokens broken up, and put together again however the text arrives."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaestor.llm import chatml, tags
from quaestor.llm.chatml.raw import FORMS, LONGEST
from special_tokens import SPECIAL, hostile_texts, special_in

kept = st.sampled_from([(), tags.OPENINGS])


def pieces(text: str, cuts: list[int]) -> list[str]:
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    return [text[start:end] for start, end in pairwise(places)]


def arrived(parts: list[str], keep: tuple[str, ...]) -> str:
    restorer = chatml.Restorer(keep)
    return "".join(map(restorer.feed, parts)) + restorer.flush()


@pytest.mark.parametrize("token", SPECIAL)
def test_every_token_is_broken_up_wherever_it_stands(token: str) -> None:
    for text in (token, f"a{token}b", f"<{token}>", token * 3, f"[{token}]", f"{token[0]}{token}"):
        assert special_in(chatml.neutralise(text, tags.OPENINGS)) == [], text


@given(hostile_texts, kept)
@settings(max_examples=3 * settings.default.max_examples)
def test_no_token_survives(text: str, keep: tuple[str, ...]) -> None:
    assert special_in(chatml.neutralise(text, keep)) == []


@given(hostile_texts, kept, st.lists(st.integers(0, 1000), max_size=12))
@settings(max_examples=5 * settings.default.max_examples)
def test_a_text_is_restored_however_it_is_cut(text: str, keep: tuple[str, ...], cuts: list[int]) -> None:
    neutral = chatml.neutralise(text, keep)
    assert chatml.restore(neutral, keep) == text
    assert arrived(pieces(neutral, cuts), keep) == text
    assert arrived(list(neutral), keep) == text


@given(hostile_texts, kept, st.lists(st.integers(0, 1000), max_size=12))
@settings(max_examples=3 * settings.default.max_examples)
def test_what_a_model_wrote_by_itself_is_read_alike_however_it_is_cut(
    text: str, keep: tuple[str, ...], cuts: list[int]
) -> None:
    assert arrived(pieces(text, cuts), keep) == chatml.restore(text, keep)


@pytest.mark.parametrize("tag", tags.OPENINGS)
def test_restoring_makes_no_tag_of_ours(tag: str) -> None:
    broken = f"{tag[0]} {tag[1:]}x"
    assert arrived(list(broken), tags.OPENINGS) == broken


def test_no_more_is_held_back_than_may_begin_a_token() -> None:
    restorer = chatml.Restorer()
    assert restorer.feed("if a < b") == "if a "
    assert restorer.feed(" then") == "< b then"
    assert restorer.feed(" <div> x < ") == " <div> x "
    assert [restorer.feed(" ") for _ in range(1000)] == [""] * 1000
    assert restorer.feed("y" * (LONGEST + 1)) == "< " + " " * 1000 + "y" * (LONGEST + 1)
    assert not restorer.holds_text_back


def test_every_form_says_where_it_comes_from() -> None:
    assert all(form.families and form.source and " " not in form.rest for form in FORMS)


@pytest.mark.parametrize(
    "code", ["List<String> x = a[0] << 2;", "<div class='b'>", "a || b", "if [ -f x ]; then", "[x](y)"]
)
def test_ordinary_code_stays_as_it_is(code: str) -> None:
    assert chatml.neutralise(code) == code
