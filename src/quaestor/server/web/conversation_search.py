"""Finding conversations by what was said in them."""

from __future__ import annotations

from contextlib import suppress

from quaestor.accounts.users import User
from quaestor.core.errors import QuaestorError
from quaestor.server.api.access import session_of
from quaestor.server.http.served_state import Served
from quaestor.sessions.records import SessionInfo, TurnRecord

_AROUND = 60


def said_in(served: Served, user: User, info: SessionInfo, query: str) -> dict[str, object] | None:
    """Return where all words of a query stand in a conversation: a turn and what is said there; None if nowhere.

    A conversation that cannot be read has its title to be found by, and an empty query is found everywhere.
    """
    words = query.casefold().split()
    nowhere: dict[str, object] = {"turn": 0, "excerpt": ""}
    if not words:
        return nowhere
    with suppress(QuaestorError), session_of(served, user, info.id) as transcript:
        for turn in reversed(transcript.turns()):
            text = _text(turn)
            if all(word in text.casefold() for word in words):
                return {"turn": turn.number, "excerpt": _excerpt(text, words[0])}
    return nowhere if all(word in info.title.casefold() for word in words) else None


def _text(turn: TurnRecord) -> str:
    return " ".join(f"{turn.question} {turn.answer or turn.ending.partial}".split())


def _excerpt(text: str, word: str) -> str:
    """Return what stands around a word."""
    at = max(text.casefold().find(word), 0)
    begin, end = max(at - _AROUND, 0), at + len(word) + _AROUND
    return f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}"
