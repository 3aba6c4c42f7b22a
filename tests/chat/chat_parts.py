"""Shared by the tests of conversations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from quaestor.chat.engine import Conversation
from quaestor.chat.events import Done, Event
from quaestor.llm.models import Delta, Finished, Request, TextDelta
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from servers.script import Recorded
from servers.scripted import ScriptedServer


class Scripted:
    """A model that says what a function of the request gives; exceptions among the pieces are raised."""

    name = "gpt-4o"
    capabilities = Capabilities()

    def __init__(self, *replies: str | BaseException | Callable[[Request], str]) -> None:
        self.replies = list(replies)
        self.requests: list[Request] = []
        self.closed = 0

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        self.requests.append(request)
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        try:
            if isinstance(reply, BaseException):
                raise reply
            text = reply if isinstance(reply, str) else reply(request)
            for start in range(0, len(text), 7):
                yield TextDelta(text[start : start + 7])
                await asyncio.sleep(0)
            yield Finished(reason="stop")
        finally:
            self.closed += 1


def ask(conversation: Conversation, question: str) -> list[Event]:
    """Return all events of one turn."""

    async def collect() -> list[Event]:
        try:
            return [event async for event in conversation.send(question)]
        finally:
            close = getattr(conversation.model, "aclose", None)
            if close is not None:
                await close()

    return asyncio.run(collect())


def kinds(events: Sequence[Event]) -> list[type]:
    """Return the kinds of events, each once, in order of first appearance."""
    return list(dict.fromkeys(map(type, events)))


def answer(events: Sequence[Event]) -> str:
    """Return what the turn answered."""
    last = events[-1]
    assert isinstance(last, Done)
    return last.answer


def said_in(request: Recorded) -> list[tuple[str, str]]:
    """Return the role and the content of each message that was sent."""
    return [(message["role"], message["content"]) for message in request.messages]


def model_at(server: ScriptedServer, name: str = "tiny", **settings: Any) -> OpenAICompatibleModel:
    """Return the model of a scripted server."""
    return OpenAICompatibleModel(name, base_url=server.base_url, **settings)
