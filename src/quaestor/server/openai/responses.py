"""``/v1/responses``: OpenAI's newer API in front of a corpus; a turn's events become a response.

No state is kept between requests.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
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
from quaestor.server.http.streams import EventStream, as_json, await_first, cancelled_on_disconnect, event
from quaestor.server.openai.chat_turn import Reply, await_end, reply_events
from quaestor.server.openai.openai_schemas import (
    CalledFunction,
    ChatMessage,
    ChatRequest,
    ContentPart,
    Function,
    Tool,
    ToolCallGiven,
)
from quaestor.server.openai.response_schemas import InputItem, ResponseRequest, ResponseShown, ResponseTool, TextFormat

router = APIRouter()

_REASONS = {"length": "max_output_tokens", "content_filter": "content_filter"}
_PLACE = {"output_index": 0, "content_index": 0}

_TEXTS = frozenset({"input_text", "output_text", "text"})
# Items of the input that are not part of the conversation.
_SKIPPED = frozenset({"reasoning"})
_UNKEPT = "No state is kept between requests. Leave {!r} out, and send the whole conversation as 'input'."


@router.post(
    "/responses",
    response_model=ResponseShown,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def respond(body: ResponseRequest, request: Request, served: ServedHere, who: Who) -> Response:
    """Answer the newest question of a conversation from a corpus; the text ends with the list of its sources."""
    reply = _ResponseReply(body.model)
    read = _read_request(body)
    reply_parts = _with_client_fields(read, reply_events(read.chat, reply, request, served, who, blamed_body=body))
    if not body.stream:
        await cancelled_on_disconnect(request, await_end(reply_parts))
        return Response(as_json(reply.as_object(body)), media_type="application/json")
    events = await cancelled_on_disconnect(request, await_first(reply_parts))
    return EventStream(_stream_events(_ResponseEvents(reply, body), events, request))


@router.get("/responses/{response}", include_in_schema=False)
async def show_response(response: str, _: Who) -> Response:
    """Refuse to return a stored response, because none is stored."""
    raise NotFoundError(
        f"The response {response!r} cannot be returned, because responses are not stored. Store what you need when you"
        " receive it."
    )


async def _with_client_fields(
    read: _ReadRequest, reply_parts: AsyncGenerator[Text | Done]
) -> AsyncGenerator[Text | Done]:
    """Yield a turn's events; in a refusal, name the field as in the client's request."""
    try:
        async with aclosing(reply_parts):
            async for one in reply_parts:
                yield one
    except RequestRefusedError as error:
        error.param = read.client_field(error.param)
        raise


async def _stream_events(
    events: _ResponseEvents, reply_parts: AsyncGenerator[Text | Done], request: Request
) -> AsyncGenerator[bytes]:
    """Yield a turn's encoded events; a failure after the stream has begun is sent as the last event."""
    try:
        for one in _bytes(events.first()):
            yield one
        async with aclosing(reply_parts):
            async for step in reply_parts:
                for one in _bytes(events.piece(step.text) if isinstance(step, Text) else events.last()):
                    yield one
    except Exception as error:
        for one in _bytes(iter([events.error_event(failures.failure_event(request, error)["error"])])):
            yield one


def _bytes(events: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    for one in events:
        yield event(one, one["type"])


class _ResponseReply(Reply):
    """A response that is being made."""

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
        """Why the response is incomplete; None if it is complete."""
        return {"reason": _REASONS[self.finish_reason]} if self.finish_reason in _REASONS else None

    def as_object(self, request: ResponseRequest) -> dict[str, Any]:
        """Return the response object after the turn has ended."""
        usage = self.usage
        return {
            **self.response_in_progress(request),
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
            "quaestor": self.additions,
        }

    def response_in_progress(self, request: ResponseRequest) -> dict[str, Any]:
        """Return the response object before the turn has ended."""
        fields = request.model_dump(
            include={"instructions", "max_output_tokens", "metadata", "temperature", "top_p", "tools"}, by_alias=True
        )
        wanted = request.model_dump(include={"text", "tool_choice", "reasoning"}, exclude_none=True, by_alias=True)
        return {
            **fields,
            "id": self.id,
            "object": "response",
            "created_at": self.created,
            "status": "in_progress",
            "model": self.model,
            "output": [],
            "error": None,
            "incomplete_details": None,
            "tools": fields["tools"] or [],
            "metadata": fields["metadata"] or {},
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
        """Return the items of the response: the message with the answer, and the calls."""
        calls = self.done.calls
        items = [self.message()] if self.text or not calls else []
        return [*items, *(self.call(number, call) for number, call in enumerate(calls))]

    def message(self) -> dict[str, Any]:
        """Return the message with the answer."""
        status = "incomplete" if self.incomplete else "completed"
        return {**self.empty_message(), "status": status, "content": [self.part()]}

    def empty_message(self) -> dict[str, Any]:
        """Return the message for the answer, before it has any text."""
        return {"type": "message", "id": self.message_id, "status": "in_progress", "role": "assistant", "content": []}

    def part(self) -> dict[str, Any]:
        """Return the answer's text as a content part, with its citations that hold as annotations."""
        places = dict.fromkeys((one.path, one.n) for one in self.outcome.citations if one.holds)
        cited = [{"type": "file_citation", "file_id": path, "filename": path, "index": n} for path, n in places]
        return {"type": "output_text", "text": self.text, "annotations": cited, "logprobs": []}

    def call(self, number: int, call: ToolCall) -> dict[str, Any]:
        """Return a call of one of the client's own tools as an output item."""
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
        request: its request.
        number: the number of the next event.
        open: whether the message with the answer has begun.
    """

    reply: _ResponseReply
    request: ResponseRequest
    number: int = field(default=0, init=False)
    open: bool = field(default=False, init=False)

    def first(self) -> Iterator[dict[str, Any]]:
        """Yield the events before the answer."""
        yield self._event("response.created", response=self.reply.response_in_progress(self.request))
        yield self._event("response.in_progress", response=self.reply.response_in_progress(self.request))

    def piece(self, text: str) -> Iterator[dict[str, Any]]:
        """Yield the events of a piece of the answer."""
        yield from self._open_message()
        yield self._of_message("response.output_text.delta", delta=text, logprobs=[])

    def last(self) -> Iterator[dict[str, Any]]:
        """Yield the events at the end of the turn."""
        calls = self.reply.done.calls
        if self.open or not calls:
            yield from self._open_message()
            yield from self._close_message()
        for number, call in enumerate(calls):
            yield from self._events_of_call(int(self.open) + number, self.reply.call(number, call))
        ending = "response.incomplete" if self.reply.incomplete else "response.completed"
        yield self._event(ending, response=self.reply.as_object(self.request))

    def error_event(self, error: Mapping[str, Any]) -> dict[str, Any]:
        """Return the last event of a stream that failed; some clients read the flat form, others ``error``."""
        fields = {name: error[name] for name in ("code", "message", "param")}
        return self._event("error", **fields, error=dict(error))

    def _open_message(self) -> Iterator[dict[str, Any]]:
        if not self.open:
            self.open = True
            yield self._event("response.output_item.added", output_index=0, item=self.reply.empty_message())
            part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
            yield self._of_message("response.content_part.added", part=part)

    def _close_message(self) -> Iterator[dict[str, Any]]:
        part = self.reply.part()
        for place, annotation in enumerate(part["annotations"]):
            yield self._of_message(
                "response.output_text.annotation.added", annotation_index=place, annotation=annotation
            )
        yield self._of_message("response.output_text.done", text=part["text"], logprobs=[])
        yield self._of_message("response.content_part.done", part=part)
        yield self._event("response.output_item.done", output_index=0, item=self.reply.message())

    def _events_of_call(self, place: int, item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        in_progress = {**item, "arguments": "", "status": "in_progress"}
        of_call = {"output_index": place, "item_id": item["id"]}
        arguments = item["arguments"]
        yield self._event("response.output_item.added", output_index=place, item=in_progress)
        yield self._event("response.function_call_arguments.delta", **of_call, delta=arguments)
        yield self._event("response.function_call_arguments.done", **of_call, name=item["name"], arguments=arguments)
        yield self._event("response.output_item.done", output_index=place, item=dict(item))

    def _of_message(self, kind: str, **data: Any) -> dict[str, Any]:
        return self._event(kind, item_id=self.reply.message_id, **_PLACE, **data)

    def _event(self, kind: str, **data: Any) -> dict[str, Any]:
        number, self.number = self.number, self.number + 1
        return {"type": kind, "sequence_number": number, **data}


@dataclass(frozen=True, slots=True)
class _ReadRequest:
    """A request, converted to a chat request.

    Attributes:
        chat: the chat request.
        places: for each of its messages, the index of the input item from which it was made; None for the instructions.
    """

    chat: ChatRequest
    places: tuple[int | None, ...]

    def client_field(self, param: str | None) -> str | None:
        """Return the field of the client's request from which a field of the chat request was made."""
        if param is None or not param.startswith("messages"):
            return _FIELDS.get(param or "", param)
        number = param.removeprefix("messages[").partition("]")[0]
        place = self.places[int(number)] if number.isdecimal() else None
        return "input" if place is None else f"input[{place}]"


_FIELDS = {"response_format": "text.format", "max_completion_tokens": "max_output_tokens"}


def _read_request(request: ResponseRequest) -> _ReadRequest:
    """Convert a request to a chat request.

    Raises:
        RequestRefusedError: the request needs stored responses or hosted tools, or has content other than text.
    """
    _check_kept(request)
    messages = list(_messages(request))
    fields: dict[str, Any] = request.model_dump(
        include={"model", "stream", "temperature", "top_p", "parallel_tool_calls"}, exclude_none=True
    )
    chat = ChatRequest(
        **fields,
        messages=[message for _, message in messages],
        max_completion_tokens=request.max_output_tokens,
        tools=[_tool(place, tool) for place, tool in enumerate(request.tools or ())] or None,
        tool_choice=_choice(request),
        response_format=_format(request.text.format if request.text else None),
        reasoning_effort=request.reasoning.effort if request.reasoning else None,
    )
    return _ReadRequest(chat, tuple(place for place, _ in messages))


def _check_kept(request: ResponseRequest) -> None:
    for name in ("previous_response_id", "conversation"):
        if getattr(request, name):
            raise RequestRefusedError(_UNKEPT.format(name), param=name)
    if request.prompt:
        raise RequestRefusedError("There are no stored prompts here. Send the text as 'input'.", param="prompt")


def _messages(request: ResponseRequest) -> Iterator[tuple[int | None, ChatMessage]]:
    """Yield the messages, each with the index of its input item."""
    if request.instructions:
        yield None, ChatMessage(role="system", content=request.instructions)
    if isinstance(request.input, str):
        yield 0, ChatMessage(role="user", content=request.input)
        return
    calls: list[ToolCallGiven] = []
    for place, item in enumerate(request.input):
        if item.type == "function_call":
            calls.append(_call(place, item))
            continue
        # Consecutive calls become one message of the assistant.
        if calls:
            yield place - 1, ChatMessage(role="assistant", tool_calls=calls)
            calls = []
        if item.type not in _SKIPPED:
            yield place, _message(place, item)
    if calls:
        yield len(request.input) - 1, ChatMessage(role="assistant", tool_calls=calls)


def _message(place: int, item: InputItem) -> ChatMessage:
    where = f"input[{place}]"
    if item.type == "function_call_output":
        if item.call_id is None or item.output is None:
            raise RequestRefusedError("A call's result needs 'call_id' and 'output'.", param=where)
        return ChatMessage(role="tool", content=_text(f"{where}.output", item.output), tool_call_id=item.call_id)
    if item.type not in (None, "message"):
        raise RequestRefusedError(
            f"An item of type {item.type[:40]!r} is not supported; messages, function calls and their results are.",
            code="unsupported_content",
            param=f"{where}.type",
        )
    if item.role is None or item.content is None:
        raise RequestRefusedError("A message needs 'role' and 'content'.", param=where)
    return ChatMessage(role=item.role, content=_text(f"{where}.content", item.content))


def _call(place: int, item: InputItem) -> ToolCallGiven:
    if item.call_id is None or item.name is None:
        raise RequestRefusedError("A call needs 'call_id' and 'name'.", param=f"input[{place}]")
    return ToolCallGiven(id=item.call_id, function=CalledFunction(name=item.name, arguments=item.arguments or "{}"))


def _text(where: str, content: str | Sequence[ContentPart]) -> str:
    if isinstance(content, str):
        return content
    for place, part in enumerate(content):
        if part.type not in _TEXTS or part.text is None:
            raise RequestRefusedError(
                f"Content of type {part.type[:40]!r} is not supported; only text is. Send the text alone.",
                code="unsupported_content",
                param=f"{where}[{place}]",
            )
    return "\n".join(part.text or "" for part in content)


def _tool(place: int, tool: ResponseTool) -> Tool:
    if tool.type != "function" or tool.name is None:
        raise RequestRefusedError(
            f"Tools of type {tool.type[:40]!r} are not supported; the corpus is searched in any case."
            " Send only named functions of your own, or no tools.",
            param=f"tools[{place}]",
        )
    fields = tool.model_dump(include={"name", "description", "parameters", "strict"}, exclude_none=True)
    return Tool(type="function", function=Function(**fields))


def _choice(request: ResponseRequest) -> Any:
    choice = request.tool_choice
    if choice is None or isinstance(choice, str):
        return choice
    return {"type": "function", "function": {"name": choice.name}}


def _format(wanted: TextFormat | None) -> Any:
    if wanted is None:
        return None
    if wanted.type != "json_schema":
        return {"type": wanted.type}
    if wanted.name is None or wanted.schema_ is None:
        raise RequestRefusedError("A format of type 'json_schema' needs 'name' and 'schema'.", param="text.format")
    fields = wanted.model_dump(include={"name", "description", "schema_", "strict"}, exclude_none=True, by_alias=True)
    return {"type": "json_schema", "json_schema": fields}
