"""Which sessions have a turn under way in this process: each has one at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from quaestor.errors import ConflictError


class Turns:
    """The turns that are under way, by user and session."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[tuple[str, str]] = set()

    def running(self, user: str, session: str) -> bool:
        """Return whether a turn of a user's session is under way."""
        return (user, session) in self._running

    @contextmanager
    def claimed(self, user: str, session: str) -> Iterator[None]:
        """Let no other turn begin inside.

        Raises:
            ConflictError: one is under way.
        """
        key = (user, session)
        with self._lock:
            if key in self._running:
                raise ConflictError(
                    f"A turn of session {session!r} is under way. Wait for its end, or close its stream, and try again."
                )
            self._running.add(key)
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(key)
