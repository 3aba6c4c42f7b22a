"""Chat templates that demand alternating roles or refuse a system role: their refusals, and what is sent then."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.errors import UpstreamError
from quaestor.core.messages import Message, ToolCall
from quaestor.llm.endpoints.failures import refuses_system, refuses_turns
from quaestor.llm.models import Request, TextDelta
from quaestor.llm.models.dialect import with_alternating_roles
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from scripted_server import Recorded, Reply, Script, StartServer

GEMMA = "System role not supported"
LLAMA_CPP = (
    "Unable to generate parser for this template. Automatic parser generation failed: \n------------\nWhile executing"
    " CallExpression at line 4, column 28 in source:\n... 2 == 0) -%}↵ {{- raise_exception('Conversation roles must"
    " alternate user...\nError: Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/..."
)
MISTRAL = (
    "After the optional system message, conversation roles must alternate user and assistant roles except for tool"
    " calls and results."
)
QUESTION = Message("user", "Where is it?")
MESSAGES = (
    Message("system", "Be brief."),
    Message("system", "What is a hit?", name="example_user"),
    Message("system", "A chunk.", name="example_assistant"),
    Message("user", "[1] retry.py", name="passages"),
    Message("system", "Remember: be brief."),
    QUESTION,
)


@pytest.mark.parametrize(
    "sentence",
    [GEMMA, "Only user, assistant and tool roles are supported, got system.", "system messages are not allowed"],
)
def test_refusals_of_a_system_message(sentence: str) -> None:
    assert refuses_system(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        LLAMA_CPP,
        MISTRAL,
        "System message must be at the beginning.",
        "Only user and assistant roles are supported, with the exception of an initial optional system message!",
        "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).",
        "Unexpected role 'user' after role 'tool'",
    ],
)
def test_refusals_of_an_order(sentence: str) -> None:
    assert refuses_turns(sentence)
    assert not refuses_system(sentence)


@pytest.mark.parametrize(
    "sentence", ["System message cannot contain images.", "the model is overloaded", "Invalid role", "context too long"]
)
def test_other_refusals(sentence: str) -> None:
    assert not refuses_system(sentence)
    assert not refuses_turns(sentence)


def test_nothing_is_lost() -> None:
    assert with_alternating_roles(MESSAGES, system=True) == [
        Message("system", "Be brief."),
        Message("user", "What is a hit?"),
        Message("assistant", "A chunk."),
        Message("user", "[1] retry.py\n\nRemember: be brief.\n\nWhere is it?"),
    ]
    assert with_alternating_roles(MESSAGES, system=False)[0] == Message("user", "Be brief.\n\nWhat is a hit?")


def test_a_reply_first_gets_something_to_reply_to() -> None:
    [first, second] = with_alternating_roles([Message("assistant", "It is here.")], system=True)
    assert (first.role, first.content) == ("user", "Earlier messages are left out.")
    assert second.content == "It is here."


def test_calls_stay_with_their_results() -> None:
    called = Message("assistant", "", tool_calls=(ToolCall("a", "search", "{}"),))
    result = Message("tool", "found", tool_call_id="a")
    messages = [QUESTION, called, result, result, Message("assistant", "Here."), Message("assistant", "There.")]
    assert with_alternating_roles(messages, system=True) == [*messages[:4], Message("assistant", "Here.\n\nThere.")]


roles = st.sampled_from(["system", "user", "assistant"])
messages = st.lists(st.builds(Message, roles, st.text(max_size=5), st.none() | st.just("example_user")), max_size=8)


@given(messages, st.booleans())
def test_roles_always_take_turns(given_messages: list[Message], system: bool) -> None:
    found = with_alternating_roles(given_messages, system=system)
    if found and found[0].role == "system":
        assert system
        found = found[1:]
    if given_messages:
        assert [message.role for message in found] == (["user", "assistant"] * len(found))[: len(found)]
    whole = "\n".join(message.content for message in with_alternating_roles(given_messages, system=system))
    assert all(message.content in whole for message in given_messages)


@given(messages, st.booleans())
def test_doing_it_twice_changes_nothing(given_messages: list[Message], system: bool) -> None:
    once = with_alternating_roles(given_messages, system=system)
    assert with_alternating_roles(once, system=system) == once


def picky(status: int, *, system: bool) -> Script:
    """Return what a server with a strict template says, as a script."""

    def script(request: Recorded) -> Reply | str:
        sent = [message["role"] for message in request.messages]
        if not system and "system" in sent:
            return Reply(status=status, error=GEMMA)
        turns = sent[1:] if sent[0] == "system" else sent
        return (
            "taken"
            if turns == (["user", "assistant"] * len(turns))[: len(turns)]
            else Reply(status=status, error=MISTRAL)
        )

    return script


def asked(model: OpenAICompatibleModel) -> str:
    async def run() -> str:
        try:
            return "".join(
                [delta.text async for delta in model.stream(Request(MESSAGES)) if isinstance(delta, TextDelta)]
            )
        finally:
            await model.aclose()

    return asyncio.run(run())


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize("system", [True, False])
def test_a_strict_template_is_served_and_remembered(scripted_server: StartServer, status: int, system: bool) -> None:
    server = scripted_server(picky(status, system=system))
    model = OpenAICompatibleModel("tiny", base_url=server.base_url)
    assert asked(model) == "taken"
    assert asked(model) == "taken"
    assert len(server.requests) == 3
    assert ("system" in {message["role"] for message in server.requests[-1].messages}) is system


def test_a_template_that_is_never_content(scripted_server: StartServer) -> None:
    server = scripted_server([Reply(status=400, error=MISTRAL)])
    with pytest.raises(UpstreamError, match="must alternate"):
        asked(OpenAICompatibleModel("tiny", base_url=server.base_url))
    assert len(server.requests) == 2
