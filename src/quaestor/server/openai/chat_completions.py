"""``/v1/chat/completions``: answers the newest question of a conversation that the client keeps.

The turn's events become a completion, sent as a whole or in chunks.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response

from quaestor.chat.events import Done, Text
from quaestor.core.messages import ToolCall
from quaestor.server.http import error_responses as failures
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import ServedHere
from quaestor.server.http.streams import EventStream, as_json, await_first, cancelled_on_disconnect, event
from quaestor.server.openai.chat_turn import Reply, await_end, reply_events
from quaestor.server.openai.openai_schemas import ChatCompletion, ChatRequest, FinishReason, wants_usage

DONE = event("[DONE]")
"""The last event of a stream of completions."""

router = APIRouter()


@router.post(
    "/chat/completions",
    response_model=ChatCompletion,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def complete(body: ChatRequest, request: Request, served: ServedHere, who: Who) -> Response:
    """Answer the newest question of a conversation from a corpus, with checked citations."""
    reply = _ChatReply(body.model)
    reply_parts = reply_events(body, reply, request, served, who)
    if not body.stream:
        await cancelled_on_disconnect(request, await_end(reply_parts))
        return Response(as_json(reply.as_object()), media_type="application/json")
    events = await cancelled_on_disconnect(request, await_first(reply_parts))
    return EventStream(_chunks(reply, events, request, usage=wants_usage(body)))


async def _chunks(
    reply: _ChatReply, reply_parts: AsyncGenerator[Text | Done], request: Request, *, usage: bool
) -> AsyncGenerator[bytes]:
    """Yield a turn's encoded chunks; a failure after the stream has begun is sent as the last event."""
    # If a client asks for the usage, OpenAI's format has the field in every chunk, null in all but the last.
    more = {"usage": None} if usage else {}
    try:
        async with aclosing(reply_parts):
            yield event({**reply.first(), **more})
            async for one in reply_parts:
                chunks = [reply.piece(one.text)] if isinstance(one, Text) else reply.last()
                for chunk in chunks:
                    yield event({**chunk, **more})
        if usage:
            yield event(reply.usage_chunk())
        yield DONE
    except Exception as error:
        yield event(failures.failure_event(request, error))


class _ChatReply(Reply):
    """A chat completion that is being made."""

    prefix: ClassVar[str] = "chatcmpl"
    textual: ClassVar[bool] = False

    def as_object(self) -> dict[str, Any]:
        """Return the completion as one object."""
        calls = [_call(call) for call in self.done.calls]
        message: dict[str, Any] = {"role": "assistant", "content": self.text or (None if calls else "")}
        message |= {"refusal": None, "quaestor": self.additions}
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self.finish_reason}
        return {**self._object("chat.completion", [choice]), "usage": self.usage}

    def first(self) -> dict[str, Any]:
        """Return the first chunk, which has the role."""
        return self._chunk({"role": "assistant", "content": "", "refusal": None})

    def piece(self, text: str) -> dict[str, Any]:
        """Return a chunk with a piece of the answer."""
        return self._chunk({"content": text})

    def last(self) -> Iterator[dict[str, Any]]:
        """Yield the chunks with the tool calls, then the one with the reason for which the answer ended."""
        for index, call in enumerate(self.done.calls):
            yield self._chunk({"tool_calls": [{"index": index, **_call(call)}]})
        yield {**self._chunk({}, self.finish_reason), "quaestor": self.additions}

    def usage_chunk(self) -> dict[str, Any]:
        """Return the chunk that holds only the usage."""
        return {**self._object("chat.completion.chunk", []), "usage": self.usage}

    def _chunk(self, delta: dict[str, Any], reason: FinishReason | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return self._object("chat.completion.chunk", [choice])

    def _object(self, kind: str, choices: list[Any]) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model, "choices": choices}


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
