"""Rows of a session's tables as values, and back."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from quaestor.core.citation import Citation
from quaestor.core.errors import UsageError
from quaestor.core.messages import Message, Usage
from quaestor.sessions import sent_messages as packing
from quaestor.sessions.records import Ending, State
from quaestor.state.rows import Connection

LONGEST_TITLE = 200

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Return text that can be stored: lone surrogates are not text."""
    return _SURROGATE.sub("\ufffd", text)


def now() -> str:
    """Return the time, ISO 8601 in UTC, with microseconds so that records sort."""
    return ago(0.0)


def ago(seconds: float) -> str:
    """Return the time so many seconds ago, in the form of ``now``."""
    return (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat(timespec="microseconds")


def checked_title(text: str) -> str:
    """Return a session's title on one line.

    Raises:
        UsageError: it is empty or longer than ``LONGEST_TITLE`` letters.
    """
    title = " ".join(clean(text).split())
    if not title or len(title) > LONGEST_TITLE:
        raise UsageError(f"A title has 1 to {LONGEST_TITLE} letters, and this one has {len(title)}. Give another.")
    return title


def add_numbered(connection: Connection, table: str, row: Sequence[object]) -> int:
    """Add a row to a table whose first column counts its rows, and return its number."""
    values = f"(select coalesce(max(id), 0) + 1 from {table}){', ?' * len(row)}"
    return int(connection.execute(f"insert into {table} values ({values}) returning id", row).fetchone()[0])


def add_message(connection: Connection, turn: int, message: Message) -> int:
    """Add a message to a turn and return its number."""
    row = (
        turn,
        message.role,
        clean(message.content),
        message.name and clean(message.name),
        json.dumps(packing.calls_of(message)),
        message.tool_call_id,
    )
    return add_numbered(connection, "messages", row)


def message_of(row: Sequence[Any]) -> Message:
    """Return the message of a row: role, content, name, calls, call."""
    role, content, name, calls, call = row
    return Message(role, content, name, packing.calls_from(json.loads(calls)), call)


def ending_of(row: Sequence[Any] | None, messages: Sequence[Message], unchecked: str | None = None) -> Ending:
    """Return the ending of a row; without a row the turn is unfinished.

    Args:
        row: of the table of endings.
        messages: that the turn adds.
        unchecked: what was quoted beside an answer that is unchecked, as JSON; None for any other.
    """
    if row is None:
        return Ending("unfinished")
    _, _, state, known, model, error, partial, citations, unsupported, *usage = row
    return Ending(
        state=_state_of(state),
        messages=tuple(messages),
        known=bool(known),
        model=model,
        error=error,
        partial=partial,
        citations=tuple(Citation(**one) for one in json.loads(citations)),
        unsupported=tuple(json.loads(unsupported)),
        usage=Usage(usage[0], usage[1], bool(usage[2])),
        unchecked=unchecked is not None,
        quotes=tuple(Citation(**one) for one in json.loads(unchecked or "[]")),
    )


def _state_of(value: str) -> State:
    known: Mapping[str, State] = {"done": "done", "failed": "failed", "cancelled": "cancelled"}
    return known.get(value, "unfinished")


def as_shown(value: Any) -> Any:
    """Return a column's value as JSON can hold it."""
    return json.loads(zlib.decompress(value)) if isinstance(value, bytes) else value


def as_stored(column: str, value: Any) -> Any:
    """Return what ``as_shown`` was given.

    Raises:
        TypeError: it is not a value of a column.
    """
    if column == "decisions":
        return zlib.compress(json.dumps(value).encode())
    if value is not None and not isinstance(value, str | int | float):
        raise TypeError(column)
    return clean(value) if isinstance(value, str) else value
