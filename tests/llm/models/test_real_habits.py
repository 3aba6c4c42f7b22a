"""Our client against every habit of real servers that was measured, one test a row, one case a server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from quaestor.core.errors import UpstreamError
from quaestor.core.messages import Message, ToolCall
from quaestor.llm.endpoints.client import RetryPolicy
from quaestor.llm.endpoints.failures import HungUpError, StreamCutError, TooLongError
from quaestor.llm.models import Delta, Finished, Request, TextDelta
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from scripted_server import STYLES, Call, Recorded, Reply, ScriptedServer, StartServer

SERVERS = [name for name in STYLES if name != "openai"]
ASK = Request((Message("user", "Where is it?"),))
LONG = Request((Message("user", "word " * 300),))
TOOL: dict[str, object] = {"type": "function", "function": {"name": "search", "parameters": {}}}
ARGUMENTS = '{"query": "where do we retry", "k": 10}'
every_server = pytest.mark.parametrize("style", SERVERS)


def model_at(server: ScriptedServer, name: str = "tiny", **options: Any) -> OpenAICompatibleModel:
    return OpenAICompatibleModel(name, base_url=server.base_url, retries=RetryPolicy(first=0.0), **options)


async def replied(model: OpenAICompatibleModel, request: Request = ASK) -> list[Delta]:
    return [delta async for delta in model.stream(request)]


def ask(model: OpenAICompatibleModel, request: Request = ASK) -> list[Delta]:
    async def run() -> list[Delta]:
        try:
            return await replied(model, request)
        finally:
            await model.aclose()

    return asyncio.run(run())


def text(deltas: Sequence[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def end(deltas: Sequence[Delta]) -> Finished:
    assert isinstance(deltas[-1], Finished)
    return deltas[-1]


@every_server
def test_stop_sequence(scripted_server: StartServer, style: str) -> None:
    server = scripted_server(["<|search query={1}|> and on"], style=style)
    found = ask(model_at(server), Request(ASK.messages, stop=("|>",)))
    assert text(found) == "<|search query={1}"
    assert end(found).reason == "stop"


@every_server
def test_tool_call(scripted_server: StartServer, style: str) -> None:
    server = scripted_server([Reply(calls=[Call("search", [ARGUMENTS], "a1")])], style=style)
    found = ask(model_at(server), Request(ASK.messages, tools=(TOOL,)))
    if STYLES[style].calls == "text":
        assert text(found) == '{"name": "search", "arguments": {"query": "where do we retry", "k": 10}}'
        assert end(found).reason == "stop"
    else:
        assert end(found).tool_calls == (ToolCall("a1", "search", ARGUMENTS),)
        assert (text(found), end(found).reason) == ("", "tool_calls")


@every_server
@pytest.mark.parametrize("continues", [True, False])
def test_a_begun_reply(scripted_server: StartServer, style: str, continues: bool) -> None:
    def script(request: Recorded) -> str:
        return "two" if request.continues else "One, two"

    begun = Request((*ASK.messages, Message("assistant", "One, ")))
    model = model_at(scripted_server(script, style=style), capabilities=Capabilities(continues_assistant=continues))
    able = {"unasked": True, "told": continues, "never": False}[STYLES[style].begins]
    assert text(ask(model, begun)) == ("two" if able else "One, two")


@every_server
def test_overflow_of_the_window(scripted_server: StartServer, style: str) -> None:
    server = scripted_server(style=style, window=100)
    with pytest.raises(TooLongError) as caught:
        ask(model_at(server), LONG)
    silent = STYLES[style].overflow == "empty"
    assert caught.value.limit == (None if silent else 100)
    assert caught.value.request_tokens == (None if silent else server.requests[0].prompt_tokens)
    assert caught.value.status == (200 if silent else 400)
    # Of a stream in which nothing was, the reason is asked for without a stream.
    assert len(server.requests) == (2 if STYLES[style].silent else 1)


@every_server
def test_max_tokens_over_the_window(scripted_server: StartServer, style: str) -> None:
    server = scripted_server(["word " * 200], style=style, window=100)
    request = Request(ASK.messages, max_tokens=5000)
    if STYLES[style].reply_limit == "refuse":
        with pytest.raises(TooLongError) as caught:
            ask(model_at(server), request)
        assert caught.value.limit == 100
        return
    found = ask(model_at(server), request)
    assert end(found).reason == ("length" if STYLES[style].reply_limit == "clamp" else "stop")
    assert text(found).startswith("word word")


@every_server
def test_unknown_model(scripted_server: StartServer, style: str) -> None:
    server = scripted_server(["Here."], style=style)
    if STYLES[style].unknown_model == 200:
        assert text(ask(model_at(server, "gone"))) == "Here."
        return
    with pytest.raises(UpstreamError, match="'gone'") as caught:
        ask(model_at(server, "gone"))
    assert (caught.value.status, caught.value.retryable) == (STYLES[style].unknown_model, False)


@every_server
def test_end_and_usage_of_a_stream(scripted_server: StartServer, style: str) -> None:
    found = ask(model_at(scripted_server(["Here it is."], style=style)))
    assert text(found) == "Here it is."
    usage = end(found).usage
    assert usage is not None
    assert usage.reported is STYLES[style].stream_usage
    assert usage.prompt_tokens > 0
    assert usage.completion_tokens > 0


@every_server
def test_thirty_two_streams_at_once(scripted_server: StartServer, style: str) -> None:
    may_end = threading.Event()
    server = scripted_server([Reply(pieces=["a"] * 30, may_end=may_end)], style=style)

    async def run() -> list[Any]:
        model = OpenAICompatibleModel("tiny", base_url=server.base_url, retries=RetryPolicy(retries=0))
        try:
            asked = asyncio.gather(*(replied(model) for _ in range(32)), return_exceptions=True)
            while server.streams < 32:
                await asyncio.sleep(0.02)
            may_end.set()
            return await asked
        finally:
            await model.aclose()

    found = asyncio.run(run())
    whole = [one for one in found if isinstance(one, list)]
    assert {text(one) for one in whole} == {"a" * 30}
    cut = [one for one in found if isinstance(one, StreamCutError | HungUpError)]
    # A reply that was cut off is told as such, and never taken for a whole one.
    assert (len(whole), len(cut)) == ((1, 31) if STYLES[style].one_stream else (32, 0))


@every_server
def test_after_a_500(scripted_server: StartServer, style: str) -> None:
    server = scripted_server([Reply(status=500), "back"], style=style)
    assert text(ask(model_at(server))) == "back"
    assert len(server.requests) == 2
