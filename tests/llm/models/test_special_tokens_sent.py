"""A server receives no special token, what it answers is read with them, and what is counted is what is sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings

from quaestor.core.messages import Message, ToolCall
from quaestor.llm import chatml
from quaestor.llm.models import Delta, Finished, Request, TextDelta
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.llm.models.plain_completion import CompletionModel
from quaestor.llm.tokens import counter_for, load_encoding
from scripted_server import Call, Recorded, Reply, ScriptedServer
from special_tokens import SPECIAL, hostile_texts, special_in

MODEL = "gpt-4o"


def escaped(text: str) -> str:
    """Return a text as a string of JSON in which every letter that can be is written as an escape."""
    units = text.encode("utf-16-be", "replace")
    return '"' + "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)) + '"'


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from strings(member)
    elif isinstance(value, list):
        for member in value:
            yield from strings(member)


def repeating(request: Recorded) -> Reply:
    """Say what was asked, letter by letter, and call with it too."""
    said = request.last
    arguments = json.dumps({"text": said})
    return Reply(pieces=["said: ", *said], calls=[Call("note", [arguments[:7], *arguments[7:]])])


@pytest.fixture(scope="module")
def parrot() -> Iterator[ScriptedServer]:
    with ScriptedServer(repeating, models=(MODEL,)) as server:
        yield server


def ask(server: ScriptedServer, request: Request) -> tuple[str, Finished]:
    async def deltas() -> list[Delta]:
        model = OpenAICompatibleModel(MODEL, base_url=server.base_url)
        try:
            return [delta async for delta in model.stream(request)]
        finally:
            await model.aclose()

    *texts, finished = asyncio.run(deltas())
    assert isinstance(finished, Finished)
    return "".join(delta.text for delta in texts if isinstance(delta, TextDelta)), finished


def conversation(text: str, asked: str) -> list[Message]:
    call = ToolCall("call00001", "note", f'{{"a": {escaped(text)}, "b": {json.dumps(text)}}}')
    return [
        Message("system", text),
        Message("user", text, name="passages"),
        Message("assistant", text, tool_calls=(call,)),
        Message("tool", text, tool_call_id="call00001"),
        Message("user", asked),
    ]


def tool(text: str) -> dict[str, object]:
    return {"type": "function", "function": {"name": "note", "description": text, "parameters": {"enum": [text]}}}


@given(hostile_texts, hostile_texts)
@settings(max_examples=60)
def test_no_token_reaches_a_server_and_what_it_repeats_is_the_true_text(
    parrot: ScriptedServer, text: str, asked: str
) -> None:
    messages = conversation(text, asked)
    request = Request(messages, tools=(tool(text),))
    said, finished = ask(parrot, request)
    received = parrot.requests[-1]
    assert said == f"said: {asked}"
    assert json.loads(finished.tool_calls[0].arguments) == {"text": asked}
    assert [found for one in strings(received.body) for found in special_in(one)] == []
    written = json.loads(received.messages[2]["tool_calls"][0]["function"]["arguments"])
    assert special_in(written["a"]) == special_in(written["b"]) == []
    counted = OpenAICompatibleModel(MODEL, base_url=parrot.base_url).counter
    assert counted.request(messages, request.tools) >= received.prompt_tokens


@given(hostile_texts)
def test_what_is_counted_is_what_is_sent(text: str) -> None:
    model = OpenAICompatibleModel(MODEL, base_url="http://127.0.0.1:9/v1")
    messages = [Message("system", text), Message("user", text, name="passages"), Message("assistant", text)]
    sent = [Message(one["role"], one["content"], one.get("name")) for one in model.body(Request(messages))["messages"]]
    plain = counter_for(MODEL)
    assert model.counter.exact
    assert model.counter.messages(messages) == plain.messages(sent)
    assert model.counter.text(text) == plain.text(sent[0].content)


@pytest.mark.parametrize("token", SPECIAL)
def test_a_token_in_the_arguments_of_a_call_is_written_whole_again(token: str) -> None:
    call = Call("note", [f'{{"text": "{token[0]} ', escaped(token)[1:-1][6:], '"}'])
    with ScriptedServer([Reply(calls=[call])], models=(MODEL,)) as server:
        _, finished = ask(server, Request([Message("user", "Write it.")]))
    assert json.loads(finished.tool_calls[0].arguments) == {"text": token}


def test_arguments_without_tokens_stay_letter_by_letter() -> None:
    written = '{ "a" : "\\u00e9 \\/ \\\\u003cs> \\" \\ud83d\\ude42",  "n": 1e999 }'
    with ScriptedServer([Reply(calls=[Call("note", [written])])], models=(MODEL,)) as server:
        _, finished = ask(server, Request([Message("user", "Write it.")]))
    assert finished.tool_calls[0].arguments == written


def test_a_reply_cut_by_the_server_keeps_what_was_held_back() -> None:
    with ScriptedServer([Reply(pieces=["one < ", "|im_"], finish_reason="length")], models=(MODEL,)) as server:
        assert ask(server, Request([Message("user", "Count.")]))[0] == "one <|im_"


def completed(server: ScriptedServer, encoding: chatml.Encoding | None) -> str:
    async def texts() -> str:
        model = CompletionModel(MODEL, base_url=server.base_url, encoding=encoding)
        try:
            deltas = [delta async for delta in model.stream(Request([Message("user", "Count.")]))]
        finally:
            await model.aclose()
        return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))

    return asyncio.run(texts())


def test_a_plain_completion_is_restored_only_where_a_string_was_sent() -> None:
    with ScriptedServer([Reply(pieces=list("< |im_x"))], models=(MODEL,)) as server:
        assert completed(server, None) == "<|im_x"
        assert (
            completed(server, chatml.TiktokenEncoding(load_encoding("cl100k_base"), chatml.CL100K_CHATML)) == "< |im_x"
        )
