"""An answer about history in its contracted JSON form: the same on the command line and over HTTP."""

from __future__ import annotations

from typing import Any

from quaestor.answers.history_answer import HistoryAnswer
from quaestor.core.passages import Hit


def history_object(asked: str, found: HistoryAnswer, seconds: float) -> dict[str, Any]:
    """Return an answer with its passages, numbered as its marks are."""
    return {
        "asked": asked,
        "answer": found.text(range(1, len(found.hits) + 1)),
        "known": found.known,
        "partial": found.partial,
        "passages": [_passage(number, hit) for number, hit in enumerate(found.hits, 1)],
        "seconds": round(seconds, 4),
    }


def _passage(number: int, hit: Hit) -> dict[str, Any]:
    document = hit.document
    return {
        "n": number,
        "path": hit.path,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "title": document.title,
        "author": document.author,
        "date": document.date,
        "text": hit.text,
        "sha256": document.sha256,
    }
