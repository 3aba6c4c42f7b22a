"""What ``doctor --probe`` finds out of real servers."""

from __future__ import annotations

import asyncio

import pytest
from real_parts import chat_model, completion_model
from real_servers import RealServer

from conftest import StartLlama
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.llm.models.probe import Probe, probe

pytestmark = pytest.mark.real


def probed(model: OpenAICompatibleModel) -> Probe:
    async def run() -> Probe:
        try:
            return await probe(model)
        finally:
            await model.aclose()

    return asyncio.run(run())


def test_llama_server(llama: RealServer) -> None:
    found = probed(chat_model(llama))
    assert (found.window, found.keeps_stop, found.continues_assistant, found.native_tools) == (8192, False, True, True)


def test_llama_server_without_begun_replies(start_llama: StartLlama) -> None:
    server = start_llama("-c", "4096", "-np", "1", "--no-prefill-assistant")
    assert probed(chat_model(server)).continues_assistant is True, "it is told to go on, and does"


def test_a_plain_completion_endpoint(llama: RealServer) -> None:
    found = probed(completion_model(llama))
    assert (found.window, found.keeps_stop, found.continues_assistant, found.native_tools) == (8192, False, True, False)
