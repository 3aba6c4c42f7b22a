"""Properties of every window of every conversation."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from conversations import conversations, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from quaestor.core.errors import WindowError
from quaestor.core.messages import Message
from quaestor.llm.tokens import counter_for
from quaestor.window import Policy, Recall, Reminder, Settings, Window, compose

limits = st.one_of(st.integers(256, 4096), st.integers(256, 1_000_000))
policies = st.sampled_from(["sliding", "summary", "recall", "blend"])
TOOLS = ({"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}},)


def composed(messages: Sequence[Message], limit: int, policy: Policy, **rest: object) -> Window | None:
    try:
        return compose(messages, limit=limit, policy=policy, recall=Recall(), **rest)  # type: ignore[arg-type]
    except WindowError as error:
        assert error.needed > error.limit == limit
        return None


def head_of(messages: Sequence[Message]) -> list[Message]:
    head: list[Message] = []
    for message in messages:
        if message.role != "system":
            break
        if not (message.name or "").startswith("example_"):
            head.append(message)
    return head


def assert_order_is_legal(messages: Sequence[Message]) -> None:
    waiting: set[str | None] = set()
    for message in messages:
        if message.role == "tool":
            assert message.tool_call_id in waiting
            waiting.discard(message.tool_call_id)
            continue
        assert not waiting, "a call is parted from its result"
        waiting = {call.id for call in message.tool_calls}
    assert not waiting


@given(conversations(), limits, st.integers(0, 600), policies, st.lists(texts, max_size=3), st.booleans())
@settings(max_examples=2 * settings.default.max_examples, deadline=None)
def test_every_window(
    messages: list[Message], limit: int, reserve: int, policy: Policy, passages: list[str], with_tools: bool
) -> None:
    tools = TOOLS if with_tools else ()
    settings_ = Settings(reminder=Reminder("Answer in one sentence.", every=150))
    kwargs = {"reserve": reserve, "passages": passages, "tools": tools, "settings": settings_}
    window = composed(messages, limit, policy, **kwargs)
    if window is None:
        return
    # never over the limit, counted by somebody else
    assert window.tokens == counter_for("gpt-4o").request(window.messages, tools)
    assert window.tokens + reserve <= limit
    assert sum(window.sections.values()) == window.tokens
    # must-keep is kept
    head = head_of(messages)
    assert head_of(window.messages)[: len(head)] == head
    questions = [message for message in messages if message.role == "user"]
    if questions:
        assert questions[-1] in window.messages
    assert_order_is_legal(window.messages)
    # a decision for every input, and it is true
    assert [decision.index for decision in window.decisions] == [*range(len(messages)), *range(len(passages))]
    kept = [
        decision for decision in window.decisions[: len(messages)] if decision.tokens or decision.section != "left out"
    ]
    in_order = [messages[decision.index] for decision in kept if decision.action in ("kept", "recalled")]
    rest = iter(window.messages)
    assert all(message in rest for message in in_order), "a message that is said to be in is not, or out of order"
    assert all(decision.reason for decision in window.decisions)
    assert all(decision.tokens <= max(decision.full_tokens, 1) for decision in window.decisions[: len(messages)])


@given(conversations(), limits, st.integers(0, 600), policies, st.lists(texts, max_size=3), st.booleans())
@settings(max_examples=2 * settings.default.max_examples, deadline=None)
def test_composing_again_changes_nothing(
    messages: list[Message], limit: int, reserve: int, policy: Policy, passages: list[str], reminded: bool
) -> None:
    settings_ = Settings(reminder=Reminder("Answer in one sentence.", every=150) if reminded else None)
    kwargs = {"reserve": reserve, "settings": settings_}
    first = composed(messages, limit, policy, passages=passages, **kwargs)
    if first is None:
        return
    for again in ([], passages):
        second = composed(first.messages, limit, policy, passages=again, **kwargs)
        assert second is not None
        lost, new = set(first.messages) - set(second.messages), set(second.messages) - set(first.messages)
        assert second.messages == first.messages, (len(again), lost, new)
        assert second.tokens == first.tokens


@given(conversations(), limits, policies, st.integers(1, 5))
@settings(max_examples=80, deadline=None)
def test_what_was_read_before_changes_nothing(messages: list[Message], limit: int, policy: Policy, step: int) -> None:
    growing = Recall()
    for end in range(1, len(messages) + 1, step):
        part = messages[:end]
        try:
            grown = compose(part, limit=limit, policy=policy, recall=growing)
        except WindowError:
            continue
        # Other objects, another counter: nothing is remembered of them.
        fresh = [Message(m.role, m.content, m.name, m.tool_calls, m.tool_call_id) for m in part]
        assert compose(fresh, limit=limit, policy=policy, recall=Recall(), tokenizer=counter_for("gpt-4o")) == grown


def test_the_properties_notice_a_parted_pair() -> None:
    with pytest.raises(AssertionError):
        assert_order_is_legal([Message("user", "hi"), Message("tool", "x", tool_call_id="call_1")])


@given(conversations(), limits, policies, st.lists(texts, min_size=1, max_size=3))
@settings(max_examples=2 * settings.default.max_examples, deadline=None)
def test_a_passage_said_to_be_in_a_message_is_in_one(
    messages: list[Message], limit: int, policy: Policy, passages: list[str]
) -> None:
    passages = [*passages, *(message.content for message in messages[-3:])]
    window = composed(messages, limit, policy, passages=passages)
    for decision in window.decisions[len(messages) :] if window else ():
        if "already in the window" in decision.reason:
            assert any(passages[decision.index].rstrip("\n") in message.content for message in window.messages)
