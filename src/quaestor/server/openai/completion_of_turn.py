"""A turn's events as a completion, whole or in chunks."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from quaestor.chat.events import Composed, Done, Event, Passages, Searching
from quaestor.chat.outcome import TurnOutcome
from quaestor.core.messages import ToolCall, Usage
from quaestor.sessions.sent_messages import passages_shown, runs
from quaestor.window import Window

_IN_WHOLE = frozenset({"kept", "recalled"})


@dataclass(slots=True)  # mutable: filled by the events of a turn
class Reply:
    """One completion under way.

    Attributes:
        model: as the client named it.
        outcome: what the events add up to.
        window: of the last request to the model; None before it, and where there is no model.
        retrieval_seconds: that the search for passages took.
    """

    model: str
    outcome: TurnOutcome = field(default_factory=TurnOutcome)
    window: Window | None = None
    retrieval_seconds: float = 0.0
    _searching: float = 0.0
    _id: str = field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(12)}")
    _created: int = field(default_factory=lambda: int(time.time()))

    def take(self, event: Event) -> None:
        """Take the next event."""
        self.outcome.take(event)
        match event:
            case Searching():
                self._searching = time.perf_counter()
            case Passages():
                self.retrieval_seconds = time.perf_counter() - self._searching
            case Composed(window=window):
                self.window = window

    @property
    def done(self) -> Done:
        """The end of the turn."""
        assert self.outcome.done is not None
        return self.outcome.done

    def whole(self) -> dict[str, Any]:
        """Return the object of an answer that is not streamed."""
        calls = [_call(call) for call in self.done.calls]
        message: dict[str, Any] = {"role": "assistant", "content": self.done.answer or (None if calls else "")}
        message |= {"refusal": None, "quaestor": self._checked()}
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self._reason()}
        return {**self._object("chat.completion", [choice]), "usage": _usage(self.done.usage)}

    def first(self) -> dict[str, Any]:
        """Return the chunk that says who speaks."""
        return self._chunk({"role": "assistant", "content": "", "refusal": None})

    def text(self, text: str) -> dict[str, Any]:
        """Return the chunk of a piece of the answer."""
        return self._chunk({"content": text})

    def last(self) -> Iterator[dict[str, Any]]:
        """Yield the chunks with the calls, and with why the answer ended."""
        for index, call in enumerate(self.done.calls):
            yield self._chunk({"tool_calls": [{"index": index, **_call(call)}]})
        yield {**self._chunk({}, self._reason()), "quaestor": self._checked()}

    def usage(self) -> dict[str, Any]:
        """Return the chunk that holds nothing but the usage."""
        return {**self._object("chat.completion.chunk", []), "usage": _usage(self.done.usage)}

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return self._object("chat.completion.chunk", [choice])

    def _object(self, kind: str, choices: list[Any]) -> dict[str, Any]:
        return {"id": self._id, "object": kind, "created": self._created, "model": self.model, "choices": choices}

    def _reason(self) -> str:
        if self.done.calls:
            return "tool_calls"
        return self.done.finish if self.done.finish in ("length", "content_filter") else "stop"

    def _checked(self) -> dict[str, Any]:
        return {
            "known": self.done.known,
            "unchecked": self.done.unchecked,
            "quotes": [asdict(quote) for quote in self.outcome.quotes],
            "citations": [asdict(citation) for citation in self.outcome.citations],
            "unsupported": list(self.outcome.unsupported),
            "model": self.done.model,
            "window": None if self.window is None else _shown(self.window),
            "retrieval_seconds": round(self.retrieval_seconds, 6),
        }


def _shown(window: Window) -> dict[str, Any]:
    messages = (one for one in window.decisions if one.kind == "message")
    return {
        "limit": window.limit,
        "reserve": window.reserve,
        "tokens": window.tokens,
        "sections": dict(window.sections),
        "passages": sum(one.kind == "passage" for one in window.decisions),
        "sent": len(passages_shown(runs(window.decisions))),
        "left_out": sum(one.action not in _IN_WHOLE for one in messages),
    }


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
    }
