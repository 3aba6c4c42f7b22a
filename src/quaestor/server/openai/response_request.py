"""Reading a request of the Responses API as a chat request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from quaestor.server.http.error_responses import RequestRefusedError
from quaestor.server.openai.openai_schemas import (
    CalledFunction,
    ChatMessage,
    ChatRequest,
    ContentPart,
    Function,
    Tool,
    ToolCallGiven,
)
from quaestor.server.openai.response_schemas import InputItem, ResponseRequest, ResponseTool, TextFormat

_TEXTS = frozenset({"input_text", "output_text", "text"})
# What the model thought is none of what was said.
_SKIPPED = frozenset({"reasoning"})
_UNKEPT = "Nothing is kept between two requests. Leave {!r} out, and send the whole conversation as 'input'."


@dataclass(frozen=True, slots=True)
class Read:
    """A request, read.

    Attributes:
        chat: the same as a chat request.
        places: for each of its messages, the item of the input that it was made of; None for the instructions.
    """

    chat: ChatRequest
    places: tuple[int | None, ...]

    def named(self, param: str | None) -> str | None:
        """Return the field of the request that a field of the chat request was made of."""
        if param is None or not param.startswith("messages"):
            return _FIELDS.get(param or "", param)
        number = param.removeprefix("messages[").partition("]")[0]
        place = self.places[int(number)] if number.isdecimal() else None
        return "input" if place is None else f"input[{place}]"


_FIELDS = {"response_format": "text.format", "max_completion_tokens": "max_output_tokens"}


def read_response(request: ResponseRequest) -> Read:
    """Return a request as a chat request.

    Raises:
        RequestRefusedError: it asks for what is kept nowhere, for tools that are not run here, or for more than text.
    """
    _check_kept(request)
    messages = list(_messages(request))
    given: dict[str, Any] = request.model_dump(
        include={"model", "stream", "temperature", "top_p", "parallel_tool_calls"}, exclude_none=True
    )
    chat = ChatRequest(
        **given,
        messages=[message for _, message in messages],
        max_completion_tokens=request.max_output_tokens,
        tools=[_tool(place, tool) for place, tool in enumerate(request.tools or ())] or None,
        tool_choice=_choice(request),
        response_format=_format(request.text.format if request.text else None),
        reasoning_effort=request.reasoning.effort if request.reasoning else None,
    )
    return Read(chat, tuple(place for place, _ in messages))


def _check_kept(request: ResponseRequest) -> None:
    for name in ("previous_response_id", "conversation"):
        if getattr(request, name):
            raise RequestRefusedError(_UNKEPT.format(name), param=name)
    if request.prompt:
        raise RequestRefusedError("There are no templates here. Send the text itself as 'input'.", param="prompt")


def _messages(request: ResponseRequest) -> Iterator[tuple[int | None, ChatMessage]]:
    """Yield the messages, each with its place in the input."""
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
        # Calls that stand together are one message of the assistant.
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
            raise RequestRefusedError("A result needs 'call_id' and 'output'.", param=where)
        return ChatMessage(role="tool", content=_text(f"{where}.output", item.output), tool_call_id=item.call_id)
    if item.type not in (None, "message"):
        raise RequestRefusedError(
            f"An item of type {item.type[:40]!r} is not understood; messages, function calls and their results are.",
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
            f"A tool of type {tool.type[:40]!r} is not run here; the corpus is searched without being asked to."
            " Give functions of your own, with a name, or none.",
            param=f"tools[{place}]",
        )
    given = tool.model_dump(include={"name", "description", "parameters", "strict"}, exclude_none=True)
    return Tool(type="function", function=Function(**given))


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
        raise RequestRefusedError("A form of type 'json_schema' needs 'name' and 'schema'.", param="text.format")
    given = wanted.model_dump(include={"name", "description", "schema_", "strict"}, exclude_none=True, by_alias=True)
    return {"type": "json_schema", "json_schema": given}
