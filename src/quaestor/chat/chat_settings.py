"""How a conversation is held, and what one turn may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from quaestor.core.errors import UsageError
from quaestor.stores import Where
from quaestor.window import Policy

Brief = Literal["code", "documents"]
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class ConversationSettings:
    """Settings of a conversation.

    Attributes:
        reserve: tokens kept free for the reply; never more than a quarter of the window.
        policy: how history is chosen.
        passages: how many passages are retrieved in a turn.
        temperature: 0 is the most settled.
        reminder: tokens of conversation after which the instructions are repeated; 0: never.
        summaries: whether the model is asked, from time to time, to summarise what slid out of the window.
        seconds: a turn may take.
        tokens: a turn may send and receive, over all of its requests; None: no limit.
        calls: of subroutines that a turn may make; then the model is asked to answer from what it has.
        cost: a turn may cost, in the currency of the prices; None: no limit.
        prompt_price: of a million tokens sent.
        completion_price: of a million tokens received.
        premeditation: whether the model is to say first, unseen, what it is about to do.
        examples: whether the model is shown an answer of the wanted form.
        grounded: whether weak evidence is refused: a model that cannot search for itself is not asked then, for it
            could only invent, and the answer of one that can is known only with a citation that was checked.
        brief: how the system message begins; None: by what the corpus mostly holds.
        where: only documents that it lets through are searched; None: all.
        filters: whether what a question says of dates and authors limits the documents as well.
        stop: sequences that end the visible answer and are not part of it.
        parameters: further ones of each request, in OpenAI's form, sent as they are.
    """

    reserve: int = 500
    policy: Policy = "blend"
    passages: int = 10
    temperature: float = 0.1
    reminder: int = 2000
    summaries: bool = False
    seconds: float = 600.0
    tokens: int | None = None
    calls: int = 8
    cost: float | None = None
    prompt_price: float = 0.0
    completion_price: float = 0.0
    premeditation: bool = False
    examples: bool = False
    grounded: bool = False
    brief: Brief | None = None
    where: Where | None = None
    filters: bool = True
    stop: tuple[str, ...] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.reserve < 1 or self.passages < 1 or self.seconds <= 0:
            raise UsageError("reserve, passages and seconds of a conversation must be above 0")
        if self.calls < 0 or self.prompt_price < 0 or self.completion_price < 0:
            raise UsageError("calls and prices of a conversation must be 0 or above")

    def cost_of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return what tokens cost."""
        return (prompt_tokens * self.prompt_price + completion_tokens * self.completion_price) / _MILLION
