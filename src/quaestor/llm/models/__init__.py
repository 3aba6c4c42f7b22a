"""Talking to language models: the protocol that every model follows, and the models that follow it.

It does not know corpora or conversations; prices and limits are added around it, in ``accounts``.
Begin with ``Model`` below, then ``openai_compatible``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from quaestor.core.messages import Message, ToolCall, Usage
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.tokens import MessageCounter, counter_for

__all__ = ["Delta", "FinishReason", "Finished", "Model", "Request", "TextDelta", "counter_of"]

FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "unknown"]


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model.

    Attributes:
        messages: the messages in order. The model continues an assistant message at the end if
            ``Capabilities.continues_assistant``.
        stop: sequences that end the reply and are not part of it.
        temperature: sampling temperature; 0 is the most deterministic.
        max_tokens: limit on the reply; None leaves it to the server.
        tools: function schemas in OpenAI's form.
        extra: further parameters in OpenAI's form, such as ``tool_choice`` or ``seed``; sent unchanged.
    """

    messages: Sequence[Message]
    stop: tuple[str, ...] = ()
    temperature: float = 0.1
    max_tokens: int | None = None
    tools: tuple[dict[str, object], ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of a reply.

    Attributes:
        reason: why generation stopped.
        stop_sequence: the stop sequence that ended it, if known.
        tool_calls: complete native tool calls, in order.
        usage: tokens, reported or counted.
        model: the model's name as the server gave it.
    """

    reason: FinishReason
    usage: Usage | None = None
    stop_sequence: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    model: str | None = None


Delta = TextDelta | Finished


class Model(Protocol):
    """A language model behind any interface."""

    @property
    def name(self) -> str:
        """The model's name in the record of an answer."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities of the model's endpoint."""
        ...

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Yield pieces of the reply and, last, one ``Finished``.

        Raises:
            UpstreamError: the server is down, refuses, or answers nonsense; ``retryable`` says which.
        """
        ...


def counter_of(model: Model | None) -> MessageCounter:
    """Return a model's own counter, else the one for its name; without a model, the one for GPT-4o."""
    if model is None:
        return counter_for("gpt-4o")
    counter = getattr(model, "counter", None)
    return counter if isinstance(counter, MessageCounter) else counter_for(model.name)
