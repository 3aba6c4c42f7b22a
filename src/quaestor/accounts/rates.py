"""How fast one user may ask: a bucket of tokens each, which all processes of a server share."""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Callable
from typing import Literal

from quaestor.accounts.shared import Shared
from quaestor.core.errors import LimitError

_COLUMNS = "(key text primary key, level real not null, at real not null) without rowid"


class RateLimiter:
    """Lets each key ask so often a minute on average, and so often at once.

    A bucket is full at first, loses one with each request, and fills up evenly. A full one is forgotten, so that many
    keys take no room.

    Args:
        per_minute: requests that a key may make in a minute; 0: as many as it likes.
        burst: requests that it may make at once; None: as many as in ten seconds, and ten at least.
        clock: seconds that never go back, and that are the same in all processes of the machine.
        shared: where the buckets stand; None: where no other limiter sees them.
        what: is counted, in the plural; limiters of different things share no buckets.
    """

    def __init__(
        self,
        per_minute: float,
        burst: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        shared: Shared | None = None,
        what: Literal["requests", "guesses"] = "requests",
    ) -> None:
        self._per_second = per_minute / 60
        self._burst = float(max(10, math.ceil(per_minute / 6)) if burst is None else burst)
        self._clock = clock
        self._next_sweep = 0.0
        self._shared = shared or Shared()
        self._what = what
        self._shared.make(f"{what} {_COLUMNS}")

    def take(self, key: str) -> None:
        """Take note of one request.

        Raises:
            LimitError: it comes too soon; ``retry_after`` says in how many seconds it would not.
        """
        if not self._per_second:
            return
        with self._shared.step() as buckets:
            # Within the step, so that no process that was faster has a later time.
            now = self._clock()
            self._sweep(buckets, now)
            level = self._allowed_level(buckets, key, now)
            buckets.execute(f"insert or replace into {self._what} values (?, ?, ?)", (key, level - 1, now))

    def check(self, key: str) -> None:
        """Take note of nothing.

        Raises:
            LimitError: ``take`` would raise it now.
        """
        if self._per_second:
            with self._shared.step() as buckets:
                self._allowed_level(buckets, key, self._clock())

    @property
    def kept(self) -> int:
        """How many buckets are on record."""
        with self._shared.step() as buckets:
            return int(buckets.execute(f"select count(*) from {self._what}").fetchone()[0])

    def _allowed_level(self, buckets: sqlite3.Connection, key: str, now: float) -> float:
        level = self._level(buckets, key, now)
        if level < 1:
            wait = math.ceil((1 - level) / self._per_second)
            raise LimitError(
                f"These are too many {self._what}: {self._per_second * 60:g} a minute are allowed. Try again in"
                f" {wait} second{'' if wait == 1 else 's'}.",
                retry_after=wait,
            )
        return level

    def _level(self, buckets: sqlite3.Connection, key: str, now: float) -> float:
        found = buckets.execute(f"select level, at from {self._what} where key = ?", (key,)).fetchone()
        level, then = found or (self._burst, now)
        return min(self._burst, level + (now - then) * self._per_second)

    def _sweep(self, buckets: sqlite3.Connection, now: float) -> None:
        """Forget full buckets, each time that an empty one would have become full."""
        if now < self._next_sweep:
            return
        self._next_sweep = now + self._burst / self._per_second
        full = f"delete from {self._what} where level + (? - at) * ? >= ?"
        buckets.execute(full, (now, self._per_second, self._burst))
