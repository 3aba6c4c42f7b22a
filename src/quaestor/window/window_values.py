"""Plain values of composing: settings, wording, decisions, and the window itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.core.messages import Message
from quaestor.llm.prompts import load
from quaestor.llm.prompts.numbered_passages import Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray


Policy = Literal["sliding", "summary", "recall", "blend"]
Action = Literal["kept", "trimmed", "recalled", "summarised", "dropped"]
Section = Literal[
    "system",
    "examples",
    "tools",
    "passages",
    "summary",
    "recalled",
    "recent",
    "question",
    "notes",
    "reply",
    "left out",
]
Kind = Literal["message", "passage", "summary", "note"]

Summarise = Callable[[Sequence[Message]], str]
"""Turns messages into a summary; may raise."""


PassageLike = Passage | Hit | str
"""Evidence for the model: a numbered passage, a hit (numbered by its place), or text that is shown as it
is."""


class Wording(NamedTuple):
    """Every sentence that the window adds for the model.

    Attributes:
        recalled: precedes recalled messages.
        recent: separates them from the latest messages.
        skipped: marks older messages that were left out if none was recalled.
        summary: heading of a summary.
        trimmed: ends a text that was cut short.
    """

    recalled: str
    recent: str
    skipped: str
    summary: str
    trimmed: str


@cache
def default_wording() -> Wording:
    """Return the wording of the prompts that travel with the package."""
    names = ("recalled", "recent", "skipped", "summary", "trimmed")
    return Wording(**{name: load(f"window_{name}").render() for name in names})


@dataclass(frozen=True, slots=True)
class Reminder:
    """Instructions repeated as the window fills, because a system message's influence wanes with distance.

    Attributes:
        text: the instructions.
        every: tokens of conversation between two reminders.
    """

    text: str
    every: int = 2000

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError(f"a reminder every {self.every} tokens is not possible; use 1 or more")


@dataclass(frozen=True, slots=True)
class Settings:
    """Shares of the room that the must-keep messages leave. A section's unused share goes to the next.

    Attributes:
        turn: at most this share for messages since the question, except the last, which is always kept.
        examples: at most this share for few-shot examples.
        passages: at most this share for passages if there is a conversation to keep.
        floor: at least this share for passages; only instructions, question and a begun reply come first.
        summary: at most this share for a summary.
        recent: at least this share for the latest messages when others are recalled.
        last: the message before the question is kept whole up to this share, and trimmed beyond it.
        marks: whether to mark for the model where messages are left out.
        reminder: instructions to repeat, or None.
        wording: the sentences that the window adds.
    """

    turn: float = 0.6
    examples: float = 0.25
    passages: float = 0.5
    floor: float = 0.25
    summary: float = 0.12
    recent: float = 0.08
    last: float = 0.4
    marks: bool = True
    reminder: Reminder | None = None
    wording: Wording = field(default_factory=default_wording)

    def __post_init__(self) -> None:
        for name in ("turn", "examples", "passages", "floor", "summary", "recent", "last"):
            share = getattr(self, name)
            if not 0 <= share <= 1:
                raise ValueError(f"the share {name!r} is {share}; use a number from 0 to 1")


@dataclass(frozen=True, slots=True)
class Decision:
    """Why one message or passage is in the window or not.

    Attributes:
        kind: message, passage, or an addition of the window.
        index: its position among the given messages or passages, from 0; -1 for an addition.
        action: kept, trimmed, recalled, summarised or dropped.
        section: the section that pays for it.
        tokens: its tokens in the window; 0 if it is left out.
        full_tokens: its tokens if it were whole.
        reason: the reason in plain words.
    """

    kind: Kind
    index: int
    action: Action
    section: Section
    tokens: int
    full_tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class Window:
    """The messages to send, their cost, and the decisions behind them.

    Attributes:
        messages: the messages in the order to send them.
        tokens: the number of tokens of messages, tool schemas and the start of the reply in the model's window.
        limit: the model's window, tokens.
        reserve: tokens kept free for the reply; ``tokens + reserve`` never exceeds ``limit``.
        decisions: one per message given, in order, then one per passage given, in order.
        added: one per summary, mark or reminder that the window wrote, or refused to.
        sections: tokens by section; their sum is ``tokens``.
    """

    messages: tuple[Message, ...]
    tokens: int
    limit: int
    reserve: int
    decisions: tuple[Decision, ...]
    added: tuple[Decision, ...] = ()
    sections: Mapping[Section, int] = field(default_factory=dict)

    @property
    def free(self) -> int:
        """Tokens that neither the window nor the reserve takes."""
        return self.limit - self.reserve - self.tokens


class Recaller(Protocol):
    """Anything that scores the relevance of earlier messages to a question."""

    def score(self, messages: Sequence[Message], question: int) -> NDArray[np.float32]:
        """Return one score for each of ``messages[:question]``; above 0 bears on ``messages[question]``."""
        ...
