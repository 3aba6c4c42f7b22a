"""Every step of a turn as it is streamed."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from quaestor.chat import events
from quaestor.chat.events import Event
from quaestor.core.documents import Chunk, Citation, Document, Hit, Span
from quaestor.core.errors import LimitError, UpstreamError, WindowError
from quaestor.core.messages import Message, Usage
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.server.api.turn_routes import encode_event, failure
from quaestor.sessions.records import Plan
from quaestor.window import Window

HIT = Hit(
    Document("a.py", "0f", 10, 1, "python", title="A", url="https://example.org/a"),
    Chunk(Span(0, 10, 3, 4), "x = 1\n", "x", "block", ("A",)),
    0.5,
)
PASSAGE = Passage(2, "b.md", 1, 9, "text")
USAGE = Usage(10, 2, reported=True)
WINDOW = Window((Message("user", "q"),), 12, 100, 20, (), (), {"question": 12})

EXAMPLES: list[tuple[Event, str, Any]] = [
    (
        events.Searching("why", ("since 2020",), ("by Ana",)),
        "searching",
        {"query": "why", "understood": ["since 2020"], "missed": ["by Ana"], "translated": [], "unknown": []},
    ),
    (
        events.Passages((HIT,), True, (7,)),
        "passages",
        {
            "known": True,
            "passages": [
                {
                    "n": 7,
                    "path": "a.py",
                    "start_line": 3,
                    "end_line": 4,
                    "score": 0.5,
                    "symbol": "A.x",
                    "language": "python",
                    "text": "x = 1\n",
                    "title": "A",
                    "url": "https://example.org/a",
                    "author": None,
                    "date": None,
                    "sha256": "0f",
                    "fresh": True,
                    "also": [],
                }
            ],
        },
    ),
    (events.Summarising(3), "summarising", {"messages": 3}),
    (
        events.Composed(WINDOW, "tiny"),
        "composed",
        {"model": "tiny", "tokens": 12, "limit": 100, "reserve": 20, "sections": {"question": 12}, "sent": 0},
    ),
    (events.Retried("too long", 900), "retried", {"reason": "too long", "limit": 900}),
    (
        events.Premeditated(Plan("asked", "depends", ("search",), False, "")),
        "premeditated",
        {"plan": {"asked": "asked", "depends": "depends", "subroutines": ["search"], "edit": False, "problem": ""}},
    ),
    (events.Called("search", {"query": "x"}), "called", {"name": "search", "arguments": {"query": "x"}}),
    (
        events.Returned("search", "found", (PASSAGE,)),
        "returned",
        {
            "name": "search",
            "text": "found",
            "passages": [{"n": 2, "path": "b.md", "start_line": 1, "end_line": 9}],
            "failed": False,
        },
    ),
    (events.Proposed("a change"), "proposed", {"diff": "of a change", "paths": []}),
    (events.Text("<b>"), "text", {"text": "<b>"}),
    (events.Stopped("enough"), "stopped", {"reason": "enough"}),
    (
        events.Citations(
            (Citation(1, "a.py", 1, 2, "x", "repaired"),), ("So.",), (Citation(2, "b", 3, 3, "y", "verified"),)
        ),
        "citations",
        {
            "citations": [
                {
                    "n": 1,
                    "path": "a.py",
                    "start_line": 1,
                    "end_line": 2,
                    "quote": "x",
                    "status": "repaired",
                    "url": None,
                }
            ],
            "unsupported": ["So."],
            "quotes": [
                {"n": 2, "path": "b", "start_line": 3, "end_line": 3, "quote": "y", "status": "verified", "url": None}
            ],
        },
    ),
    (
        events.Done("answer", True, "tiny", USAGE),
        "done",
        {
            "answer": "answer",
            "known": True,
            "unchecked": False,
            "model": "tiny",
            "usage": {"prompt_tokens": 10, "completion_tokens": 2, "reported": True},
            "cost": 0.25,
        },
    ),
]


def test_every_class_of_events_is_here() -> None:
    assert {type(event) for event, _, _ in EXAMPLES} == set(get_args(Event))


@pytest.mark.parametrize(("event", "name", "data"), EXAMPLES, ids=[name for _, name, _ in EXAMPLES])
def test_an_event_is_a_name_and_an_object(event: Event, name: str, data: Any) -> None:
    made = encode_event(event, change=lambda proposal: {"diff": f"of {proposal}", "paths": []}, cost=lambda _: 0.25)
    assert made[0] == name
    assert json.loads(json.dumps(made[1])) == data


def test_errors() -> None:
    assert failure(UpstreamError("down", retryable=True)) == (
        "error",
        {"code": "upstream", "message": "down", "retryable": True},
    )
    assert failure(LimitError("enough"))[1]["retryable"] is False
    assert failure(WindowError("too long \ud800", needed=2, limit=1))[1] == {
        "code": "context_length_exceeded",
        "message": "too long ?",
        "retryable": False,
    }
