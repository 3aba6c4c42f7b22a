"""Tool calls that a server sends as text: a reply that is nothing but JSON in the form of a call."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping

from quaestor.chat.growing import Growing
from quaestor.sessions.rounds import Asked

_FENCES = ("<tool_call>", "```json", "```", "[TOOL_CALLS]")
_WRAPPING = re.compile(r"</?tool_call>|```(?:json)?|\[TOOL_CALLS\]")
_BETWEEN = re.compile(r"[ \r\n\t,;]*")
_LONGEST_FENCE = max(map(len, _FENCES))


class TextCalls:
    """Holds back a reply that may turn out to be a call, and passes on any other.

    Args:
        names: of the subroutines that there are; text that names no such is text.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = frozenset(names)
        self._held = Growing()
        self._begins = ""  # the first letters that are no blanks: they tell
        self._passing = not names

    def feed(self, text: str) -> str:
        """Return what is certain to be text after this piece."""
        if self._passing:
            return text
        self._held.add(text)
        if len(self._begins) < _LONGEST_FENCE:
            self._begins = (self._begins + text).lstrip()[:_LONGEST_FENCE]
            self._passing = not _may_be_a_call(self._begins)
        return self._released() if self._passing else ""

    def finish(self) -> tuple[str, tuple[Asked, ...]]:
        """Return what was held back as text, or as the calls that it is."""
        calls = self._calls(_WRAPPING.sub("\n", self._held.text))
        if calls:
            self._held = Growing()
        return self._released(), calls

    def _released(self) -> str:
        held, self._held = self._held.text, Growing()
        return held

    def _calls(self, text: str) -> tuple[Asked, ...]:
        """Return the calls that a text consists of, or none if anything else is in it."""
        decoder = json.JSONDecoder(strict=False)
        found: list[object] = []
        at = _BETWEEN.match(text, 0).end()  # type: ignore[union-attr] # it matches nothing as well
        while at < len(text):
            try:
                value, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                return ()
            found += value if isinstance(value, list) else [value]
            at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        calls = [self._call(value, number) for number, value in enumerate(found, 1)]
        return tuple(call for call in calls if call is not None) if all(calls) else ()

    def _call(self, value: object, number: int) -> Asked | None:
        if not isinstance(value, Mapping):
            return None
        inner = value.get("function")
        value = inner if isinstance(inner, Mapping) else value
        name, arguments = value.get("name"), value.get("arguments", value.get("parameters", {}))
        if not isinstance(name, str) or name not in self._names:
            return None
        return call_of(f"text_{number}", name, arguments if isinstance(arguments, str) else json.dumps(arguments))


def call_of(identifier: str, name: str, arguments: str) -> Asked:
    """Return a call whose arguments are JSON text, as tool calls have it."""
    try:
        value = json.loads(arguments or "{}", strict=False)
    except (ValueError, RecursionError) as error:
        return Asked(identifier, name, raw=arguments, problem=f"the arguments are not JSON ({error})")
    if not isinstance(value, dict):
        return Asked(identifier, name, raw=arguments, problem="the arguments are no JSON object")
    return Asked(identifier, name, value, arguments)


def _may_be_a_call(text: str) -> bool:
    begun = not text or text[0] in "{[" or text.startswith(_FENCES)
    return begun or (len(text) < _LONGEST_FENCE and any(fence.startswith(text) for fence in _FENCES))
