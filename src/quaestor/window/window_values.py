"""What goes into a window and what comes out, as plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from quaestor.core.messages import Message
from quaestor.core.passages import Hit
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


@dataclass(frozen=True, slots=True)
class Decision:
    """Why one message or passage is in the window or not.

    Attributes:
        kind: what was decided on.
        index: its place among the messages or passages given, from 0; -1 for what the window added itself.
        action: what became of it.
        section: the section that pays for it.
        tokens: what it takes in the window; 0 when it is out.
        full_tokens: what it would take whole.
        reason: in plain words.
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
    """What is sent, what it costs, and why it is what it is.

    Attributes:
        messages: in the order to send them.
        tokens: what messages and tool schemas take in the model's window, the start of the reply included.
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
    """Anything that tells how much each earlier message bears on a question."""

    def score(self, messages: Sequence[Message], question: int) -> NDArray[np.float32]:
        """Return one score for each of ``messages[:question]``; above 0 bears on ``messages[question]``."""
        ...
