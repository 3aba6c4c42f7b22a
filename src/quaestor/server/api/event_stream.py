"""The steps of a turn as they are streamed: a name and a JSON object each. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, assert_never

from quaestor.chat.events import (
    Called,
    Citations,
    Composed,
    Done,
    Event,
    Passages,
    Premeditated,
    Proposed,
    Retried,
    Returned,
    Searching,
    Stopped,
    Summarising,
    Text,
)
from quaestor.chat.session_json import by_name, passage_place
from quaestor.core.errors import QuaestorError
from quaestor.core.passages import Hit
from quaestor.corpus.corpus_json import hit_object, unknown_objects
from quaestor.server.http.error_responses import code, text_of
from quaestor.sessions.sent_messages import passages_shown, runs

Object = dict[str, Any]
Cost = Callable[[Done], float | None]
Change = Callable[[object], Object]


def encoded(event: Event, *, change: Change, cost: Cost) -> tuple[str, Object]:  # noqa: PLR0911, PLR0912
    """Return an event's name and its object: one case for each kind of event.

    Args:
        event: the event.
        change: shows what was proposed: its ``diff`` and the ``paths`` that it is about.
        cost: tells what a turn cost; None where no price is known.
    """
    match event:
        case Searching(query=query, understood=understood, missed=missed, unknown=unknown, translated=translated):
            limits = {"understood": list(understood), "missed": list(missed), "translated": list(translated)}
            return "searching", {"query": query, **limits, "unknown": unknown_objects(unknown)}
        case Passages(hits=hits, known=known, numbers=numbers):
            return "passages", {"passages": _passages(hits, numbers), "known": known}
        case Summarising(messages=messages):
            return "summarising", {"messages": messages}
        case Composed(window=window, model=model):
            sizes = {"tokens": window.tokens, "limit": window.limit, "reserve": window.reserve}
            sent = len(passages_shown(runs(window.decisions)))
            return "composed", {"model": model, **sizes, "sections": by_name(window.sections), "sent": sent}
        case Retried(reason=reason, limit=limit):
            return "retried", {"reason": reason, "limit": limit}
        case Premeditated(plan=plan):
            return "premeditated", {"plan": asdict(plan)}
        case Called(name=name, arguments=arguments):
            return "called", {"name": name, "arguments": dict(arguments)}
        case Returned(name=name, text=text, passages=passages, failed=failed):
            places = [passage_place(passage) for passage in passages]
            return "returned", {"name": name, "text": text, "passages": places, "failed": failed}
        case Proposed(proposal=proposal):
            return "proposed", change(proposal)
        case Text(text=text):
            return "text", {"text": text}
        case Stopped(reason=reason):
            return "stopped", {"reason": reason}
        case Citations(citations=citations, unsupported=unsupported, quotes=quotes):
            checked = {"citations": list(map(asdict, citations)), "unsupported": list(unsupported)}
            return "citations", {**checked, "quotes": list(map(asdict, quotes))}
        case Done(answer=answer, known=known, model=model, usage=usage, unchecked=unchecked):
            told = {"answer": answer, "known": known, "unchecked": unchecked, "model": model, "usage": asdict(usage)}
            return "done", {**told, "cost": cost(event)}
        case _:
            assert_never(event)


def failure(error: QuaestorError) -> tuple[str, Object]:
    """Return the event that ends a turn which failed after its stream began."""
    return "error", {"code": code(error), "message": text_of(error), "retryable": error.retryable}


def _passages(hits: Sequence[Hit], numbers: Sequence[int]) -> list[Object]:
    return [{"n": n, **hit_object(hit)} for n, hit in zip(numbers or range(1, len(hits) + 1), hits, strict=True)]
