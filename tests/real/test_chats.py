"""Chat completions of a real server: ends, usage, begun replies, unknown models, strict templates, many at once."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from typing import Any

import pytest
from real_parts import FILLER, ask, chat_model, reply_of
from real_servers import HERE, RealServer

from conftest import StartLlama
from quaestor.core.errors import UpstreamError
from quaestor.core.messages import Message
from quaestor.llm.models import Request, TextDelta
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel

pytestmark = pytest.mark.real

ANSWER = 'A request is sent three times [1: "MAX_ATTEMPTS = 3"].'
QUESTION = Message("user", "How often is a request sent?")
ENDLESS = Message("user", "Say tick for ever.")
SYSTEM = Message("system", FILLER[:2000])


def test_usage_arrives_with_the_stream(llama: RealServer) -> None:
    replied = ask(chat_model(llama), Request((SYSTEM, QUESTION)))
    assert replied.text == ANSWER
    assert replied.end.model == "tiny"
    assert replied.end.usage is not None
    assert replied.end.usage.reported
    assert replied.end.usage.prompt_tokens > 500
    assert replied.end.usage.completion_tokens > 10


def test_the_limit_on_the_reply_ends_it(llama: RealServer) -> None:
    replied = ask(chat_model(llama), Request((ENDLESS,), max_tokens=40))
    assert replied.end.reason == "length"
    assert "tick tock tick tock" in replied.text


@pytest.mark.parametrize("stop", ["|>", "query", "send with retry"])
def test_stop_sequences_are_never_shown(llama: RealServer, stop: str) -> None:
    replied = ask(chat_model(llama), Request((Message("user", "Where do we retry?"),), stop=(stop,)))
    whole = 'Let me look.\n<|search query={"send with retry"}|>'
    assert replied.text == whole[: whole.index(stop)]
    assert replied.end.reason == "stop"


def test_a_begun_reply_is_gone_on_with(llama: RealServer) -> None:
    model = chat_model(llama, capabilities=Capabilities(continues_assistant=True))
    replied = ask(model, Request((QUESTION, Message("assistant", "A request is sent"))))
    assert replied.text == ANSWER.removeprefix("A request is sent")


def test_a_model_that_the_server_does_not_know(llama: RealServer) -> None:
    # llama-server serves whatever it has loaded; that is not a failure.
    replied = ask(OpenAICompatibleModel("gone", base_url=llama.base_url), Request((QUESTION,)))
    assert replied.text == ANSWER


def test_a_place_without_an_endpoint(llama: RealServer) -> None:
    with pytest.raises(UpstreamError, match="base_url"):
        ask(OpenAICompatibleModel("tiny", base_url=f"{llama.root}/nowhere/v1"), Request((QUESTION,)))


def test_a_strict_template(start_llama: StartLlama) -> None:
    server = start_llama("-c", "4096", "-np", "1", "--chat-template-file", str(HERE / "strict.jinja"))
    messages = (SYSTEM, Message("user", "Passages."), Message("system", "Remember: be brief."), QUESTION)
    assert ask(chat_model(server), Request(messages)).text == ANSWER


def test_thirty_two_streams_at_once(llama: RealServer) -> None:
    async def run() -> list[str]:
        model = chat_model(llama)
        requests = [Request((SYSTEM, Message("user", f"{number}"), QUESTION)) for number in range(32)]
        try:
            return [replied.text for replied in await asyncio.gather(*(reply_of(model, one) for one in requests))]
        finally:
            await model.aclose()

    assert asyncio.run(run()) == [ANSWER] * 32


def slots(server: RealServer) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{server.root}/slots", timeout=600) as answer:
        found: list[dict[str, Any]] = json.load(answer)
    return found


def test_cancelling_reaches_the_server(llama: RealServer) -> None:
    async def run() -> None:
        model = chat_model(llama)
        begun = asyncio.Event()

        async def listen() -> None:
            async for delta in model.stream(Request((ENDLESS,), max_tokens=7000)):
                if isinstance(delta, TextDelta):
                    begun.set()

        task = asyncio.create_task(listen())
        await begun.wait()
        assert any(slot["is_processing"] for slot in await asyncio.to_thread(slots, llama))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(600):
            while any(slot["is_processing"] for slot in await asyncio.to_thread(slots, llama)):
                await asyncio.sleep(0)  # the server finds out when it next writes
        await model.aclose()

    asyncio.run(run())
