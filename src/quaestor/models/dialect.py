"""Which optional parameters an endpoint takes: by the model's name at first, and by what it refuses."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from quaestor.models import Request

# OpenAI's reasoning models take neither a temperature nor stop sequences, and name the limit differently.
_REASONING = re.compile(r"(?:^|/)(?:o[1-9]|gpt-[5-9])(?![a-z])", re.IGNORECASE)
_REFUSED = re.compile(
    r"unsupported|not supported|does not support|unrecognized|unknown (?:parameter|field|argument)|not permitted"
    r"|unexpected|extra inputs",
    re.IGNORECASE,
)
_NAMES = ("max_completion_tokens", "max_tokens", "stream_options", "temperature", "continue_final_message", "stop")
CONTINUING = {"continue_final_message": True, "add_generation_prompt": False}
"""How vLLM, SGLang and llama-server are told to go on with the last message; others need no telling."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The parameters that may be sent.

    Attributes:
        max_tokens: under which name the limit on the reply is sent; empty: not at all.
        temperature: whether it is sent.
        stop: whether stop sequences are sent; where not, they are still cut out of the reply here.
        stream_options: whether usage is asked for.
        continue_final_message: whether the server is told to go on with an assistant message at the end.
    """

    max_tokens: str = "max_tokens"
    temperature: bool = True
    stop: bool = True
    stream_options: bool = True
    continue_final_message: bool = False

    def parameters(self, request: Request) -> dict[str, Any]:
        """Return the optional parameters of a request in this dialect."""
        found: dict[str, Any] = {}
        if self.temperature:
            found["temperature"] = request.temperature
        if self.stop and request.stop:
            found["stop"] = list(request.stop)
        if self.max_tokens and request.max_tokens is not None:
            found[self.max_tokens] = request.max_tokens
        if self.stream_options:
            found["stream_options"] = {"include_usage": True}
        if self.continue_final_message and request.messages and request.messages[-1].role == "assistant":
            found |= CONTINUING
        return found

    def without(self, parameter: str) -> Dialect:
        """Return the dialect that is left when an endpoint refuses ``parameter``."""
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
    """Return which optional parameter a server's refusal is about, or None.

    Args:
        message: the server's sentence.
        parameter: the ``param`` of its error object.
    """
    if not _REFUSED.search(message):
        return None
    if parameter in _NAMES:
        return str(parameter)
    return next((name for name in _NAMES if re.search(rf"\b{name}\b", message)), None)
