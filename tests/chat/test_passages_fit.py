"""As many passages are sent as fit, the last one cut at a line end, and never more than the limit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaestor.chat.edit_turn import ask_message, fit_passages
from quaestor.core.errors import WindowError
from quaestor.core.messages import Message
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.llm.tokens import counter_for

SYSTEM = Message("system", "Answer from the passages.")
COUNTER = counter_for("gpt-4o")
LINES = st.lists(st.text(max_size=60), min_size=1, max_size=30).map("\n".join)


def passage(n: int, text: str) -> Passage:
    return Passage(n, f"folder/file{n}.py", 10, 10 + text.count("\n"), text)


def tokens(question: str, passages: tuple[Passage, ...]) -> int:
    return COUNTER.request((SYSTEM, ask_message(question, passages)))


def test_everything_is_shown_where_there_is_room() -> None:
    passages = [passage(n, "one\ntwo\nthree") for n in range(1, 5)]
    assert fit_passages(SYSTEM, "why?", passages, COUNTER, 10_000) == tuple(passages)


def test_the_last_is_trimmed_at_a_line_end() -> None:
    text = "\n".join(f"line {number} of a long passage with some words" for number in range(200))
    [shown] = fit_passages(SYSTEM, "why?", [passage(1, text)], COUNTER, 600)
    assert text.startswith(shown.text + "\n")
    assert shown.end_line == shown.start_line + shown.text.count("\n")


def test_too_little_room_leaves_a_passage_out() -> None:
    needed = tokens("why?", ())
    assert fit_passages(SYSTEM, "why?", [passage(1, "word " * 500)], COUNTER, needed + 30) == ()


def test_a_question_that_does_not_fit_says_by_how_much() -> None:
    with pytest.raises(WindowError) as caught:
        fit_passages(SYSTEM, "why " * 1000, [], COUNTER, 500)
    assert caught.value.limit == 500
    assert caught.value.needed == tokens("why " * 1000, ())
    assert str(caught.value.needed - 500) in str(caught.value)


@given(st.lists(LINES, max_size=6), st.text(max_size=80), st.integers(1, 60) | st.integers(50, 1500))
@settings(deadline=None)
def test_the_limit_is_never_passed(texts: list[str], question: str, limit: int) -> None:
    passages = [passage(n, text) for n, text in enumerate(texts, 1)]
    try:
        shown = fit_passages(SYSTEM, question, passages, COUNTER, limit)
    except WindowError as error:
        assert error.needed > limit
        return
    assert tokens(question, shown) <= limit
    assert [found.n for found in shown] == list(range(1, len(shown) + 1))
    for found, given_passage in zip(shown, passages, strict=False):
        assert given_passage.text.startswith(found.text)
