"""Messages of a conversation as plain values, and in OpenAI's wire form.

Pure data: this module knows neither how messages are counted nor how they are stored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
_SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """Return a text with U+FFFD for each lone surrogate, which can be neither encoded nor stored."""
    return _SURROGATE.sub("\ufffd", text)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's request to run one tool.

    Attributes:
        id: the identifier that the matching result repeats.
        name: the tool's name.
        arguments: the arguments as JSON text, exactly as the model wrote them.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a conversation.

    Attributes:
        role: who speaks.
        content: the text.
        name: an optional speaker name, such as ``example_user`` in few-shot examples.
        tool_calls: calls that an assistant message makes.
        tool_call_id: for a ``tool`` message, the call that it answers.
    """

    role: Role
    content: str
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one request, as the server reported them or as counted here.

    Attributes:
        prompt_tokens: tokens sent.
        completion_tokens: tokens received.
        reported: whether the server said so; otherwise the numbers are our own count.
    """

    prompt_tokens: int
    completion_tokens: int
    reported: bool

    @property
    def total_tokens(self) -> int:
        """Tokens sent and received together."""
        return self.prompt_tokens + self.completion_tokens


def as_wire(message: Message) -> dict[str, Any]:
    """Return a message as the JSON object that chat completion endpoints take."""
    wire: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.name is not None:
        wire["name"] = message.name
    if message.tool_call_id is not None:
        wire["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        wire["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return wire
