"""What of a user's records a page is about."""

from __future__ import annotations

from pathlib import Path

from quaestor.accounts.users import User
from quaestor.assemble import Index
from quaestor.core.errors import NotFoundError
from quaestor.server.api.access import MY_DOCUMENTS, corpus_named, corpus_of, sessions_of
from quaestor.server.http.served_state import Served
from quaestor.sessions.records import SessionInfo, TurnRecord
from quaestor.sessions.transcript import Transcript

TITLES = {MY_DOCUMENTS: "My documents"}
"""What corpora are called that nobody named."""


def listed(served: Served, user: User) -> list[SessionInfo]:
    """Return a user's sessions, the one used last first; those that cannot be read come last."""
    return sessions_of(served, user).list(owner=user.id)


def turn_of(transcript: Transcript, number: str) -> TurnRecord:
    """Return a turn by its number, or the last one.

    Raises:
        NotFoundError: there is none.
    """
    turns = transcript.turns()
    found = [turn for turn in turns if number in (str(turn.number), "last" if turn is turns[-1] else "")]
    if not found:
        raise NotFoundError(f"This conversation has no turn {number!r}. It has {len(turns)}.")
    return found[0]


def corpus_about(served: Served, user: User, root: str) -> tuple[str, Index]:
    """Return the name and the corpus that a session is about.

    Raises:
        NotFoundError: it is not served now.
        StillIndexingError: it cannot be read yet.
    """
    name = corpus_named(served, user, root)
    if not name:
        raise NotFoundError(f"{Path(root).name!r} is not served now, so its passages cannot be shown.")
    return name, corpus_of(served, user, name)


def about(served: Served, user: User, root: str) -> str:
    """Return what a session is about, for people."""
    name = corpus_named(served, user, root)
    return TITLES.get(name, name) or f"{Path(root).name} (not served now)"
