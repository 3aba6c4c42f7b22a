"""Values of a session as rows of its tables, and back; requests are stored without repeating messages.

A request refers to messages of the transcript by number and to other texts by hash; neighbours with the same decision
share one.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from quaestor.core.documents import Citation
from quaestor.core.errors import UsageError
from quaestor.core.messages import Message, ToolCall, Usage, without_surrogates
from quaestor.sessions.records import DecisionRun, Ending, State
from quaestor.state.rows import Connection
from quaestor.window import Decision, Window
from quaestor.window.passage_placing import DOUBLE

LONGEST_TITLE = 200

Reference = int | dict[str, Any]

# The same passage may come under another number: its first line is kept apart from its text.
_PASSAGE = re.compile(r"(^<passage [^\n]*\n)", re.MULTILINE)


def now() -> str:
    """Return the time, ISO 8601 in UTC, with microseconds so that records sort."""
    return ago(0.0)


def ago(seconds: float) -> str:
    """Return the time some seconds ago, in the form of ``now``."""
    return (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat(timespec="microseconds")


def checked_title(text: str) -> str:
    """Return a session's title on one line.

    Raises:
        UsageError: it is empty or longer than ``LONGEST_TITLE`` letters.
    """
    title = " ".join(without_surrogates(text).split())
    if not title or len(title) > LONGEST_TITLE:
        raise UsageError(f"A title has 1 to {LONGEST_TITLE} characters; this one has {len(title)}. Give another.")
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
        without_surrogates(message.content),
        message.name and without_surrogates(message.name),
        json.dumps(calls_of(message)),
        message.tool_call_id,
    )
    return add_numbered(connection, "messages", row)


def message_of(row: Sequence[Any]) -> Message:
    """Return the message of a row: role, content, name, calls, call."""
    role, content, name, calls, call = row
    return Message(role, content, name, calls_from(json.loads(calls)), call)


def ending_of(row: Sequence[Any] | None, messages: Sequence[Message], unchecked: str | None = None) -> Ending:
    """Return the ending of a row; without a row the turn is unfinished.

    Args:
        row: a row of the table of endings.
        messages: those that the turn adds.
        unchecked: quotes beside an unchecked answer, as JSON; None for other answers.
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
    """Return a column's value in a form that JSON can represent."""
    return json.loads(zlib.decompress(value)) if isinstance(value, bytes) else value


def as_stored(column: str, value: Any) -> Any:
    """Return the value that ``as_shown`` was given.

    Raises:
        TypeError: it is not a value of a column.
    """
    if column == "decisions":
        return zlib.compress(json.dumps(value).encode())
    if value is not None and not isinstance(value, str | int | float):
        raise TypeError(column)
    return without_surrogates(value) if isinstance(value, str) else value


def refer(
    window: Window, messages: Sequence[Message], ids: Sequence[int | None]
) -> tuple[list[Reference], dict[str, str]]:
    """Return a reference for each message of a window, and the texts that references need, by hash.

    Args:
        window: composed from ``messages``.
        messages: the conversation.
        ids: their numbers in the transcript, or None.
    """
    whole = [
        decision.index
        for decision in window.decisions
        if decision.kind == "message" and decision.action in ("kept", "recalled")
    ]
    references: list[Reference] = []
    texts: dict[str, str] = {}
    at = 0
    for message in window.messages:
        if at < len(whole) and messages[whole[at]] == message:
            known = ids[whole[at]]
            at += 1
            references.append(describe_message(message, texts) if known is None else known)
        else:
            references.append(describe_message(message, texts))
    return references, texts


def resolve(
    references: Iterable[Reference], messages: Mapping[int, Message], texts: Mapping[str, str]
) -> tuple[Message, ...]:
    """Return the messages of references: the inverse of ``refer``."""
    return tuple(
        messages[one]
        if isinstance(one, int)
        else Message(
            one["role"],
            "".join(texts[piece] for piece in one["pieces"]),
            one.get("name"),
            calls_from(one.get("calls", [])),
            one.get("call"),
        )
        for one in references
    )


def calls_from(values: Iterable[Sequence[str]]) -> tuple[ToolCall, ...]:
    """Return tool calls from lists of id, name and arguments."""
    return tuple(ToolCall(*map(str, value)) for value in values)


def calls_of(message: Message) -> list[list[str]]:
    """Return a message's tool calls as lists of id, name and arguments."""
    return [[call.id, call.name, call.arguments] for call in message.tool_calls]


def runs(decisions: Iterable[Decision]) -> list[DecisionRun]:
    """Return decisions with neighbours joined that are left out for the same reason."""
    decision_runs: list[DecisionRun] = []
    for decision in decisions:
        run = DecisionRun(
            decision.kind,
            decision.index,
            decision.index,
            decision.action,
            decision.section,
            decision.tokens,
            decision.full_tokens,
            decision.reason,
        )
        decision_runs[-1:] = _join_runs(decision_runs[-1], run) if decision_runs else [run]
    return decision_runs


def passages_shown(decisions: Iterable[DecisionRun]) -> frozenset[int]:
    """Return the places, from 0, of the passages that the model sees, in the window's own message or an earlier one."""
    return frozenset(
        place
        for run in decisions
        if run.kind == "passage" and (run.action in ("kept", "trimmed") or run.reason == DOUBLE)
        for place in range(run.first, run.last + 1)
    )


def _join_runs(before: DecisionRun, run: DecisionRun) -> list[DecisionRun]:
    same = (before.kind, before.action, before.section, before.reason) == (
        run.kind,
        run.action,
        run.section,
        run.reason,
    )
    if not same or run.tokens or before.last + 1 != run.first:
        return [before, run]
    full = before.full_tokens + run.full_tokens
    return [
        DecisionRun(run.kind, before.first, run.last, run.action, run.section, 0, full, run.reason),
    ]


def describe_message(message: Message, texts: dict[str, str]) -> dict[str, Any]:
    """Return a message that is not in the transcript by the hashes of its pieces, and add those to ``texts``."""
    pieces = [piece for piece in _PASSAGE.split(message.content) if piece]
    hashes = [digest(piece) for piece in pieces]
    texts.update(zip(hashes, pieces, strict=True))
    description: dict[str, Any] = {"role": message.role, "pieces": hashes}
    if message.name is not None:
        description["name"] = message.name
    if message.tool_calls:
        description["calls"] = calls_of(message)
    if message.tool_call_id is not None:
        description["call"] = message.tool_call_id
    return description


def digest(text: str) -> str:
    """Return the hash under which a text is kept."""
    return hashlib.sha256(text.encode()).hexdigest()
