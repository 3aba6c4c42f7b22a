"""``/v1/completions``: answers a prompt, for clients of OpenAI's old API, which has no conversations."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response

from quaestor.chat.events import Done, Text
from quaestor.server.http import error_responses as failures
from quaestor.server.http.caller import Who
from quaestor.server.http.error_responses import RequestRefusedError
from quaestor.server.http.served_state import ServedHere
from quaestor.server.http.streams import EventStream, as_json, await_first, cancelled_on_disconnect, event
from quaestor.server.openai.chat_completions import DONE
from quaestor.server.openai.chat_turn import Reply, await_end, reply_events
from quaestor.server.openai.openai_schemas import (
    ChatMessage,
    ChatRequest,
    CompletionRequest,
    TextCompletion,
    wants_usage,
)

_AS_IN_CHAT = frozenset(CompletionRequest.model_fields) & frozenset(ChatRequest.model_fields)

router = APIRouter()


class TextReply(Reply):
    """A text completion that is being made."""

    prefix: ClassVar[str] = "cmpl"

    def as_object(self) -> dict[str, Any]:
        """Return the completion as one object."""
        return {
            **self._object([_choice(self.text, self.finish_reason)]),
            "usage": self.usage,
            "quaestor": self.additions,
        }

    def piece(self, text: str) -> dict[str, Any]:
        """Return a chunk with a piece of the answer."""
        return self._object([_choice(text, None)])

    def last(self) -> dict[str, Any]:
        """Return the chunk with the reason for which the answer ended."""
        return {**self._object([_choice("", self.finish_reason)]), "quaestor": self.additions}

    def usage_chunk(self) -> dict[str, Any]:
        """Return the chunk that holds only the usage."""
        return {**self._object([]), "usage": self.usage}

    def _object(self, choices: list[Any]) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": "text_completion",
            "created": self.created,
            "model": self.model,
            "choices": choices,
        }


@router.post(
    "/completions",
    response_model=TextCompletion,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def complete(body: CompletionRequest, request: Request, served: ServedHere, who: Who) -> Response:
    """Answer a prompt, which is taken as a question, from a corpus; the text ends with the list of its sources."""
    reply = TextReply(body.model)
    reply_parts = reply_events(_as_chat(body), reply, request, served, who, blamed_body=body)
    if not body.stream:
        await cancelled_on_disconnect(request, await_end(reply_parts))
        return Response(as_json(reply.as_object()), media_type="application/json")
    events = await cancelled_on_disconnect(request, await_first(reply_parts))
    return EventStream(_chunks(reply, events, request, usage=wants_usage(body)))


def _as_chat(body: CompletionRequest) -> ChatRequest:
    """Return a completion request as a chat request with one question.

    Raises:
        RequestRefusedError: the prompt is empty, or the request has a suffix.
    """
    if body.suffix:
        raise RequestRefusedError("Insertion before a suffix is not supported. Leave 'suffix' out.", param="suffix")
    [prompt] = [body.prompt] if isinstance(body.prompt, str) else body.prompt
    if not prompt.strip():
        raise RequestRefusedError("The prompt is empty. Ask something.", param="prompt")
    fields = body.model_dump(include=set(_AS_IN_CHAT), exclude_unset=True)
    return ChatRequest(**fields, messages=[ChatMessage(role="user", content=prompt)])


async def _chunks(
    reply: TextReply, reply_parts: AsyncGenerator[Text | Done], request: Request, *, usage: bool
) -> AsyncGenerator[bytes]:
    """Yield a turn's encoded chunks; a failure after the stream has begun is sent as the last event."""
    try:
        async with aclosing(reply_parts):
            async for one in reply_parts:
                yield event(reply.piece(one.text) if isinstance(one, Text) else reply.last())
        if usage:
            yield event(reply.usage_chunk())
        yield DONE
    except Exception as error:
        yield event(failures.failure_event(request, error))


def _choice(text: str, reason: str | None) -> dict[str, Any]:
    return {"index": 0, "text": text, "logprobs": None, "finish_reason": reason}
