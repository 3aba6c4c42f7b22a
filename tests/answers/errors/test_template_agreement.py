"""How far a message agrees with the template that prints it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.answers.errors.template_agreement import agreement, fixed_text, template_words, words_of

WORD = st.from_regex(r"[b-y]{3,8}", fullmatch=True)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('raise E(f"Queue {name!r} missing from {where}")', ("queue", "missing", "from")),
        ("throw new Error(`Plugin ${name} requires ${what}`)", ("plugin", "requires")),
        ('fmt.Errorf("No %s executable found for %-5.2f", a)', ("no", "executable", "found", "for")),
        ('raise "unknown #{kind} of thing"', ("unknown", "of", "thing")),
        ('fatalError("Cannot take \\(count) items")', ("cannot", "take", "items")),
        ("label: 'You have %{count} new mails'", ("you", "have", "new", "mails")),
        ('io:format("bad ~p value~n", [X])', ("bad", "value")),
    ],
)
def test_placeholders_are_no_words_of_a_template(code: str, words: tuple[str, ...]) -> None:
    assert template_words(code) == words


@given(
    st.lists(WORD, min_size=1, max_size=8), st.lists(st.from_regex(r"[0-9]{4}", fullmatch=True), min_size=8, max_size=8)
)
def test_a_template_agrees_wholly_with_what_it_prints(words: list[str], values: list[str]) -> None:
    printed = " ".join(f"{word} {value}" for word, value in zip(words, values, strict=False))
    template = " {} ".join(words) + " {}"
    found = agreement(words_of(printed), words_of(fixed_text(template)), {})
    assert found.words == len(words)
    assert found.of_template == 1.0


@given(st.lists(WORD, max_size=12), st.lists(WORD, max_size=12))
def test_shares_are_shares(message: list[str], template: list[str]) -> None:
    found = agreement(message, template, {})
    assert found.words <= min(len(message), len(template))
    for share in (found.of_template, found.of_message, found.of_span):
        assert 0.0 <= share <= 1.0
    assert found.of_span >= found.of_message


def test_words_that_lie_apart_are_told_from_a_message() -> None:
    template = words_of("lock is held")
    near = agreement(words_of("it says the lock is held and then nothing more happens"), template, {})
    apart = agreement(words_of("the lock that I took is what the other one has held"), template, {})
    assert near.words == apart.words == 3
    assert near.of_span > apart.of_span
