"""How fast one user may ask: a bucket of tokens each, in this process."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from quaestor.errors import LimitError


class RateLimiter:
    """Lets each key ask so often a minute on average, and so often at once.

    A bucket is full at first, loses one with each request, and fills up evenly. A full one is forgotten, so that many
    keys take no room.

    Args:
        per_minute: requests that a key may make in a minute; 0: as many as it likes.
        burst: requests that it may make at once; None: as many as in ten seconds, and ten at least.
        clock: seconds that never go back.
    """

    def __init__(
        self, per_minute: float, burst: int | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second = per_minute / 60
        self._burst = float(max(10, math.ceil(per_minute / 6)) if burst is None else burst)
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: dict[str, tuple[float, float]] = {}
        self._next_sweep = 0.0

    def take(self, key: str) -> None:
        """Take note of one request.

        Raises:
            LimitError: it comes too soon; ``retry_after`` says in how many seconds it would not.
        """
        if not self._per_second:
            return
        with self._lock:
            now = self._clock()
            self._sweep(now)
            level = self._level(key, now)
            if level < 1:
                wait = math.ceil((1 - level) / self._per_second)
                raise LimitError(
                    f"These are too many requests: {self._per_second * 60:g} a minute are allowed. Try again in"
                    f" {wait} second{'' if wait == 1 else 's'}.",
                    retry_after=wait,
                )
            self._buckets[key] = (level - 1, now)

    def _level(self, key: str, now: float) -> float:
        level, then = self._buckets.get(key, (self._burst, now))
        return min(self._burst, level + (now - then) * self._per_second)

    def _sweep(self, now: float) -> None:
        """Forget full buckets, each time that an empty one would have become full."""
        if now < self._next_sweep:
            return
        self._next_sweep = now + self._burst / self._per_second
        self._buckets = {key: held for key, held in self._buckets.items() if self._level(key, now) < self._burst}
