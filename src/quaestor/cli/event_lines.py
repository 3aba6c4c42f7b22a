"""The events of a turn, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from quaestor.chat.events import Called, Composed, Event, Passages, Returned
from quaestor.chat.session_json import passage_place
from quaestor.cli.output import echo
from quaestor.core.passages import Hit
from quaestor.sessions.sent_messages import passages_shown, runs


def print_event(value: dict[str, Any]) -> None:
    """Print one JSON object on one line, at once."""
    echo(json.dumps(value))


def as_object(event: Event) -> dict[str, Any]:
    """Return an event as a JSON object."""
    return {"event": type(event).__name__.lower(), **_content(event)}


def _content(event: Event) -> dict[str, Any]:
    match event:
        case Passages(hits=hits, known=known, numbers=numbers):
            return {"known": known, "hits": _hits(hits, numbers)}
        case Composed(window=window, model=model):
            sizes = {"tokens": window.tokens, "limit": window.limit, "reserve": window.reserve}
            sent = len(passages_shown(runs(window.decisions)))
            return {"model": model, **sizes, "sections": dict(window.sections), "sent": sent}
        case Returned(name=name, text=text, passages=passages, failed=failed):
            return {"name": name, "text": text, "failed": failed, "passages": list(map(passage_place, passages))}
        case Called(name=name, arguments=arguments):
            return {"name": name, "arguments": dict(arguments)}
        case _:
            return _plain(event)


def _plain(event: Event) -> dict[str, Any]:
    """Return an event's fields, proposals as far as JSON holds them."""
    return {key: _jsonable(value) for key, value in asdict(event).items() if key != "proposals" or value}


def _jsonable(value: object) -> object:
    try:
        json.dumps(value)
    except TypeError:
        return json.loads(json.dumps(value, default=str))
    return value


def _hits(hits: Sequence[Hit], numbers: Sequence[int]) -> list[dict[str, Any]]:
    numbers = numbers or range(1, len(hits) + 1)
    return [
        {
            "n": n,
            "path": hit.path,
            "start_line": hit.start_line,
            "end_line": hit.end_line,
            "score": hit.score,
            "symbol": hit.symbol,
            "title": hit.document.title,
            "url": hit.document.url,
            "sha256": hit.document.sha256,
        }
        for n, hit in zip(numbers, hits, strict=True)
    ]
