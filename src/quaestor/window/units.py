"""What is kept or dropped together: a message, or a tool call with all of its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from quaestor.core.messages import Message

ORPHAN = "a tool result without the call that it answers; servers refuse it"
UNANSWERED = "its tool calls have no results; servers refuse it"
RESULT = "result"
"""The name of a user's message that holds the result of a call made in text; it belongs to the reply before it."""


class Unit(NamedTuple):
    """Neighbouring messages that only make sense together.

    Attributes:
        start: index of the first message.
        end: index after the last one.
        fault: why it can never be sent, or None.
    """

    start: int
    end: int
    fault: str | None = None


def units(messages: Sequence[Message], start: int = 0) -> list[Unit]:
    """Return the units of ``messages[start:]``, in order; every message is in exactly one."""
    found: list[Unit] = []
    while start < len(messages):
        unit = _unit_at(messages, start)
        found.append(unit)
        start = unit.end
    return found


def _unit_at(messages: Sequence[Message], start: int) -> Unit:
    message = messages[start]
    if message.role == "tool":
        return Unit(start, start + 1, ORPHAN)
    if not message.tool_calls:
        end = start + 1
        while message.role == "assistant" and end < len(messages) and _is_result(messages[end]):
            end += 1
        return Unit(start, end)
    open_calls = {call.id for call in message.tool_calls}
    whole = len(open_calls) == len(message.tool_calls)
    end = start + 1
    while end < len(messages) and messages[end].role == "tool" and messages[end].tool_call_id in open_calls:
        open_calls.discard(messages[end].tool_call_id or "")
        end += 1
    if whole and not open_calls:
        return Unit(start, end)
    # The call alone is at fault; results that did come lose it, so they are orphans of their own.
    return Unit(start, end, UNANSWERED)


def _is_result(message: Message) -> bool:
    return message.role == "user" and message.name == RESULT
