"""What was sent to a model, as the page shows it: a bar of its parts, and why each thing was in or out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quaestor.server.web.safe_text import plain_line

_WIDTH = 1000
_BEGINNING = 120
# As they stand in a request; what is not named here comes last.
_ORDER = "system examples tools summary recalled recent notes passages question reply reserve".split()
_NAMES = {
    "system": "instructions",
    "recent": "earlier turns",
    "reply": "start of the reply",
    "reserve": "free for the reply",
}
_OUT = frozenset({"dropped", "summarised"})


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the bar.

    Attributes:
        name: of the section.
        css: the class of its colour, after ``s-``.
        x: where it begins, of 1000.
        width: of 1000.
    """

    name: str
    css: str
    x: float
    width: float

    @property
    def share(self) -> int:
        """Of the whole, in percent."""
        return round(self.width * 100 / _WIDTH)


def request_view(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request as the page shows it.

    Args:
        sent: as ``GET /api/sessions/{id}/window`` tells it.
    """
    bar = _bar(sent)
    said = ", ".join(f"{part.name} {part.share} %" for part in bar)
    decisions = sent["decisions"]
    return {
        **{name: sent[name] for name in ("model", "limit", "reserve", "tokens", "finish")},
        "bar": bar,
        "bar_said": f"Of the model’s room: {said}",
        "kept": [one for one in decisions if one["action"] not in _OUT],
        "left_out": [one for one in decisions if one["action"] in _OUT],
        "messages": [{**message, "begins": _begins(message["content"])} for message in sent["messages"]],
    }


def _bar(sent: Mapping[str, Any]) -> list[Part]:
    whole = max(sent["limit"], sent["tokens"] + sent["reserve"], 1)
    parts, x = [], 0.0
    sections = {**sent["sections"], "reserve": sent["reserve"]}
    for name in sorted(sections, key=_place):
        tokens = sections[name]
        width = tokens * _WIDTH / whole
        if tokens > 0:
            parts.append(Part(_NAMES.get(name, name), name.replace(" ", "-"), round(x, 2), round(width, 2)))
            x += width
    return parts


def _place(section: str) -> int:
    return _ORDER.index(section) if section in _ORDER else len(_ORDER)


def _begins(content: str) -> str:
    return plain_line(content[: 2 * _BEGINNING])[:_BEGINNING]
