"""The turn that a request in OpenAI's format asks for, whatever route it came by.

The client sends everything every time. It is remembered as a conversation that was held elsewhere, and composed into
the window of the model, so that no request to the model is ever too long.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi import Request
from pydantic import BaseModel

from quaestor.accounts.users import User
from quaestor.assemble import conversation_settings, make_subroutines
from quaestor.chat.client_history import transcript_of_client
from quaestor.chat.engine import Conversation
from quaestor.chat.events import Done, Event, Text
from quaestor.server.http.error_responses import RequestRefusedError, blaming
from quaestor.server.http.request_log import observed
from quaestor.server.http.running_turns import queued
from quaestor.server.http.served_state import Served
from quaestor.server.openai.chat_request import read, settings_for, wants_json
from quaestor.server.openai.model_names import asked_by
from quaestor.server.openai.openai_schemas import ChatRequest
from quaestor.server.openai.reply_of_turn import Reply, trailing_sources


def replied(
    body: ChatRequest, reply: Reply, request: Request, served: Served, who: User, *, given: BaseModel | None = None
) -> AsyncGenerator[Text | Done]:
    """Return the events of the turn that a request asks for, as far as a client is sent something of them.

    Args:
        body: what is asked.
        reply: takes every event of the turn.
        request: that came over HTTP.
        served: what is served.
        who: who asks.
        given: what the client sent, where ``body`` was made of that.
    """
    identity = str(request.scope["state"]["request_id"])
    turn = queued(served.places, _turn(body, body if given is None else given, served, who, identity))
    listed = not wants_json(body) and reply.lists_sources(served.settings.source_list)
    return _told(reply, observed(request, served.metrics, turn), listed=listed)


async def _turn(body: ChatRequest, given: BaseModel, served: Served, who: User, identity: str) -> AsyncGenerator[Event]:
    """Yield the events of the turn that a request asks for.

    Raises:
        QuaestorError: it cannot be answered.
    """
    asked = read(body)
    index, settings = asked_by(body.model, served, who)
    model = served.make_model(who, identity)
    if model is None and wants_json(body):
        raise RequestRefusedError(
            "Answers are quotes here, for there is no model, and have no form in JSON. Leave 'response_format' out.",
            param="response_format",
        )
    limit = served.windows.limit(model, settings.window)
    settings = settings._replace(window=limit)
    alone = asked.passed is not None or wants_json(body)
    conversation = Conversation(
        index,
        model,
        limit=limit,
        settings=settings_for(body, conversation_settings(settings)),
        transcript=transcript_of_client(asked.past),
        owner=who.id,
        subroutines=None if alone else make_subroutines(index, model, settings),
        passed=asked.passed,
    )
    try:
        with blaming(given):
            async with aclosing(conversation.send(asked.question)) as events:
                async for one in events:
                    yield one
    finally:
        served.windows.learn(conversation, limit)


async def _told(reply: Reply, events: AsyncGenerator[Event], *, listed: bool) -> AsyncGenerator[Text | Done]:
    """Take a turn's events and yield those that a client is sent something of, with the list of sources if wanted."""
    async with aclosing(events):
        async for one in events:
            reply.take(one)
            if isinstance(one, Done):
                if listed and not one.calls:
                    reply.sources = trailing_sources(reply.outcome.citations, unchecked=one.unchecked)
                if reply.sources:
                    yield Text(reply.sources)
                yield one
            elif isinstance(one, Text) and one.text:
                yield one


async def ended(told: AsyncGenerator[Text | Done]) -> None:
    """Wait for the end of a turn."""
    async with aclosing(told):
        async for _ in told:
            pass
