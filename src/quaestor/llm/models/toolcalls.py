"""Putting tool calls together from the pieces in which servers send them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from quaestor.core.messages import ToolCall
from quaestor.llm.models.neutral_messages import restored_arguments

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
        """Take the ``tool_calls`` of one delta, or of a whole message."""
        if isinstance(deltas, list | tuple):
            for position, delta in enumerate(deltas):
                self._feed_one(delta, position)

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls that have a name, in the order in which they began."""
        named = [pieces for pieces in self._calls if pieces.name]
        return tuple(
            # Nine letters and digits, the only form that Mistral's templates take.
            ToolCall(
                pieces.id or f"call{number:05}", pieces.name, restored_arguments("".join(pieces.arguments)) or "{}"
            )
            for number, pieces in enumerate(named, 1)
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
    """Return a text that can be told and stored: halves of surrogate pairs are none."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _arguments(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=vars)
