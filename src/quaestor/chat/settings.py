"""How a conversation is held, and what one turn may take."""

from __future__ import annotations

from dataclasses import dataclass

from quaestor.errors import UsageError
from quaestor.window import Policy


@dataclass(frozen=True, slots=True)
class ConversationSettings:
    """How a conversation is held.

    Attributes:
        reserve: tokens kept free for the reply; never more than a quarter of the window.
        policy: how history is chosen.
        passages: how many passages are retrieved in a turn.
        temperature: 0 is the most settled.
        reminder: tokens of conversation after which the instructions are repeated; 0: never.
        summaries: whether the model is asked, from time to time, to summarise what slid out of the window.
        seconds: a turn may take.
        tokens: a turn may send and receive, over all of its requests; None: no limit.
    """

    reserve: int = 500
    policy: Policy = "blend"
    passages: int = 8
    temperature: float = 0.1
    reminder: int = 2000
    summaries: bool = False
    seconds: float = 600.0
    tokens: int | None = None

    def __post_init__(self) -> None:
        if self.reserve < 1 or self.passages < 1 or self.seconds <= 0:
            raise UsageError("reserve, passages and seconds of a conversation must be above 0")
