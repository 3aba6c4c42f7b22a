"""How often a host is asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

_FIRST_BACKOFF = 0.5
_LONGEST_WAIT = 120.0


@dataclass(frozen=True, slots=True)
class Clock:
    """Time, as a crawl sees it.

    Attributes:
        now: gives seconds that only ever grow.
        sleep: lets so many seconds pass.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Pace:
    """Spaces the requests to each host. Used by one thread.

    Args:
        delay: least seconds between two requests to a host.
        clock: tells and spends time.
    """

    def __init__(self, delay: float, clock: Clock) -> None:
        self._delay = delay
        self._clock = clock
        self._next: dict[str, float] = {}

    def now(self) -> float:
        """Return the present moment."""
        return self._clock.now()

    def wait(self, host: str, delay: float) -> None:
        """Wait until a host may be asked again.

        Args:
            host: with its port.
            delay: seconds that it asks to be left alone between two requests.
        """
        self.until(self._next.get(host, 0.0))
        self._next[host] = self.now() + max(self._delay, delay)

    def until(self, moment: float) -> None:
        """Wait until a moment of the monotonic clock."""
        left = moment - self.now()
        if left > 0:
            self._clock.sleep(left)

    def rest(self, host: str, seconds: float) -> None:
        """Leave a host alone for a while."""
        self._next[host] = max(self._next.get(host, 0.0), self.now() + min(seconds, _LONGEST_WAIT))

    def backoff(self, tries: int) -> float:
        """Return the seconds to wait before asking once more; they double with each try."""
        return float(min(_FIRST_BACKOFF * 2 ** (tries - 1), _LONGEST_WAIT))
