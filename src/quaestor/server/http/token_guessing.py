"""Checks tokens, and limits how many an address may guess."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

from quaestor.accounts.rates import RateLimiter
from quaestor.accounts.users import User, Users, hash_token
from quaestor.state.rows import Shared

_PER_MINUTE = 20


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
        self._left = RateLimiter(_PER_MINUTE, _PER_MINUTE, clock=clock, shared=shared, what="guesses")
        self._known: dict[str, bytes] = {}

    def by_token(self, users: Users, token: str, address: str) -> User | None:
        """Return the user of a token; None if it is unknown or revoked.

        Raises:
            LimitError: the address has sent too many unknown tokens.
        """
        place = _place(address)
        if hash_token(token) not in self._known.values():
            self._left.check(place)
        user = users.by_token(token)
        if user is not None:
            self._known[user.id] = hash_token(token)
        elif users.has_users():
            self._left.take(place)
        return user


def _place(address: str) -> str:
    """Return the part of an address that a guesser can hardly change: an IPv4 address, or an IPv6 /64 network."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return ""
    return str(ip) if ip.version == 4 else str(ipaddress.ip_network((int(ip), 64), strict=False))
