"""A turn's events as a chat completion, whole or in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from quaestor.core.messages import ToolCall
from quaestor.server.openai.reply_of_turn import Ended, Reply


class ChatReply(Reply):
    """One chat completion under way."""

    prefix: ClassVar[str] = "chatcmpl"
    textual: ClassVar[bool] = False

    def whole(self) -> dict[str, Any]:
        """Return the object of an answer that is not streamed."""
        calls = [_call(call) for call in self.done.calls]
        message: dict[str, Any] = {"role": "assistant", "content": self.text or (None if calls else "")}
        message |= {"refusal": None, "quaestor": self.checked}
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self.ended}
        return {**self._object("chat.completion", [choice]), "usage": self.usage}

    def first(self) -> dict[str, Any]:
        """Return the chunk that says who speaks."""
        return self._chunk({"role": "assistant", "content": "", "refusal": None})

    def piece(self, text: str) -> dict[str, Any]:
        """Return the chunk of a piece of the answer."""
        return self._chunk({"content": text})

    def last(self) -> Iterator[dict[str, Any]]:
        """Yield the chunks with the calls, and with why the answer ended."""
        for index, call in enumerate(self.done.calls):
            yield self._chunk({"tool_calls": [{"index": index, **_call(call)}]})
        yield {**self._chunk({}, self.ended), "quaestor": self.checked}

    def used(self) -> dict[str, Any]:
        """Return the chunk that holds nothing but the usage."""
        return {**self._object("chat.completion.chunk", []), "usage": self.usage}

    def _chunk(self, delta: dict[str, Any], reason: Ended | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return self._object("chat.completion.chunk", [choice])

    def _object(self, kind: str, choices: list[Any]) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model, "choices": choices}


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
