"""Telling how far tuning is, and ending it when the time is up."""

from __future__ import annotations

import time
from collections.abc import Callable

from quaestor.core.errors import LimitError

Progress = Callable[[int, int, str], None]
"""Called with how many questions are asked, of about how many, and what is being done."""


class Clock:
    """Counts questions, tells of them, and ends the work when the time is up."""

    def __init__(self, seconds: float, progress: Progress) -> None:
        self._started = time.monotonic()
        self._seconds = seconds
        self._progress = progress
        self._doing = ""
        self._done = 0
        self.total = 1

    def doing(self, what: str) -> None:
        """Say what is being done from here on."""
        self._doing = what
        self._progress(self._done, self.total, what)

    def tick(self) -> None:
        """Count a question, and look."""
        self._done += 1
        self.look()
        self._progress(min(self._done, self.total - 1), self.total, self._doing)

    def look(self) -> None:
        """End the work if the time is up.

        Raises:
            LimitError: it is.
        """
        if time.monotonic() - self._started > self._seconds:
            raise LimitError(
                f"Tuning was not done within {self._seconds:g} seconds, and nothing was changed. Give it more with "
                "--seconds, or less to do with --questions."
            )

    def finish(self) -> float:
        """Say that all is done, and return the seconds that it took."""
        self._progress(self.total, self.total, "done")
        return time.monotonic() - self._started
