"""``/v1/responses``: OpenAI's newer interface over a corpus; a turn as a response, whole or as its events.

Nothing is kept between two requests.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response

from quaestor.chat.events import Done, Text
from quaestor.core.errors import NotFoundError
from quaestor.core.messages import ToolCall
from quaestor.server.http import error_responses as failures
from quaestor.server.http.caller import Who
from quaestor.server.http.error_responses import RequestRefusedError
from quaestor.server.http.served_state import ServedHere
from quaestor.server.http.streams import EventStream, answered_while_there, as_json, begun, event
from quaestor.server.openai.chat_turn import ended, replied
from quaestor.server.openai.reply_of_turn import Reply
from quaestor.server.openai.response_request import Read, read_response
from quaestor.server.openai.response_schemas import ResponseRequest, ResponseShown

router = APIRouter()

_REASONS = {"length": "max_output_tokens", "content_filter": "content_filter"}
_PLACE = {"output_index": 0, "content_index": 0}


@router.post(
    "/responses",
    response_model=ResponseShown,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def respond(body: ResponseRequest, request: Request, served: ServedHere, who: Who) -> Response:
    """Answer the newest question of a conversation from a corpus; the text ends with the list of its sources."""
    reply = _ResponseReply(body.model)
    asked = read_response(body)
    told = _renamed(asked, replied(asked.chat, reply, request, served, who, given=body))
    if not body.stream:
        await answered_while_there(request, ended(told))
        return Response(as_json(reply.whole(body)), media_type="application/json")
    events = await answered_while_there(request, begun(told))
    return EventStream(_sent(_ResponseEvents(reply, body), events, request))


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


async def _sent(events: _ResponseEvents, told: AsyncGenerator[Text | Done], request: Request) -> AsyncGenerator[bytes]:
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


class _ResponseReply(Reply):
    """One response under way."""

    prefix: ClassVar[str] = "resp"

    @property
    def id(self) -> str:
        """The response's id."""
        return f"{self.prefix}_{self._number}"

    @property
    def message_id(self) -> str:
        """The id of the message with the answer."""
        return f"msg_{self._number}"

    @property
    def incomplete(self) -> Mapping[str, str] | None:
        """Why the response is incomplete; None if it is whole."""
        return {"reason": _REASONS[self.ended]} if self.ended in _REASONS else None

    def whole(self, request: ResponseRequest) -> dict[str, Any]:
        """Return the object of a response that has ended."""
        usage = self.usage
        return {
            **self.begun(request),
            "status": "incomplete" if self.incomplete else "completed",
            "incomplete_details": self.incomplete,
            "output": self.output(),
            "usage": {
                "input_tokens": usage["prompt_tokens"],
                "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                "output_tokens": usage["completion_tokens"],
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": usage["total_tokens"],
            },
            "quaestor": self.checked,
        }

    def begun(self, request: ResponseRequest) -> dict[str, Any]:
        """Return the object of a response that is under way."""
        given = request.model_dump(
            include={"instructions", "max_output_tokens", "metadata", "temperature", "top_p", "tools"}, by_alias=True
        )
        wanted = request.model_dump(include={"text", "tool_choice", "reasoning"}, exclude_none=True, by_alias=True)
        return {
            **given,
            "id": self.id,
            "object": "response",
            "created_at": self.created,
            "status": "in_progress",
            "model": self.model,
            "output": [],
            "error": None,
            "incomplete_details": None,
            "tools": given["tools"] or [],
            "metadata": given["metadata"] or {},
            "parallel_tool_calls": request.parallel_tool_calls is not False,
            "previous_response_id": None,
            "reasoning": wanted.get("reasoning", {"effort": None, "summary": None}),
            "store": False,
            "text": wanted.get("text") or {"format": {"type": "text"}},
            "tool_choice": wanted.get("tool_choice", "auto"),
            "truncation": "auto",
            "usage": None,
        }

    def output(self) -> list[dict[str, Any]]:
        """Return what the response consists of: the message with the answer, and the calls."""
        calls = self.done.calls
        said = [self.message()] if self.text or not calls else []
        return [*said, *(self.call(number, call) for number, call in enumerate(calls))]

    def message(self) -> dict[str, Any]:
        """Return the message with the answer."""
        status = "incomplete" if self.incomplete else "completed"
        return {**self.opened(), "status": status, "content": [self.part()]}

    def opened(self) -> dict[str, Any]:
        """Return the message with the answer, before anything of that is there."""
        return {"type": "message", "id": self.message_id, "status": "in_progress", "role": "assistant", "content": []}

    def part(self) -> dict[str, Any]:
        """Return the text of the answer, with the places that it cites."""
        places = dict.fromkeys((one.path, one.n) for one in self.outcome.citations if one.status != "unverified")
        cited = [{"type": "file_citation", "file_id": path, "filename": path, "index": n} for path, n in places]
        return {"type": "output_text", "text": self.text, "annotations": cited, "logprobs": []}

    def call(self, number: int, call: ToolCall) -> dict[str, Any]:
        """Return a call of the client's own tools."""
        return {
            "type": "function_call",
            "id": f"fc_{self._number}_{number}",
            "status": "completed",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments,
        }


@dataclass(slots=True)  # mutable: counts the items of a stream
class _ResponseEvents:
    """The events of a streamed response, numbered from 0.

    Attributes:
        reply: the response.
        request: what it answers.
        number: of the next event.
        open: whether the message with the answer was begun.
    """

    reply: _ResponseReply
    request: ResponseRequest
    number: int = field(default=0, init=False)
    open: bool = field(default=False, init=False)

    def first(self) -> Iterator[dict[str, Any]]:
        """Yield what is sent before the answer begins."""
        yield self._event("response.created", response=self.reply.begun(self.request))
        yield self._event("response.in_progress", response=self.reply.begun(self.request))

    def piece(self, text: str) -> Iterator[dict[str, Any]]:
        """Yield what is sent for a piece of the answer."""
        yield from self._opened()
        yield self._of_message("response.output_text.delta", delta=text, logprobs=[])

    def last(self) -> Iterator[dict[str, Any]]:
        """Yield what is sent when the turn has ended."""
        calls = self.reply.done.calls
        if self.open or not calls:
            yield from self._opened()
            yield from self._closed()
        for number, call in enumerate(calls):
            yield from self._called(int(self.open) + number, self.reply.call(number, call))
        ending = "response.incomplete" if self.reply.incomplete else "response.completed"
        yield self._event(ending, response=self.reply.whole(self.request))

    def failed(self, error: Mapping[str, Any]) -> dict[str, Any]:
        """Return the last event of a stream that fails; clients read the one form or the other."""
        said = {name: error[name] for name in ("code", "message", "param")}
        return self._event("error", **said, error=dict(error))

    def _opened(self) -> Iterator[dict[str, Any]]:
        if not self.open:
            self.open = True
            yield self._event("response.output_item.added", output_index=0, item=self.reply.opened())
            part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
            yield self._of_message("response.content_part.added", part=part)

    def _closed(self) -> Iterator[dict[str, Any]]:
        part = self.reply.part()
        for place, annotation in enumerate(part["annotations"]):
            yield self._of_message(
                "response.output_text.annotation.added", annotation_index=place, annotation=annotation
            )
        yield self._of_message("response.output_text.done", text=part["text"], logprobs=[])
        yield self._of_message("response.content_part.done", part=part)
        yield self._event("response.output_item.done", output_index=0, item=self.reply.message())

    def _called(self, place: int, item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        begun = {**item, "arguments": "", "status": "in_progress"}
        of_call = {"output_index": place, "item_id": item["id"]}
        arguments = item["arguments"]
        yield self._event("response.output_item.added", output_index=place, item=begun)
        yield self._event("response.function_call_arguments.delta", **of_call, delta=arguments)
        yield self._event("response.function_call_arguments.done", **of_call, name=item["name"], arguments=arguments)
        yield self._event("response.output_item.done", output_index=place, item=dict(item))

    def _of_message(self, kind: str, **data: Any) -> dict[str, Any]:
        return self._event(kind, item_id=self.reply.message_id, **_PLACE, **data)

    def _event(self, kind: str, **data: Any) -> dict[str, Any]:
        number, self.number = self.number, self.number + 1
        return {"type": kind, "sequence_number": number, **data}
