"""The scripted server is true to the official client and to its own styles."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import openai
import pytest

from scripted_server import STYLES, Recorded, Reply

Start = Callable[..., Any]


def client(server: Any) -> openai.OpenAI:
    return openai.OpenAI(base_url=server.base_url, api_key="k", max_retries=0)


@pytest.mark.parametrize("style", STYLES)
def test_every_endpoint(scripted_server: Start, style: str) -> None:
    server = scripted_server(["one two"], style=style, models=("tiny", "other"))
    with client(server) as connected:
        assert [model.id for model in connected.models.list()] == ["tiny", "other"]
        chat = connected.chat.completions.create(model="tiny", messages=[{"role": "user", "content": "hi"}])
        assert chat.choices[0].message.content == "one two"
        assert chat.usage is not None
        assert chat.usage.prompt_tokens == server.requests[-1].prompt_tokens > 0
        plain = connected.completions.create(model="tiny", prompt="hi", stop=[" two"])
        assert plain.choices[0].text == ("one two" if STYLES[style].keeps_stop else "one")
        pieces = connected.completions.create(model="tiny", prompt="hi", stream=True)
        assert "".join(chunk.choices[0].text for chunk in pieces) == "one two"
        vectors = connected.embeddings.create(model="tiny", input=["retry policy", "retry policy", "bread"]).data
        assert vectors[0].embedding == vectors[1].embedding != vectors[2].embedding
        numbers = connected.embeddings.create(model="tiny", input="retry policy", encoding_format="float").data
        assert numbers[0].embedding == pytest.approx(vectors[0].embedding, abs=1e-6)


@pytest.mark.parametrize("style", STYLES)
def test_unknown_model_and_bad_json(scripted_server: Start, style: str) -> None:
    server = scripted_server(style=style)
    with client(server) as connected:
        messages: Any = [{"role": "user", "content": "hi"}]
        if STYLES[style].unknown_model == 200:
            assert connected.chat.completions.create(model="gone", messages=messages)
        else:
            with pytest.raises(openai.APIStatusError) as caught:
                connected.chat.completions.create(model="gone", messages=messages)
            assert caught.value.status_code == STYLES[style].unknown_model
        with pytest.raises(openai.APIStatusError) as caught:
            connected.post("/chat/completions", content=b"{oops", cast_to=object)
        assert caught.value.status_code == STYLES[style].bad_json


def test_a_script_may_be_a_function(scripted_server: Start) -> None:
    def script(request: Recorded) -> Reply | str:
        return f"You said {request.last!r}."

    server = scripted_server(script)
    with client(server) as connected:
        chat = connected.chat.completions.create(model="tiny", messages=[{"role": "user", "content": "hi"}])
    assert chat.choices[0].message.content == "You said 'hi'."
    assert server.requests[0].body["messages"] == [{"role": "user", "content": "hi"}]


def test_parallel_streams_are_whole(scripted_server: Start) -> None:
    server = scripted_server([Reply(pieces=["ab"] * 20, pause=0.005)], style="vllm")

    async def one(connected: openai.AsyncOpenAI) -> str:
        messages: Any = [{"role": "user", "content": "hi"}]
        stream = await connected.chat.completions.create(model="tiny", messages=messages, stream=True)
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])

    async def run() -> list[str]:
        async with openai.AsyncOpenAI(base_url=server.base_url, api_key="k") as connected:
            return await asyncio.gather(*(one(connected) for _ in range(32)))

    assert asyncio.run(run()) == ["ab" * 20] * 32
