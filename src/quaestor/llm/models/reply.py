"""Collecting one streamed reply: text without stop sequences, tool calls, finish reason and usage.

Special tokens that were broken up in the request are restored.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from quaestor.core.messages import ToolCall, Usage
from quaestor.llm import tags
from quaestor.llm.chatml import Restorer
from quaestor.llm.models import Finished, FinishReason, Request
from quaestor.llm.models.neutral_messages import restored_arguments
from quaestor.llm.models.reply_stream import StopCutter
from quaestor.llm.tokens import MessageCounter

_LONGEST_NAME = 1_000


@dataclass(slots=True)  # mutable: grows by deltas
class _Pieces:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class ToolCallAssembler:
    """Collects deltas into complete calls.

    Tolerates what servers do: no index, the same index for different calls, an identifier or a name that is repeated
    in each delta, arguments as an object instead of text, no identifier at all.
    """

    def __init__(self) -> None:
        self._calls: list[_Pieces] = []
        self._by_index: dict[int, _Pieces] = {}

    def feed(self, deltas: Any) -> None:
        """Process the ``tool_calls`` of one delta, or of a whole message."""
        if isinstance(deltas, list | tuple):
            for position, delta in enumerate(deltas):
                self._feed_one(delta, position)

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls that have a name, in the order in which they began."""
        complete = [pieces for pieces in self._calls if pieces.name]
        return tuple(
            # Nine letters and digits, the only form that Mistral's templates take.
            ToolCall(
                pieces.id or f"call{number:05}", pieces.name, restored_arguments("".join(pieces.arguments)) or "{}"
            )
            for number, pieces in enumerate(complete, 1)
        )

    def __bool__(self) -> bool:
        return bool(self._calls)

    def _feed_one(self, delta: Any, position: int) -> None:
        function = getattr(delta, "function", None)
        index = getattr(delta, "index", None)
        pieces = self._pieces(index if isinstance(index, int) else position, _text(getattr(delta, "id", None)))
        name = _text(getattr(function, "name", None))
        if name and name != pieces.name:
            pieces.name = (pieces.name + name)[:_LONGEST_NAME]
        if arguments := _arguments(getattr(function, "arguments", None)):
            pieces.arguments.append(arguments)

    def _pieces(self, index: int, identifier: str) -> _Pieces:
        pieces = self._by_index.get(index)
        if pieces is None or (identifier and pieces.id and identifier != pieces.id):
            pieces = _Pieces()
            self._calls.append(pieces)
            self._by_index[index] = pieces
        pieces.id = pieces.id or identifier
        return pieces


def _text(value: Any) -> str:
    """Return a value's text without lone surrogates, so that it can be printed and stored."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _arguments(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=vars)


_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}


_MOST_TOKENS = 1_000_000_000


class Reply:
    """Collects the chunks of a stream; every field of them may be missing or of another type.

    Attributes:
        text: the visible text so far.
        reason: the server's finish reason; None until the reply ends.
        chunks: the number of chunks that looked like a completion.
        thinking: whether the server sent reasoning separately.
        restores: whether special tokens were broken up in the request and are restored.
    """

    def __init__(self, request: Request) -> None:
        self._stops = StopCutter(request.stop)
        self._restorer = Restorer(tags.OPENINGS)
        self._calls = ToolCallAssembler()
        self._reported: Usage | None = None
        self._model: str | None = None
        self._stop_reason: str | None = None
        self._request = request
        self._pieces: list[str] = []
        self.reason: str | None = None
        self.chunks = 0
        self.thinking = False
        self.surplus = False
        self.restores = True

    @property
    def text(self) -> str:
        """The visible text so far."""
        return "".join(self._pieces)

    @property
    def is_complete(self) -> bool:
        """Whether the reply is whole: the server said why it ended, or a stop sequence was met."""
        return self.reason is not None or self._stops.stop_met is not None

    @property
    def empty_for_length(self) -> bool:
        """Whether the reply is empty and ended by its length, as some servers answer an overlong request."""
        generated = self._reported.completion_tokens if self._reported else 0
        spoken = self._pieces or self._restorer.holds_text_back
        silent = not spoken and not self._calls and not self.thinking and self._stops.stop_met is None
        return _REASONS.get(self.reason or "") == "length" and silent and generated <= 1

    def feed(self, chunk: Any) -> str:
        """Process a chunk and return the text that can be shown now."""
        self._read_usage(getattr(chunk, "usage", None))
        model = getattr(chunk, "model", None)
        self._model = model if isinstance(model, str) and model else self._model
        choices = getattr(chunk, "choices", None)
        if not isinstance(choices, list):
            return ""
        self.chunks += 1
        return "".join(self._feed_choice(choice) for choice in choices if not getattr(choice, "index", 0))

    def flush(self) -> str:
        """Return text that was held back as the possible start of a stop sequence or of a special token."""
        return self._visible(self._restore(self._stops.flush()) + self._restorer.flush())

    def finish(self, counter: MessageCounter) -> Finished:
        """Return the end of the reply, with usage counted here if the server reported none."""
        calls = self._calls.calls()
        reason = _REASONS.get(self.reason or "", "unknown")
        if self._stops.stop_met is not None:
            reason = "stop"
        elif calls and reason in ("stop", "unknown"):
            reason = "tool_calls"
        return Finished(
            reason=reason,
            usage=self._reported or self._counted_usage(counter),
            stop_sequence=self._stops.stop_met or self._stop_reason,
            tool_calls=calls,
            model=self._model,
        )

    def _feed_choice(self, choice: Any) -> str:
        reason = getattr(choice, "finish_reason", None)
        self.reason = reason if isinstance(reason, str) and reason else self.reason
        stop = getattr(choice, "stop_reason", None)
        self._stop_reason = stop if isinstance(stop, str) and stop in self._request.stop else self._stop_reason
        delta = getattr(choice, "delta", None) or getattr(choice, "message", None)
        if getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None):
            self.thinking = True
        self._calls.feed(getattr(delta, "tool_calls", None))
        content = getattr(delta, "content", None) if delta is not None else getattr(choice, "text", None)
        if not isinstance(content, str) or not content:
            return ""
        self.surplus = self._stops.stop_met is not None
        return self._visible(self._restore(self._stops.feed(content)))

    def _restore(self, text: str) -> str:
        return self._restorer.feed(text) if self.restores else text

    def _visible(self, text: str) -> str:
        if text:
            self._pieces.append(text)
        return text

    def _read_usage(self, usage: Any) -> None:
        prompt = getattr(usage, "prompt_tokens", None)
        completion = getattr(usage, "completion_tokens", None)
        if _is_count(prompt) and _is_count(completion):
            self._reported = Usage(prompt, completion, reported=True)

    def _counted_usage(self, counter: MessageCounter) -> Usage:
        calls = sum(counter.text(call.name) + counter.text(call.arguments) for call in self._calls.calls())
        sent = counter.request(self._request.messages, self._request.tools)
        return Usage(sent, counter.text(self.text) + calls, reported=False)


def _is_count(value: Any) -> TypeGuard[int]:
    """Return whether a value from a server is a plausible number of tokens."""
    return isinstance(value, int) and 0 <= value <= _MOST_TOKENS
