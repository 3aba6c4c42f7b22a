"""Messages for chat templates that want user and assistant to take turns, as Mistral's and Gemma's do.

Such a template refuses two messages of one role in a row, system messages between others, and some of them any system
message. Nothing is lost: messages of one role are joined, and what may not be a system message is said by the user.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from quaestor.core.messages import Message, Role
from quaestor.llm.prompts.loader import load

_EXAMPLES: dict[str | None, Role] = {"example_user": "user", "example_assistant": "assistant"}


def alternating(messages: Sequence[Message], *, system: bool) -> list[Message]:
    """Return messages in which user and assistant take turns, the user first.

    Args:
        messages: in order.
        system: whether one system message may stand before them.
    """
    leading = len(list(takewhile(_leads, messages)))
    first, rest = messages[:leading], [_spoken(message) for message in messages[leading:]]
    begins = bool(rest) and rest[0].role == "user"
    if not (system and begins):
        rest = [*map(_spoken, first), *rest]
        first = ()
    if rest and rest[0].role != "user":
        rest.insert(0, Message("user", load("window_skipped").render()))
    return [*_joined(first), *_joined(rest)]


def _leads(message: Message) -> bool:
    return message.role == "system" and message.name not in _EXAMPLES


def _spoken(message: Message) -> Message:
    """Return a message as one of user, assistant or tool."""
    if message.role != "system":
        return message
    return replace(message, role=_EXAMPLES.get(message.name, "user"), name=None)


def _joined(messages: Sequence[Message]) -> list[Message]:
    found: list[Message] = []
    for message in messages:
        if found and _joins(found[-1], message):
            content = "\n\n".join(filter(None, (found[-1].content, message.content)))
            name = found[-1].name if found[-1].name == message.name else None
            found[-1] = replace(message, content=content, name=name)
        else:
            found.append(message)
    return found


def _joins(earlier: Message, later: Message) -> bool:
    # A call is followed by its result, and a result belongs to its own call.
    return earlier.role == later.role and later.role != "tool" and not earlier.tool_calls
