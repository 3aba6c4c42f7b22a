"""Rate limits: a token bucket for each user, shared by all processes of a server or of several servers.

Addresses have buckets, too, which limit how many tokens of users they may guess.
"""

from __future__ import annotations

import ipaddress
import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Literal

from quaestor.accounts.users import User, Users, hash_token
from quaestor.core.errors import LimitError
from quaestor.state.rows import Connection, Shared, SharedFile

_GUESSES_PER_MINUTE = 20


class RateLimiter:
    """Limits the requests of each key: their average rate per minute, and how many may come at once.

    A bucket begins full, loses one token with each request, and refills evenly. Full buckets are deleted, so that many
    keys take no space.

    Args:
        per_minute: the requests that a key may send per minute; 0 for no limit.
        burst: the requests that may come at once; None for those of ten seconds, but at least ten.
        clock: returns monotonic seconds, the same for all that share the buckets; None to use that of ``shared``.
        shared: the database that holds the buckets; None for buckets of this process.
        what: what is counted, in the plural; limiters of different things share no buckets.
    """

    def __init__(
        self,
        per_minute: float,
        burst: int | None = None,
        *,
        clock: Callable[[], float] | None = None,
        shared: Shared | None = None,
        what: Literal["requests", "guesses"] = "requests",
    ) -> None:
        self._per_second = per_minute / 60
        self._burst = float(max(10, math.ceil(per_minute / 6)) if burst is None else burst)
        self._next_sweep = 0.0
        self._shared = shared or SharedFile()
        self._clock = clock
        self._what = what

    def take(self, key: str) -> None:
        """Count one request.

        Raises:
            LimitError: it comes too soon; ``retry_after`` is the number of seconds to wait.
        """
        if not self._per_second:
            return
        self._sweep()
        with self._step(key) as buckets:
            # Read within the transaction, so that times grow in the order of transactions.
            now = self._now(buckets)
            level = self._allowed_level(buckets, key, now)
            buckets.execute(
                "insert into buckets (what, key, level, at) values (?, ?, ?, ?)"
                " on conflict (what, key) do update set level = excluded.level, at = excluded.at",
                (self._what, key, level - 1, now),
            )

    def check(self, key: str) -> None:
        """Check whether a request would be allowed, without counting it.

        Raises:
            LimitError: ``take`` would raise it now.
        """
        if self._per_second:
            with self._step(key) as buckets:
                self._allowed_level(buckets, key, self._now(buckets))

    @property
    def bucket_count(self) -> int:
        """The number of stored buckets."""
        with self._step("") as buckets:
            return int(buckets.execute("select count(*) from buckets where what = ?", (self._what,)).fetchone()[0])

    def _step(self, key: str) -> AbstractContextManager[Connection]:
        return self._shared.step(f"{self._what} {key}")

    def _now(self, buckets: Connection) -> float:
        return self._shared.now(buckets) if self._clock is None else self._clock()

    def _allowed_level(self, buckets: Connection, key: str, now: float) -> float:
        level = self._level(buckets, key, now)
        if level < 1:
            wait = math.ceil((1 - level) / self._per_second)
            raise LimitError(
                f"Too many {self._what}: {self._per_second * 60:g} a minute are allowed. Try again in"
                f" {wait} second{'' if wait == 1 else 's'}.",
                retry_after=wait,
            )
        return level

    def _level(self, buckets: Connection, key: str, now: float) -> float:
        row = buckets.execute("select level, at from buckets where what = ? and key = ?", (self._what, key)).fetchone()
        level, then = row or (self._burst, now)
        return min(self._burst, level + (now - then) * self._per_second)

    def _sweep(self) -> None:
        """Delete full buckets, once in the time in which an empty bucket becomes full."""
        now = (self._clock or time.monotonic)()
        if now < self._next_sweep:
            return
        self._next_sweep = now + self._burst / self._per_second
        full = "delete from buckets where what = ? and level + (? - at) * ? >= ?"
        # In a transaction of its own: processes that each locked a bucket and waited for the other's would deadlock.
        with self._step("") as buckets:
            buckets.execute(full, (self._what, self._now(buckets), self._per_second, self._burst))


class Guesses:
    """Counts unknown tokens by address, and allows each address 20 a minute.

    Without users there is nothing to guess, so clients may send any token. Over the limit, no new token is accepted
    from an address, not even a valid one, since that would confirm a guess. Tokens that were accepted before stay
    accepted, so that a guesser does not lock out others behind the same proxy.

    Args:
        clock: returns the time, as for ``RateLimiter``.
        shared: the database that counts guesses for all processes; None to count in this process.
    """

    def __init__(self, *, clock: Callable[[], float] | None = None, shared: Shared | None = None) -> None:
        self._left = RateLimiter(_GUESSES_PER_MINUTE, _GUESSES_PER_MINUTE, clock=clock, shared=shared, what="guesses")
        self._known: dict[str, bytes] = {}

    def by_token(self, users: Users, token: str, address: str) -> User | None:
        """Return the user of a token; None if it is unknown or revoked.

        Raises:
            LimitError: the address has sent too many unknown tokens.
        """
        place = _network_of(address)
        if hash_token(token) not in self._known.values():
            self._left.check(place)
        user = users.by_token(token)
        if user is not None:
            self._known[user.id] = hash_token(token)
        elif users.has_users():
            self._left.take(place)
        return user


def _network_of(address: str) -> str:
    """Return the part of an address that a guesser can hardly change: an IPv4 address, or an IPv6 /64 network."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return ""
    return str(ip) if ip.version == 4 else str(ipaddress.ip_network((int(ip), 64), strict=False))
