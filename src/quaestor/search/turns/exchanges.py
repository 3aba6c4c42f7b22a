"""A conversation as exchanges: each question with what was replied to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from quaestor.core.messages import Message
from quaestor.search.query import without_name

# Of a longer text only the two ends are read; a query is no longer than this either.
LONGEST_TEXT = 8_000
"""Characters that are read of one message."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and its reply; the newest question has none yet.

    Attributes:
        question: what the user wrote.
        sought: what to search for of it: the question without the corpus's own name.
        reply: what the assistant wrote for people, all its messages of the turn together; may be empty.
    """

    question: str
    sought: str
    reply: str = ""


def exchanges_of(messages: Sequence[Message], corpus: str = "") -> list[Exchange]:
    """Return the exchanges in order, the newest question last.

    System messages, few-shot examples, tool calls and tool results are not part of what people said. Questions in a
    row without a reply are exchanges of their own. What the assistant says before any question is left out.

    Args:
        messages: the conversation.
        corpus: the name that users have for the corpus, if any.
    """
    found: list[Exchange] = []
    for message in messages:
        if (message.name or "").startswith("example_"):
            continue
        text = _ends(message.content).strip()
        if message.role == "user" and text:
            found.append(Exchange(text, without_name(text, corpus)))
        elif message.role == "assistant" and found and text:
            last = found[-1]
            found[-1] = replace(last, reply=_ends(f"{last.reply}\n{text}".strip()))
    return found


def _ends(text: str) -> str:
    """Return the text, without its middle if it is very long; NUL is not a letter of any question."""
    if len(text) > LONGEST_TEXT:
        text = f"{text[: LONGEST_TEXT // 2 - 1]}\n{text[-LONGEST_TEXT // 2 :]}"
    return text.replace("\x00", " ")
