"""``/v1/chat/completions``: a client that keeps the conversation asks a corpus.

The client sends everything every time. It is remembered as a conversation that was held elsewhere, and composed into
the window of the model, so that no request to the model is ever too long.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi import APIRouter, Request, Response

from quaestor.accounts.users import User
from quaestor.assemble import conversation_settings, make_subroutines
from quaestor.chat.client_history import remembering
from quaestor.chat.engine import Conversation
from quaestor.chat.events import Done, Event, Text
from quaestor.server.http import error_responses as failures
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import RequestId, Served, ServedHere
from quaestor.server.http.streams import EventStream, answered_while_there, as_json, begun, event
from quaestor.server.http.turn_metrics import observed
from quaestor.server.http.turn_queue import queued
from quaestor.server.openai.chat_request import read, settings_for
from quaestor.server.openai.completion_of_turn import Reply
from quaestor.server.openai.model_names import corpus_named
from quaestor.server.openai.openai_schemas import ChatCompletion, ChatRequest
from quaestor.server.openai.upstream_errors import blaming

_DONE = event("[DONE]")

router = APIRouter()


@router.post(
    "/chat/completions",
    response_model=ChatCompletion,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def complete(body: ChatRequest, request: Request, served: ServedHere, who: Who, identity: RequestId) -> Response:
    """Answer the newest question of a conversation from a corpus, with citations that are checked."""
    reply = Reply(body.model)
    turn = queued(served.places, _turn(body, served, who, identity))
    told = _told(reply, observed(request, served.metrics, turn))
    if not body.stream:
        await answered_while_there(request, _ended(told))
        return Response(as_json(reply.whole()), media_type="application/json")
    events = await answered_while_there(request, begun(told))
    usage = body.stream_options is not None and bool(body.stream_options.include_usage)
    return EventStream(_chunks(reply, events, request, usage=usage))


async def _turn(body: ChatRequest, served: Served, who: User, identity: str) -> AsyncGenerator[Event]:
    """Yield the events of the turn that a request asks for.

    Raises:
        QuaestorError: it cannot be answered.
    """
    name = corpus_named(body.model, served, who)
    asked = read(body)
    index, settings = served.corpora.get(name, user=who.id), served.corpora.settings(name, user=who.id)
    model = served.make_model(who, identity)
    limit = served.windows.limit(model, settings.window)
    settings = settings._replace(window=limit)
    conversation = Conversation(
        index,
        model,
        limit=limit,
        settings=settings_for(body, conversation_settings(settings)),
        transcript=remembering(asked.past),
        owner=who.id,
        subroutines=None if asked.passed else make_subroutines(index, model, settings),
        passed=asked.passed,
    )
    try:
        with blaming(body):
            async with aclosing(conversation.send(asked.question)) as events:
                async for one in events:
                    yield one
    finally:
        served.windows.learn(conversation, limit)


async def _told(reply: Reply, events: AsyncGenerator[Event]) -> AsyncGenerator[Text | Done]:
    """Take a turn's events and yield those that a client is sent something of."""
    async with aclosing(events):
        async for one in events:
            reply.take(one)
            if isinstance(one, Done) or (isinstance(one, Text) and one.text):
                yield one


async def _ended(told: AsyncGenerator[Text | Done]) -> None:
    async with aclosing(told):
        async for _ in told:
            pass


async def _chunks(
    reply: Reply, told: AsyncGenerator[Text | Done], request: Request, *, usage: bool
) -> AsyncGenerator[bytes]:
    """Yield the stream of a turn; what fails once it has begun is its last event."""
    # A client that wants the usage reads it in every chunk.
    more = {"usage": None} if usage else {}
    try:
        async with aclosing(told):
            yield event({**reply.first(), **more})
            async for one in told:
                chunks = [reply.text(one.text)] if isinstance(one, Text) else reply.last()
                for chunk in chunks:
                    yield event({**chunk, **more})
        if usage:
            yield event(reply.usage())
        yield _DONE
    except Exception as error:
        yield event(failures.told(request, error))
