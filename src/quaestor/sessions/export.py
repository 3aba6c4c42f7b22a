"""Exporting sessions: JSON, which is complete and can be imported, and Markdown for people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from quaestor.core.errors import UsageError
from quaestor.core.messages import Message, Role, ToolCall, as_wire
from quaestor.llm import chatml
from quaestor.sessions.records import CallRecord, Ending, TurnRecord
from quaestor.sessions.session_tables import SessionUnusableError
from quaestor.sessions.transcript import Transcript
from quaestor.state.rows import RowsRefusedError

FORMAT = "quaestor-session"
VERSION = 1
Form = Literal["json", "markdown", "chatml"]
_ROLES: Mapping[str, Role] = {role: role for role in get_args(Role)}


def as_json(transcript: Transcript) -> dict[str, Any]:
    """Return a session as one JSON object: the conversation for other programs, and every row for ``read_json``."""
    messages, _ = transcript.conversation()
    return {
        "format": FORMAT,
        "version": VERSION,
        "id": transcript.id,
        "created": transcript.created,
        "owner": transcript.owner,
        "root": transcript.root,
        "messages": [as_wire(message) for message in messages],
        "tables": transcript.dump(),
    }


def export_file(transcript: Transcript, form: Form) -> str:
    """Return a session as a file to take along: all of it as JSON, Markdown for people, or ChatML's tokens as JSON."""
    if form == "markdown":
        return as_markdown(transcript.turns(), transcript.calls())
    if form == "chatml":
        messages, _ = transcript.conversation()
        return json.dumps(chatml.render(messages), indent=1) + "\n"
    return json.dumps(as_json(transcript), indent=1) + "\n"


def read_json(text: str, transcript: Transcript) -> None:
    """Fill a new session from what ``as_json`` gave, or from any object with ``messages`` in OpenAI's form.

    Raises:
        UsageError: it is neither; the session is of no use then.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"the file to import is not JSON ({error}); give one that `quaestor sessions export` wrote"
        ) from None
    if not isinstance(value, dict):
        raise UsageError("the file to import holds no JSON object; give one that `quaestor sessions export` wrote")
    if value.get("format") != FORMAT:
        return _read_messages(value.get("messages"), transcript)
    if value.get("version") != VERSION:
        raise UsageError(
            f"the file to import has version {value.get('version')!r}; this Quaestor reads version {VERSION}"
        )
    try:
        transcript.load(value["tables"])
        transcript.conversation()
        transcript.turns()
        transcript.requests()
        transcript.sources()
    except (SessionUnusableError, RowsRefusedError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"the file to import is not a complete session ({error}); export it again") from None


def as_markdown(turns: Sequence[TurnRecord], calls: Sequence[CallRecord] = ()) -> str:
    """Return the conversation for people.

    Questions, answers, even partial ones, how unfinished turns ended, proposed changes, and sources.
    """
    proposed: dict[int, list[CallRecord]] = {}
    for call in calls:
        if call.difference:
            proposed.setdefault(call.turn, []).append(call)
    lines = (line for turn in turns for line in _turn_lines(turn, proposed.get(turn.number, ())))
    return "\n".join(lines).strip() + "\n"


def _turn_lines(turn: TurnRecord, proposed: Iterable[CallRecord]) -> list[str]:
    ending = turn.ending
    lines = [f"## {turn.number}. {' '.join(turn.question.split())[:100]}", "", turn.question, ""]
    changes = [line for call in proposed for line in _fence_lines(call.difference, is_applied=bool(call.applied))]
    if ending.state != "done":
        detail = f": {ending.error}" if ending.error else ""
        written = [ending.partial, ""] if ending.partial.strip() else []
        return [*lines, *written, *changes, f"*({ending.state}{detail})*", ""]
    lines += [turn.answer, "", *changes]
    lines += [f"- [{one.n}] `{one.path}:{one.start_line}-{one.end_line}` ({one.status})" for one in ending.citations]
    return [*lines, "", f"*{ending.model}, {turn.began}*", "", *_feedback(turn)]


def _feedback(turn: TurnRecord) -> list[str]:
    if turn.feedback is None:
        return []
    words = " ".join(turn.feedback.words.split())
    return [f"*Found {'useful' if turn.feedback.useful else 'not useful'}{': ' if words else ''}{words}*", ""]


def _fence_lines(difference: str, *, is_applied: bool) -> list[str]:
    """Return a difference as a block of code; no line of it can end the block."""
    fence = max([*re.findall("`{3,}", difference), "``"], key=len) + "`"
    return [
        "Proposed, and applied:" if is_applied else "Proposed, and not applied:",
        "",
        f"{fence}diff",
        difference.rstrip("\n"),
        fence,
        "",
    ]


def _read_messages(values: object, transcript: Transcript) -> None:
    """Add a conversation of another program; messages before the first question join that turn."""
    if not isinstance(values, list) or not values:
        raise UsageError("the file to import has no `messages`; give a session or a conversation in OpenAI's form")
    messages = [_message(value) for value in values]
    for turn in _turns([message for message in messages if message.role != "system"]):
        number, _ = transcript.begin(turn[0])
        transcript.end(number, Ending("done", messages=tuple(turn[1:]), known=True, model="imported"))


def _turns(messages: Sequence[Message]) -> list[list[Message]]:
    turns: list[list[Message]] = []
    for message in messages:
        if message.role == "user" or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns


def _message(value: object) -> Message:
    """Return a message from its JSON in OpenAI's form.

    Raises:
        UsageError: ``value`` is not a message.
    """
    try:
        assert isinstance(value, dict)
        content = value.get("content")
        calls = tuple(
            ToolCall(str(call["id"]), str(call["function"]["name"]), str(call["function"]["arguments"]))
            for call in value.get("tool_calls") or ()
        )
        name, answered = value.get("name"), value.get("tool_call_id")
        return Message(
            _ROLES[value["role"]],
            content if isinstance(content, str) else _parts(content),
            name if isinstance(name, str) else None,
            calls,
            answered if isinstance(answered, str) else None,
        )
    except (AssertionError, LookupError, TypeError) as error:
        shown = json.dumps(value, ensure_ascii=False)[:80]
        raise UsageError(f"the file to import has an invalid message ({type(error).__name__}): {shown}") from None


def _parts(content: object) -> str:
    """Return the text of content in parts."""
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and "text" in part)


def write_export(transcript: Transcript, path: Path, form: Form) -> None:
    """Write a session to a new file.

    Raises:
        UsageError: the file exists.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(export_file(transcript, form))
    except FileExistsError:
        raise UsageError(f"{str(path)!r} exists; give the name of a new file") from None
