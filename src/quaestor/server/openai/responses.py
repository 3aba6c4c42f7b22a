"""``/v1/responses``: OpenAI's newer interface over a corpus. Nothing is kept between two requests."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request, Response

from quaestor.chat.events import Done, Text
from quaestor.core.errors import NotFoundError
from quaestor.server.http import error_responses as failures
from quaestor.server.http.caller import Who
from quaestor.server.http.error_responses import RequestRefusedError
from quaestor.server.http.served_state import ServedHere
from quaestor.server.http.streams import EventStream, answered_while_there, as_json, begun, event
from quaestor.server.openai.chat_turn import ended, replied
from quaestor.server.openai.response_of_turn import ResponseEvents, ResponseReply
from quaestor.server.openai.response_request import Read, read_response
from quaestor.server.openai.response_schemas import ResponseRequest, ResponseShown

router = APIRouter()


@router.post(
    "/responses",
    response_model=ResponseShown,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def respond(body: ResponseRequest, request: Request, served: ServedHere, who: Who) -> Response:
    """Answer the newest question of a conversation from a corpus; the text ends with the list of its sources."""
    reply = ResponseReply(body.model)
    asked = read_response(body)
    told = _renamed(asked, replied(asked.chat, reply, request, served, who, given=body))
    if not body.stream:
        await answered_while_there(request, ended(told))
        return Response(as_json(reply.whole(body)), media_type="application/json")
    events = await answered_while_there(request, begun(told))
    return EventStream(_sent(ResponseEvents(reply, body), events, request))


@router.get("/responses/{response}", include_in_schema=False)
async def show_response(response: str, _: Who) -> Response:
    """Say why a response cannot be had again."""
    raise NotFoundError(
        f"The response {response!r} cannot be had again: nothing is kept between two requests. Keep what you need of"
        " an answer where it was asked for."
    )


async def _renamed(asked: Read, told: AsyncGenerator[Text | Done]) -> AsyncGenerator[Text | Done]:
    """Yield a turn's events; a refusal names the field that the client sent, not the one that was made of it."""
    try:
        async with aclosing(told):
            async for one in told:
                yield one
    except RequestRefusedError as error:
        error.param = asked.named(error.param)
        raise


async def _sent(events: ResponseEvents, told: AsyncGenerator[Text | Done], request: Request) -> AsyncGenerator[bytes]:
    """Yield the stream of a turn; what fails once it has begun is its last event."""
    try:
        for one in _bytes(events.first()):
            yield one
        async with aclosing(told):
            async for step in told:
                for one in _bytes(events.piece(step.text) if isinstance(step, Text) else events.last()):
                    yield one
    except Exception as error:
        for one in _bytes(iter([events.failed(failures.told(request, error)["error"])])):
            yield one


def _bytes(events: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    for one in events:
        yield event(one, one["type"])
