"""Probing an endpoint's capabilities by three small requests and by its list of models."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from quaestor.core.errors import UpstreamError
from quaestor.core.messages import Message
from quaestor.llm.models import Request, TextDelta
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel, without_stream
from quaestor.llm.prompts.loader import load

# Names under which servers say how long their window is; what the model was trained with is not what they serve.
_WINDOWS = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")
# Some endpoints list hundreds of models, each with a page of description.
_LARGEST_LIST = 8 << 20


class Listing(NamedTuple):
    """The models of an endpoint.

    Attributes:
        names: the names of all models; empty where the endpoint does not list any.
        window: the window of the model that is used, in tokens; None if the endpoint does not say.
    """

    names: tuple[str, ...]
    window: int | None


async def list_models(model: OpenAICompatibleModel) -> Listing:
    """List the models of an endpoint.

    Raises:
        UpstreamError: it cannot be reached, refuses, or returns no readable list.
    """
    answer = await model.exchange("/models", largest=_LARGEST_LIST)
    listed = answer.get("data") if isinstance(answer, dict) else None
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    of_model = [entry for entry in entries if entry.get("id") == model.name] or (entries if len(entries) == 1 else [])
    names = tuple(entry["id"] for entry in entries if isinstance(entry.get("id"), str))
    return Listing(names, _window_in(of_model[0]) if of_model else None)


def _window_in(entry: Mapping[str, Any]) -> int | None:
    nested = [value for value in entry.values() if isinstance(value, dict)]
    numbers = [place.get(name) for place in (entry, *nested) for name in _WINDOWS]
    return next((number for number in numbers if isinstance(number, int) and number > 0), None)


_BEGUN, _STOP, _REST = "one two three", " four", "four five six"
_ECHO: dict[str, object] = {
    "type": "function",
    "function": {
        "name": "echo",
        "description": "Repeat a word.",
        "parameters": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
    },
}
# Enough for a model that thinks before it speaks.
_REPLY = 400


@dataclass(frozen=True, slots=True)
class Probe:
    """The result of probing an endpoint; None means unknown.

    Attributes:
        seconds: until the first reply.
        window: the window in tokens, as the server reports it.
        keeps_stop: whether a stop sequence stays in the text.
        continues_assistant: whether a begun reply is continued.
        native_tools: whether it answers with tool calls.
    """

    seconds: float
    window: int | None
    keeps_stop: bool | None
    continues_assistant: bool | None
    native_tools: bool | None


async def probe(model: OpenAICompatibleModel) -> Probe:
    """Contact an endpoint and return its capabilities.

    Raises:
        UpstreamError: it does not answer even the simplest request.
    """
    message = Message("user", load("probe_repeat").render())
    started = time.perf_counter()
    request = Request((message,), stop=(_STOP,), max_tokens=_REPLY, temperature=0)
    stopped = _content(await model.exchange(model.path, without_stream(model.body(request))))
    return Probe(
        seconds=time.perf_counter() - started,
        window=await _window(model),
        keeps_stop=_shows_stop_sequence(stopped),
        continues_assistant=await _continues(model, message),
        native_tools=await _calls(model),
    )


def _shows_stop_sequence(text: str) -> bool | None:
    if _STOP in text:
        return True
    return False if text.rstrip().endswith(_BEGUN) else None


async def _continues(model: OpenAICompatibleModel, message: Message) -> bool | None:
    request = Request((message, Message("assistant", _BEGUN)), max_tokens=_REPLY, temperature=0)
    try:
        # As a stream: where llama-server does not stream, it gives the beginning back as a part of the reply.
        deltas = [delta async for delta in model.for_continuation().stream(request)]
    except UpstreamError as failure:
        return _false_if_refused(failure)
    words = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)).split()
    if words[:3] == _REST.split():
        return True
    return False if words[:3] == _BEGUN.split() else None


async def _calls(model: OpenAICompatibleModel) -> bool | None:
    if "messages" not in model.body(Request(())):
        return False
    question = Message("user", load("probe_call").render())
    request = Request((question,), max_tokens=_REPLY, temperature=0, tools=(_ECHO,))
    try:
        message = _first(await model.exchange(model.path, without_stream(model.body(request))), "message")
    except UpstreamError as failure:
        return _false_if_refused(failure)
    return bool(message.get("tool_calls")) or None


async def _window(model: OpenAICompatibleModel) -> int | None:
    try:
        return (await list_models(model)).window
    except UpstreamError:
        return None


def _false_if_refused(failure: UpstreamError) -> bool | None:
    """Return False for a refusal, and None for any other failure, which proves nothing."""
    return False if failure.status is not None and not failure.retryable else None


def _content(answer: Any) -> str:
    text = _first(answer, "message").get("content") or _first(answer).get("text")
    return text if isinstance(text, str) else ""


def _first(answer: Any, key: str = "") -> Mapping[str, Any]:
    """Return the first choice of a completion, or an object in it; an empty object if it has none."""
    choices = answer.get("choices") if isinstance(answer, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else {}
    value = choice.get(key) if key and isinstance(choice, dict) else choice
    return value if isinstance(value, dict) else {}
