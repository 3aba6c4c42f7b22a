"""Messages in OpenAI's wire form."""

from __future__ import annotations

from typing import Any

from quaestor.core.messages import Message


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
