"""Completion objects and stream chunks in OpenAI's wire form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from servers.script import Call

CREATED = 1_700_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent after the script, the stop sequences and the limits were applied.

    Attributes:
        pieces: the text in deltas.
        calls: tool calls.
        reason: why it ends.
        usage: the usage object, or None to leave it out.
        model: the model's name.
        chat: whether it answers a chat completion; otherwise a plain completion.
    """

    pieces: list[str]
    calls: tuple[Call, ...]
    reason: str
    usage: dict[str, int] | None
    model: str
    chat: bool = True


def whole(answer: Answer) -> dict[str, Any]:
    """Return the object of a request that does not stream."""
    text = "".join(answer.pieces)
    choice: dict[str, Any] = {"index": 0, "finish_reason": answer.reason, "logprobs": None}
    if answer.chat:
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if answer.calls:
            message["tool_calls"] = [_call(call, "".join(call.pieces)) for call in answer.calls]
        choice["message"] = message
    else:
        choice["text"] = text
    return _object(answer, "chat.completion" if answer.chat else "text_completion", [choice], answer.usage)


def chunks(answer: Answer) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a stream: role, text, tool calls, reason, usage."""
    if answer.chat:
        yield _chunk(answer, {"role": "assistant", "content": ""})
    for piece in answer.pieces:
        yield _chunk(answer, {"content": piece} if answer.chat else piece)
    for index, call in enumerate(answer.calls):
        # A call in one piece is sent in one delta, name and all.
        first, rest = (call.pieces[0], ()) if len(call.pieces) == 1 else ("", call.pieces)
        yield _chunk(answer, {"tool_calls": [{"index": index, **_call(call, first)}]})
        for piece in rest:
            yield _chunk(answer, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _chunk(answer, {} if answer.chat else "", answer.reason)
    if answer.usage is not None:
        yield _object(answer, _kind(answer), [], answer.usage)


def as_event(data: dict[str, Any] | str) -> bytes:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"data: {text}\n\n".encode()


def _chunk(answer: Answer, delta: dict[str, Any] | str, reason: str | None = None) -> dict[str, Any]:
    content = {"delta": delta} if answer.chat else {"text": delta}
    return _object(answer, _kind(answer), [{"index": 0, **content, "finish_reason": reason}], None)


def _kind(answer: Answer) -> str:
    return "chat.completion.chunk" if answer.chat else "text_completion"


def _object(answer: Answer, kind: str, choices: list[Any], usage: dict[str, int] | None) -> dict[str, Any]:
    found = {"id": "cmpl-1", "object": kind, "created": CREATED, "model": answer.model, "choices": choices}
    return {**found, "usage": usage} if usage is not None else found


def _call(call: Call, arguments: str) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
