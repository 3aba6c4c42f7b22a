"""Shared by the tests with real servers."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from dataclasses import dataclass
from typing import Any

from real_servers import ROOT, RealServer

from quaestor.llm.models import Finished, Model, Request, TextDelta
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.llm.models.plain_completion import CompletionModel

FILLER = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Replied:
    """A whole reply."""

    text: str
    end: Finished


def chat_model(server: RealServer, **options: Any) -> OpenAICompatibleModel:
    return OpenAICompatibleModel(server.model, base_url=server.base_url, **options)


def completion_model(server: RealServer, **options: Any) -> CompletionModel:
    return CompletionModel(server.model, base_url=server.base_url, **options)


async def reply_of(model: Model, request: Request) -> Replied:
    pieces: list[str] = []
    end: Finished | None = None
    async for delta in model.stream(request):
        if isinstance(delta, TextDelta):
            pieces.append(delta.text)
        else:
            end = delta
    assert end is not None
    return Replied("".join(pieces), end)


def ask(model: OpenAICompatibleModel, request: Request) -> Replied:
    async def run() -> Replied:
        try:
            return await reply_of(model, request)
        finally:
            await model.aclose()

    return asyncio.run(run())


def post(server: RealServer, path: str, body: dict[str, Any]) -> Any:
    """Return what a server of our own answers to a JSON object, past our client."""
    data = json.dumps(body).encode()
    request = urllib.request.Request(f"{server.root}{path}", data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.load(answer)
