"""Changes that a model proposed, as the page shows them: what each is about, and its difference line by line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from quaestor.server.web.safe_text import plain, plain_line
from quaestor.sessions.records import CallRecord

_COLOURS = {"+": "inserted", "-": "deleted"}
_HEADS = ("+++ ", "--- ", "@@ ")


@dataclass(frozen=True, slots=True)
class Proposed:
    """One change that was proposed.

    Attributes:
        path: of the document that it would change.
        lines: of the difference, each with the name of its colour, which may be empty.
        applied: whether it was made.
    """

    path: str
    lines: tuple[tuple[str, str], ...]
    applied: bool = False


def proposed(calls: Iterable[CallRecord]) -> tuple[Proposed, ...]:
    """Return what calls proposed, as it was when they did."""
    return tuple(
        Proposed(_path(call), tuple(_lines(call.difference)), bool(call.applied)) for call in calls if call.difference
    )


def _path(call: CallRecord) -> str:
    try:
        return plain_line(str(json.loads(call.arguments)["path"]))
    except (ValueError, TypeError, KeyError):
        return "a document"


def _lines(difference: str) -> Iterator[tuple[str, str]]:
    for line in plain(difference).rstrip("\n").split("\n"):
        yield ("comment" if line.startswith(_HEADS) else _COLOURS.get(line[:1], "")), line
