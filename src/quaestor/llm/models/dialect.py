"""Parameters and orders of roles that an endpoint accepts: first by the model's name, then learned from refusals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from quaestor.core.messages import Message, Role
from quaestor.llm.endpoints.failures import refuses_system, refuses_turns
from quaestor.llm.models import Request
from quaestor.llm.prompts.loader import load

_EXAMPLES: dict[str | None, Role] = {"example_user": "user", "example_assistant": "assistant"}


def with_alternating_roles(messages: Sequence[Message], *, system: bool) -> list[Message]:
    """Return messages in which user and assistant take turns, the user first.

    Args:
        messages: the messages in order.
        system: whether one system message may precede them.
    """
    leading = len(list(takewhile(_is_system, messages)))
    first, rest = messages[:leading], [_as_spoken_role(message) for message in messages[leading:]]
    begins = bool(rest) and rest[0].role == "user"
    if not (system and begins):
        rest = [*map(_as_spoken_role, first), *rest]
        first = ()
    if rest and rest[0].role != "user":
        rest.insert(0, Message("user", load("window_skipped").render()))
    return [*_join_messages(first), *_join_messages(rest)]


def _is_system(message: Message) -> bool:
    return message.role == "system" and message.name not in _EXAMPLES


def _as_spoken_role(message: Message) -> Message:
    """Return a message as one of user, assistant or tool."""
    if message.role != "system":
        return message
    return replace(message, role=_EXAMPLES.get(message.name, "user"), name=None)


def _join_messages(messages: Sequence[Message]) -> list[Message]:
    joined: list[Message] = []
    for message in messages:
        if joined and _joins(joined[-1], message):
            content = "\n\n".join(filter(None, (joined[-1].content, message.content)))
            name = joined[-1].name if joined[-1].name == message.name else None
            joined[-1] = replace(message, content=content, name=name)
        else:
            joined.append(message)
    return joined


def _joins(earlier: Message, later: Message) -> bool:
    # A call is followed by its result, and a result belongs to its own call.
    return earlier.role == later.role and later.role != "tool" and not earlier.tool_calls


# OpenAI's reasoning models take neither a temperature nor stop sequences, and name the limit differently.
_REASONING = re.compile(r"(?:^|/)(?:o[1-9]|gpt-[5-9])(?![a-z])", re.IGNORECASE)
_REFUSED = re.compile(
    r"unsupported|not supported|does not support|unrecognized|unknown (?:parameter|field|argument)|not permitted"
    r"|unexpected|extra inputs",
    re.IGNORECASE,
)
_NAMES = ("max_completion_tokens", "max_tokens", "stream_options", "temperature", "continue_final_message", "stop")
CONTINUING = {"continue_final_message": True, "add_generation_prompt": False}
"""Parameters by which vLLM, SGLang and llama-server continue the last message; others need none."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The parameters and roles that an endpoint accepts.

    Attributes:
        max_tokens: the name of the limit on the reply; empty to leave it out.
        temperature: whether it is sent.
        stop: whether stop sequences are sent; if not, they are still cut out of the reply here.
        stream_options: whether usage is requested.
        continue_final_message: whether to send the parameters that continue an assistant message at the end.
        any_turns: whether roles may follow in any order; otherwise user and assistant alternate.
        system: whether a system message is accepted.
    """

    max_tokens: str = "max_tokens"
    temperature: bool = True
    stop: bool = True
    stream_options: bool = True
    continue_final_message: bool = False
    any_turns: bool = True
    system: bool = True

    def messages(self, request: Request) -> Sequence[Message]:
        """Return a request's messages in an order of roles that the endpoint accepts."""
        return request.messages if self.any_turns else with_alternating_roles(request.messages, system=self.system)

    def parameters(self, request: Request) -> dict[str, Any]:
        """Return the optional parameters of a request in this dialect."""
        fields: dict[str, Any] = {}
        if self.temperature:
            fields["temperature"] = request.temperature
        if self.stop and request.stop:
            fields["stop"] = list(request.stop)
        if self.max_tokens and request.max_tokens is not None:
            fields[self.max_tokens] = request.max_tokens
        if self.stream_options:
            fields["stream_options"] = {"include_usage": True}
        if self.continue_final_message and request.messages and request.messages[-1].role == "assistant":
            fields |= CONTINUING
        return fields

    def render(self, request: Request) -> tuple[object, ...]:
        """Return the messages and parameters of a request in this dialect, to compare them with another dialect's."""
        return self.parameters(request), *self.messages(request)

    def after(self, status: int, message: str, parameter: object) -> Dialect:
        """Return the dialect to use after a refusal; the same one if the refusal is about something else.

        Args:
            status: the HTTP status.
            message: the server's sentence.
            parameter: the ``param`` of its error object.
        """
        # Some servers call it their own failure when a chat template raises.
        if status in (400, 422, 500) and refuses_system(message):
            return replace(self, any_turns=False, system=False)
        if status in (400, 422, 500) and refuses_turns(message):
            return replace(self, any_turns=False)
        refused = refused_parameter(message, parameter) if status in (400, 422) else None
        return self._without(refused) if refused else self

    def _without(self, parameter: str) -> Dialect:
        """Return the dialect without a parameter that the endpoint refuses."""
        if parameter == "max_tokens":
            return replace(self, max_tokens="max_completion_tokens" if self.max_tokens == parameter else "")
        if parameter == "max_completion_tokens":
            return replace(self, max_tokens="max_tokens" if self.max_tokens == parameter else "")
        changes: dict[str, Any] = {parameter: False}
        return replace(self, **changes)


def dialect_for(model: str) -> Dialect:
    """Return the dialect to begin with for a model's name."""
    if _REASONING.search(model):
        return Dialect(max_tokens="max_completion_tokens", temperature=False, stop=False)
    return Dialect()


def refused_parameter(message: str, parameter: object) -> str | None:
    """Return the optional parameter that a server refuses; None if it refuses something else.

    Args:
        message: the server's sentence.
        parameter: the ``param`` of its error object.
    """
    if not _REFUSED.search(message):
        return None
    if parameter in _NAMES:
        return str(parameter)
    return next((name for name in _NAMES if re.search(rf"\b{name}\b", message)), None)
