"""What of a user's records a page is about."""

from __future__ import annotations

from pathlib import Path

from quaestor.accounts.users import User
from quaestor.core.errors import NotFoundError
from quaestor.corpus.joint_corpus import roots_of
from quaestor.server.api.access import MY_DOCUMENTS, corpora_named, sessions_of
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


def about(served: Served, user: User, source: str) -> str:
    """Return what a session is about, for people; ``source`` is as recorded."""
    named = {root: name for root in roots_of(source) for name in corpora_named(served, user, root)}
    titles = (TITLES.get(named[root], named[root]) if root in named else _absent(root) for root in roots_of(source))
    return ", ".join(titles)


def _absent(root: str) -> str:
    return f"{Path(root).name} (not served now)"
