"""What was sent, written down without repeating it: messages of the transcript by their numbers, other texts by their
hashes, and one decision for neighbours that share it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from quaestor.core.messages import Message, ToolCall
from quaestor.sessions.records import DecisionRun
from quaestor.window import Decision, Window
from quaestor.window.evidence import DOUBLE

Reference = int | dict[str, Any]

# The same passage may come under another number: its first line is kept apart from its text.
_PASSAGE = re.compile(r"(^<passage [^\n]*\n)", re.MULTILINE)


def refer(
    window: Window, messages: Sequence[Message], ids: Sequence[int | None]
) -> tuple[list[Reference], dict[str, str]]:
    """Return a reference for each message of a window, and the texts that references need, by hash.

    Args:
        window: what was composed from ``messages``.
        messages: the conversation.
        ids: each one's number in the transcript; None for what is not in it.
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
            references.append(described(message, texts) if known is None else known)
        else:
            references.append(described(message, texts))
    return references, texts


def resolve(
    references: Iterable[Reference], messages: Mapping[int, Message], texts: Mapping[str, str]
) -> tuple[Message, ...]:
    """Return the messages that references stand for: the inverse of ``refer``."""
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
    found: list[DecisionRun] = []
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
        found[-1:] = _joined(found[-1], run) if found else [run]
    return found


def passages_shown(decisions: Iterable[DecisionRun]) -> frozenset[int]:
    """Return the places, from 0, of the passages that the model sees, in the window's own message or an earlier one."""
    return frozenset(
        place
        for run in decisions
        if run.kind == "passage" and (run.action in ("kept", "trimmed") or run.reason == DOUBLE)
        for place in range(run.first, run.last + 1)
    )


def _joined(before: DecisionRun, run: DecisionRun) -> list[DecisionRun]:
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


def described(message: Message, texts: dict[str, str]) -> dict[str, Any]:
    """Return a message that is not in the transcript by the hashes of its pieces, and add those to ``texts``."""
    pieces = [piece for piece in _PASSAGE.split(message.content) if piece]
    hashes = [digest(piece) for piece in pieces]
    texts.update(zip(hashes, pieces, strict=True))
    found: dict[str, Any] = {"role": message.role, "pieces": hashes}
    if message.name is not None:
        found["name"] = message.name
    if message.tool_calls:
        found["calls"] = calls_of(message)
    if message.tool_call_id is not None:
        found["call"] = message.tool_call_id
    return found


def digest(text: str) -> str:
    """Return the hash under which a text is kept."""
    return hashlib.sha256(text.encode()).hexdigest()
