"""Checking tokens, with a limit on guesses."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

from quaestor.accounts.rates import RateLimiter
from quaestor.accounts.users import User, Users, hash_token
from quaestor.state.rows import Shared

_PER_MINUTE = 20


class Guesses:
    """Counts unknown tokens: each address may send a few a minute.

    Without users there is nothing to guess: clients may send any key. Over the limit, no new token is accepted from
    that address, not even a correct one, which would confirm the guess. Tokens that were accepted before stay accepted,
    so that a guesser does not lock out others behind the same proxy.

    Args:
        clock: as for ``RateLimiter``.
        shared: counts guesses; None counts them in this process.
    """

    def __init__(self, *, clock: Callable[[], float] | None = None, shared: Shared | None = None) -> None:
        self._left = RateLimiter(_PER_MINUTE, _PER_MINUTE, clock=clock, shared=shared, what="guesses")
        self._known: dict[str, bytes] = {}

    def by_token(self, users: Users, token: str, address: str) -> User | None:
        """Return the user of a token, or None if it is unknown or revoked.

        Raises:
            LimitError: this address has sent too many unknown tokens.
        """
        place = _place(address)
        if hash_token(token) not in self._known.values():
            self._left.check(place)
        found = users.by_token(token)
        if found is not None:
            self._known[found.id] = hash_token(token)
        elif users.configured():
            self._left.take(place)
        return found


def _place(address: str) -> str:
    """Return the part of an address that a guesser can hardly change: an IPv4 address, the network of an IPv6 one."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return ""
    return str(found) if found.version == 4 else str(ipaddress.ip_network((int(found), 64), strict=False))
