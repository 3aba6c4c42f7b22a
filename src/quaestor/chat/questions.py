"""What is searched for in a turn of a conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quaestor.messages import Message

MakeQuery = Callable[[Sequence[Message]], str]
"""Makes the text that is searched for out of a conversation, whose last message is the newest question."""


def newest_question(messages: Sequence[Message]) -> str:
    """Return the newest question alone."""
    return messages[-1].content
