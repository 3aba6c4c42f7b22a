"""Which sessions have a turn under way: each has one at a time, whichever of the server's processes runs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from quaestor.core.errors import ConflictError
from quaestor.server.process_claims import Claims

_KIND = "turn"


class Turns:
    """The turns that are under way, by user and session.

    Args:
        claims: of the server; None: of this process alone.
    """

    def __init__(self, claims: Claims | None = None) -> None:
        self._claims = claims or Claims()

    def running(self, user: str, session: str) -> bool:
        """Return whether a turn of a user's session is under way."""
        return self._claims.taken(_KIND, user, session)

    @contextmanager
    def claimed(self, user: str, session: str) -> Iterator[None]:
        """Let no other turn begin inside.

        Raises:
            ConflictError: one is under way.
        """
        with self._claims.attempt(_KIND, user, session) as mine:
            if not mine:
                raise ConflictError(
                    f"A turn of session {session!r} is under way. Wait for its end, or close its stream, and try again."
                )
            yield
