"""What a turn sent, message by message, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from quaestor.chat.session_json import subject_of, window_object
from quaestor.core.messages import Message
from quaestor.llm.prompts.numbered_passages import where
from quaestor.llm.tokens import counter_for
from quaestor.sessions.records import Sent, TurnRecord
from quaestor.sessions.transcript import Transcript


def window_of(transcript: Transcript, turn: int) -> dict[str, Any]:
    """Return the requests of a turn that there is."""
    requests = transcript.requests(turn)
    said = _said(transcript.turns(), turn)
    places = [f"[{source.passage.n}] {where(source.passage)}" for source in transcript.sources(turn)]
    # The first request of a turn is composed from the instructions, what was said, and nothing else.
    head = _composed_from(requests[0]) - len(said) if requests else 0
    return {"turn": turn, "requests": [_request(sent, [*sent.messages[:head], *said], places) for sent in requests]}


def _said(turns: Sequence[TurnRecord], number: int) -> list[Message]:
    """Return the conversation up to a turn's question."""
    said: list[Message] = []
    for turn in turns:
        if turn.number < number and turn.ending.state == "done":
            said += [Message("user", turn.question), *turn.ending.messages]
        elif turn.number == number:
            said.append(Message("user", turn.question))
    return said


def _composed_from(sent: Sent) -> int:
    """Return the number of messages that a window was composed from."""
    return 1 + max((run.last for run in sent.decisions if run.kind == "message"), default=-1)


def _request(sent: Sent, messages: Sequence[Message], places: Sequence[str]) -> dict[str, Any]:
    count = counter_for(sent.model).message
    shown = window_object(
        sections=sent.sections, tokens=sent.tokens, limit=sent.limit, reserve=sent.reserve, decisions=()
    )
    return {
        **shown,
        "at": sent.at,
        "model": sent.model,
        "messages": [
            {"role": one.role, "name": one.name, "content": _text(one), "tokens": count(one)} for one in sent.messages
        ],
        "decisions": [{**asdict(run), "about": subject_of(run, messages, places)} for run in sent.decisions],
        "usage": None if sent.usage is None else asdict(sent.usage),
        "finish": sent.finish,
    }


def _text(message: Message) -> str:
    """Return what a message says, its calls included."""
    calls = (f"{call.name}({call.arguments})" for call in message.tool_calls)
    return "\n".join(filter(None, (message.content, *calls)))
