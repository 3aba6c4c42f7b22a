"""A conversation's results in their contracted JSON forms: the same on the command line and over HTTP."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from quaestor.chat.events import TurnOutcome
from quaestor.core.config import Settings
from quaestor.core.documents import Hit
from quaestor.core.messages import Message, as_wire
from quaestor.corpus.corpus_json import unknown_objects
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.sessions.records import DecisionRun
from quaestor.window.window_values import Section

_BEGINNING = 48


def ask_object(question: str, outcome: TurnOutcome, settings: Settings) -> dict[str, Any]:
    """Return the answer to a single question; ``outcome`` is that of a finished turn."""
    done = outcome.done
    assert done is not None
    return {
        "question": question,
        "understood": list(outcome.understood),
        "missed": list(outcome.missed),
        "translated": list(outcome.translated),
        "unknown": unknown_objects(outcome.unknown),
        "answer": done.answer,
        "citations": [asdict(citation) for citation in outcome.citations],
        "unsupported": list(outcome.unsupported),
        "known": done.known,
        "unchecked": done.unchecked,
        "quotes": [asdict(quote) for quote in outcome.quotes],
        "nearest": [place_of(hit) for hit in outcome.nearest],
        "calls": outcome.calls,
        "model": done.model,
        "usage": asdict(done.usage),
        "window": {
            "limit": settings.window,
            "reserve": settings.reserve if outcome.reserve is None else outcome.reserve,
            "passages": len(outcome.hits),
            "sent": len(outcome.sent),
        },
    }


def place_of(hit: Hit) -> str:
    """Return where a hit begins: ``src/a.py:10``."""
    return f"{hit.path}:{hit.start_line}"


def passage_place(passage: Passage) -> dict[str, Any]:
    """Return a passage's place and number."""
    return {"n": passage.n, "path": passage.path, "start_line": passage.start_line, "end_line": passage.end_line}


def window_object(
    *, sections: Mapping[str, int], tokens: int, limit: int, reserve: int, decisions: Iterable[DecisionRun]
) -> dict[str, Any]:
    """Return a window without its messages."""
    return {
        "limit": limit,
        "reserve": reserve,
        "tokens": tokens,
        "sections": dict(sections),
        "decisions": [asdict(run) for run in decisions],
    }


def subject_of(run: DecisionRun, messages: Sequence[Message], passages: Sequence[str]) -> str:
    """Return the subject of a decision, for people.

    Args:
        run: the decision.
        messages: the messages of the conversation.
        passages: the place of each passage.
    """
    if run.kind not in ("message", "passage"):
        return run.kind
    if run.last > run.first:
        return f"{run.kind}s {run.first + 1} to {run.last + 1}"
    if run.kind == "passage":
        return passages[run.first] if run.first < len(passages) else f"passage {run.first + 1}"
    if run.first >= len(messages):
        return f"message {run.first + 1}"
    message = messages[run.first]
    words = " ".join(message.content.split())
    return f"{message.role} “{words[:_BEGINNING]}{'…' if len(words) > _BEGINNING else ''}”"


def by_name(sections: Mapping[Section, int]) -> dict[str, int]:
    """Return a window's sections as they are recorded."""
    return {str(name): count for name, count in sections.items()}


def wire_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return messages in OpenAI's wire form."""
    return [as_wire(message) for message in messages]
