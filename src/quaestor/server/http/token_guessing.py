"""Letting in whoever has a token, and nobody who tries one after the other."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

from quaestor.accounts.rates import RateLimiter
from quaestor.accounts.users import User, Users, hashed
from quaestor.state.rows import Shared

_PER_MINUTE = 20


class Guesses:
    """The tokens that were nobody's: an address has so many a minute.

    Where there are no users, nothing can be guessed: clients send any key there, and are let in. Without any left, no
    new token is looked at, not even a right one, which would tell that it is right. Who was let in before is let in
    still, so that nobody shuts the others out who come from the same address, behind a proxy say.

    Args:
        clock: as a ``RateLimiter`` has it.
        shared: where guesses are counted; None: in this process.
    """

    def __init__(self, *, clock: Callable[[], float] | None = None, shared: Shared | None = None) -> None:
        self._left = RateLimiter(_PER_MINUTE, _PER_MINUTE, clock=clock, shared=shared, what="guesses")
        self._known: dict[str, bytes] = {}

    def by_token(self, users: Users, token: str, address: str) -> User | None:
        """Return the user whose token this is, or None if it is nobody's or was revoked.

        Raises:
            LimitError: too many tokens that were nobody's came from this address.
        """
        place = _place(address)
        if hashed(token) not in self._known.values():
            self._left.check(place)
        found = users.by_token(token)
        if found is not None:
            self._known[found.id] = hashed(token)
        elif users.configured():
            self._left.take(place)
        return found


def _place(address: str) -> str:
    """Return what one guesser can hardly change: an IPv4 address, the network of an IPv6 one."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return ""
    return str(found) if found.version == 4 else str(ipaddress.ip_network((int(found), 64), strict=False))
