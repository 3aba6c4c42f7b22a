"""Settings of a conversation, and limits of one turn."""

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
        temperature: sampling temperature; 0 is the most deterministic.
        reminder: tokens of conversation after which the instructions are repeated; 0 disables.
        summaries: whether the model summarises messages that no longer fit the window.
        seconds: time limit of a turn.
        tokens: limit of tokens sent and received in a turn, over all requests; None is unlimited.
        calls: limit of tool calls in a turn; then the model must answer from what it has.
        cost: limit of a turn's cost, in the currency of the prices; None is unlimited.
        prompt_price: price of a million tokens sent.
        completion_price: price of a million tokens received.
        premeditation: whether the model first writes a hidden plan.
        examples: whether the model is shown an answer of the wanted form.
        grounded: whether weak evidence is refused: a model without tools is not asked then, because it could only
            invent, and the answer of a model with tools counts as known only with a checked citation.
        brief: beginning of the system message; None chooses it by the corpus's main kind.
        where: a filter on the documents that are searched, or None.
        filters: whether dates and authors in a question limit the documents, too.
        stop: sequences that end the visible answer and are not part of it.
        parameters: further parameters of each request, in OpenAI's form, sent unchanged.
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
        """Return the cost of tokens."""
        return (prompt_tokens * self.prompt_price + completion_tokens * self.completion_price) / _MILLION
