"""Protocols of tool calls: our tools over text tags or native calls, and tools of the caller's own.

Each adds its part to a request and writes the rounds of a turn back: as the beginning of the model's reply if the
server continues an assistant message, else as separate messages.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from quaestor.core.messages import Message, ToolCall
from quaestor.llm import tags
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.prompts import load
from quaestor.sessions.records import CallResult, Round
from quaestor.window.conversation_costs import RESULT

if TYPE_CHECKING:
    from quaestor.tools import Registry


class CallProtocol(Protocol):
    """Describes tools to a model, and its calls with their results."""

    @property
    def name(self) -> str:
        """``tags`` or ``tools``."""
        ...

    @property
    def stop(self) -> tuple[str, ...]:
        """Sequences that end a reply."""
        ...

    @property
    def tools(self) -> tuple[dict[str, object], ...]:
        """Function schemas that are sent along."""
        ...

    @property
    def continues(self) -> bool:
        """Whether rounds are written back as the beginning of the model's reply."""
        ...

    @property
    def passes(self) -> bool:
        """Whether calls are passed to the caller instead of being run here."""
        ...

    def brief(self) -> str:
        """Return the part of the system message that describes the tools."""
        ...

    def tail(self, rounds: Sequence[Round], opening: str, shown: int) -> tuple[Message, ...]:
        """Return the messages after the question.

        Args:
            rounds: those of the turn so far.
            opening: text with which the reply is begun for the model, or "".
            shown: number of the latest results that are shown whole; a mark replaces the others.
        """
        ...


@dataclass(frozen=True, slots=True)
class Tags:
    """Text tags, whose closing mark ends the reply.

    Attributes:
        registry: the tools; None for none.
        continues: whether the server continues an assistant message.
    """

    registry: Registry | None
    continues: bool = False
    name: str = field(default="tags", init=False)
    tools: tuple[dict[str, object], ...] = field(default=(), init=False)
    passes: bool = field(default=False, init=False)

    @property
    def stop(self) -> tuple[str, ...]:
        """The closing mark, where there is anything to call."""
        return () if self.registry is None else (tags.CLOSING,)

    def brief(self) -> str:
        """Return the list of tags with their descriptions."""
        if self.registry is None:
            return ""
        name = "subroutines_tags_short" if self.registry.short else "subroutines_tags"
        return load(name).render(tags=self.registry.tags())

    def tail(self, rounds: Sequence[Round], opening: str, shown: int) -> tuple[Message, ...]:
        """Return the reply so far as one partial message, or each call and its result as messages."""
        hidden = _results_behind_marks(rounds, shown)
        if self.continues:
            text = "".join(_reply_with_result(one, hidden) for one in rounds) or opening
            return (Message("assistant", text),) if text else ()
        return tuple(message for one in rounds for message in _result_messages(one, hidden))


@dataclass(frozen=True, slots=True)
class Tools:
    """Native tool calls.

    Attributes:
        registry: the tools.
    """

    registry: Registry
    name: str = field(default="tools", init=False)
    stop: tuple[str, ...] = field(default=(), init=False)
    continues: bool = field(default=False, init=False)
    passes: bool = field(default=False, init=False)

    @property
    def tools(self) -> tuple[dict[str, object], ...]:
        """The schemas of all tools."""
        return tuple(self.registry.schemas())

    def brief(self) -> str:
        """Return the instructions that are not part of schemas."""
        return load("subroutines_tools_short" if self.registry.short else "subroutines_tools").render()

    def tail(self, rounds: Sequence[Round], opening: str, shown: int) -> tuple[Message, ...]:
        """Return each round as an assistant message with its calls, and their results."""
        hidden = _results_behind_marks(rounds, shown)
        return tuple(message for number, one in enumerate(rounds, 1) for message in _call_messages(one, number, hidden))


@dataclass(frozen=True, slots=True)
class CallerTools:
    """Tools of the caller's own: declared to the model unchanged; its calls are returned for the caller to run.

    Attributes:
        tools: function schemas in OpenAI's form.
        after: messages since the question: calls, their results, the beginning of a reply.
    """

    tools: tuple[dict[str, object], ...] = ()
    after: tuple[Message, ...] = ()
    name: str = field(default="passed", init=False)
    stop: tuple[str, ...] = field(default=(), init=False)
    continues: bool = field(default=False, init=False)
    passes: bool = field(default=True, init=False)

    def brief(self) -> str:
        """Return "": the caller's own messages describe its tools."""
        return ""

    def tail(self, rounds: Sequence[Round], opening: str, shown: int) -> tuple[Message, ...]:
        """Return the messages since the question; there are no rounds of ours."""
        return self.after


def protocol_for(capabilities: Capabilities, registry: Registry | None) -> CallProtocol:
    """Return the protocol that suits a model."""
    if capabilities.native_tools and registry is not None:
        return Tools(registry)
    return Tags(registry, capabilities.continues_assistant)


def _results_behind_marks(rounds: Sequence[Round], shown: int) -> frozenset[int]:
    """Return the identities of the results that a mark replaces."""
    results = [id(result) for one in rounds for result in one.results]
    return frozenset(results[: max(0, len(results) - shown)])


def _text_of_result(result: CallResult, hidden: frozenset[int]) -> str:
    return load("result_left_out").render() if id(result) in hidden else result.outcome.text


def _block_of_result(result: CallResult, hidden: frozenset[int]) -> str:
    """Return a result as written after its tag, with text that looks like a tag escaped."""
    return load("result").render(name=result.call.name, text=tags.escape(_text_of_result(result, hidden)))


def _reply_with_result(one: Round, hidden: frozenset[int]) -> str:
    return one.written + "".join(f"\n{_block_of_result(result, hidden)}\n" for result in one.results)


def _result_messages(one: Round, hidden: frozenset[int]) -> tuple[Message, ...]:
    content = "\n".join(_block_of_result(result, hidden) for result in one.results) or load("go_on").render()
    return Message("assistant", one.written), Message("user", content, name=RESULT)


def _call_messages(one: Round, number: int, hidden: frozenset[int]) -> tuple[Message, ...]:
    # Identifiers of our own: what servers send is missing, or the same for every call.
    ids = [f"call_{number}_{place}" for place, _ in enumerate(one.results, 1)]
    calls = tuple(
        ToolCall(known, result.call.name, _arguments(result)) for known, result in zip(ids, one.results, strict=True)
    )
    results = (
        Message("tool", _text_of_result(result, hidden), tool_call_id=known)
        for known, result in zip(ids, one.results, strict=True)
    )
    return Message("assistant", one.visible, tool_calls=calls), *results


def _arguments(result: CallResult) -> str:
    """Return a call's arguments as JSON; servers refuse anything else."""
    return "{}" if result.call.problem else json.dumps(dict(result.call.arguments), ensure_ascii=False)
