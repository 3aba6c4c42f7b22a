"""Malformed input: a typed error in one sentence, or a marked cut."""

from __future__ import annotations

import pytest

from quaestor.core.errors import UsageError, WindowError
from quaestor.core.messages import Message, ToolCall
from quaestor.llm.tokens import counter_for
from quaestor.window import Recall, Settings, compose, default_wording

QUESTION = Message("user", "Where do we retry?")
MARK = default_wording().trimmed
LONG = "word " * 5000


def test_a_question_longer_than_the_window() -> None:
    with pytest.raises(WindowError, match="shorten it by 1") as caught:
        compose([Message("user", LONG)], limit=4096)
    assert caught.value.limit == 4096
    assert caught.value.needed > 5500
    fits = compose([Message("user", LONG)], limit=caught.value.needed)
    assert fits.tokens + 500 == caught.value.needed


def test_a_system_message_longer_than_the_window() -> None:
    with pytest.raises(WindowError, match="system 500"):
        compose([Message("system", LONG), QUESTION], limit=4096)


def test_a_passage_of_one_line_of_a_megabyte() -> None:
    window = compose([QUESTION], limit=4096, passages=["lorem-ipsum/" * 90_000])
    assert window.tokens <= 3596
    assert window.tokens > 3500
    assert window.decisions[-1].action == "trimmed"
    assert window.messages[-2].content.endswith(MARK)
    assert window.messages[-1] == QUESTION


def test_a_tool_result_of_ten_megabytes() -> None:
    call = Message("assistant", "", tool_calls=(ToolCall("a", "read", "{}"), ToolCall("b", "read", "{}")))
    short, huge = (
        Message("tool", "short", tool_call_id="a"),
        Message("tool", "line of log\n" * 850_000, tool_call_id="b"),
    )
    window = compose([QUESTION, call, short, huge], limit=4096)
    assert window.tokens <= 3596
    assert window.messages[:3] == (QUESTION, call, short)
    assert window.messages[3].content.endswith(f"line of log\n{MARK}")
    assert [decision.action for decision in window.decisions] == ["kept", "kept", "kept", "trimmed"]
    assert window.decisions[3].full_tokens > 1_000_000


def test_an_orphaned_tool_result_is_dropped_with_a_reason() -> None:
    window = compose([Message("tool", "42", tool_call_id="gone"), QUESTION], limit=4096)
    assert window.messages == (QUESTION,)
    assert "without the call" in window.decisions[0].reason


def test_a_call_without_its_result_is_dropped_with_a_reason() -> None:
    call = Message("assistant", "", tool_calls=(ToolCall("a", "read", "{}"),))
    window = compose([call, QUESTION], limit=4096)
    assert window.messages == (QUESTION,)
    assert "no results" in window.decisions[0].reason


def test_a_limit_smaller_than_the_reserve() -> None:
    with pytest.raises(WindowError, match="lower the reserve"):
        compose([QUESTION], limit=400, reserve=500)


@pytest.mark.parametrize(("limit", "reserve"), [(0, 0), (-1, 0), (100, -1)])
def test_impossible_numbers(limit: int, reserve: int) -> None:
    with pytest.raises(UsageError):
        compose([QUESTION], limit=limit, reserve=reserve)


def test_an_unknown_policy() -> None:
    with pytest.raises(UsageError, match="'newest'"):
        compose([QUESTION], limit=4096, policy="newest")  # type: ignore[arg-type]


def test_tool_schemas_longer_than_the_window() -> None:
    with pytest.raises(WindowError, match="tools"):
        compose([QUESTION], limit=4096, tools=({"name": "f", "description": LONG},))


def test_impossible_settings() -> None:
    with pytest.raises(ValueError, match="recent"):
        Settings(recent=1.5)


def test_no_messages_at_all() -> None:
    window = compose([], limit=4096, recall=Recall())
    assert window.messages == ()
    assert window.tokens == counter_for("gpt-4o").messages(())


def test_a_long_last_reply_is_trimmed_rather_than_lost() -> None:
    history = [Message("user", "Tell me all."), Message("assistant", "A fact.\n" * 3000)]
    window = compose([*history, QUESTION], limit=4096, recall=Recall())
    assert window.decisions[1].action == "trimmed"
    assert any(message.content.endswith(f"A fact.\n{MARK}") for message in window.messages)
