"""``/v1/chat/completions``: a client that keeps the conversation asks a corpus."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi import APIRouter, Request, Response

from quaestor.chat.events import Done, Text
from quaestor.server.http import error_responses as failures
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import ServedHere
from quaestor.server.http.streams import EventStream, answered_while_there, as_json, begun, event
from quaestor.server.openai.chat_turn import ended, replied
from quaestor.server.openai.completion_of_turn import ChatReply
from quaestor.server.openai.openai_schemas import ChatCompletion, ChatRequest, wants_usage

DONE = event("[DONE]")
"""The last event of a stream of completions."""

router = APIRouter()


@router.post(
    "/chat/completions",
    response_model=ChatCompletion,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def complete(body: ChatRequest, request: Request, served: ServedHere, who: Who) -> Response:
    """Answer the newest question of a conversation from a corpus, with citations that are checked."""
    reply = ChatReply(body.model)
    told = replied(body, reply, request, served, who)
    if not body.stream:
        await answered_while_there(request, ended(told))
        return Response(as_json(reply.whole()), media_type="application/json")
    events = await answered_while_there(request, begun(told))
    return EventStream(_chunks(reply, events, request, usage=wants_usage(body)))


async def _chunks(
    reply: ChatReply, told: AsyncGenerator[Text | Done], request: Request, *, usage: bool
) -> AsyncGenerator[bytes]:
    """Yield the stream of a turn; what fails once it has begun is its last event."""
    # A client that wants the usage reads it in every chunk.
    more = {"usage": None} if usage else {}
    try:
        async with aclosing(told):
            yield event({**reply.first(), **more})
            async for one in told:
                chunks = [reply.piece(one.text)] if isinstance(one, Text) else reply.last()
                for chunk in chunks:
                    yield event({**chunk, **more})
        if usage:
            yield event(reply.used())
        yield DONE
    except Exception as error:
        yield event(failures.told(request, error))
