"""An endpoint that was not there when the server began: until it is, answers are quotes."""

from __future__ import annotations

import time
from collections.abc import Callable

from quaestor.llm.endpoints.reaching import is_listening

# Somebody who waits for an answer waits for this as well, so a silent address is not tried again at once.
_CONNECT_SECONDS = 0.5
_SILENT_SECONDS = 5.0


class AwaitedEndpoint:
    """Tells whether an endpoint has been there yet; once it was, its failures are failures.

    Args:
        base_url: its address.
        clock: seconds.
        listens: tells whether anybody listens at an address, within so many seconds.
    """

    def __init__(
        self,
        base_url: str,
        clock: Callable[[], float] = time.monotonic,
        listens: Callable[[str, float], bool] = is_listening,
    ) -> None:
        self._base_url = base_url
        self._clock = clock
        self._listens = listens
        self._came = False
        self._again = -1.0

    def has_come(self) -> bool:
        """Return whether anybody has listened there so far; looks again unless somebody has."""
        if self._came or self._clock() < self._again:
            return self._came
        begun = self._clock()
        self._came = self._listens(self._base_url, _CONNECT_SECONDS)
        now = self._clock()
        if not self._came and now - begun >= _CONNECT_SECONDS:
            self._again = now + _SILENT_SECONDS
        return self._came
