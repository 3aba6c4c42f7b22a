"""The caller of a request: a user with a token or, on a server without users, the person who started it."""

from __future__ import annotations

import asyncio
import logging
from typing import Annotated

from fastapi import Depends, Request

from quaestor.accounts.database import AccountsUnusableError
from quaestor.accounts.users import LOCAL, User
from quaestor.core.errors import UsageError
from quaestor.server.http.served_state import Served

_LOG = logging.getLogger("quaestor.server")

COOKIE = "quaestor_token"
"""The name of the cookie with the token of a user who logged in on the page."""


class UnknownCallerError(UsageError):
    """The token is missing or unknown."""

    http_status = 401
    code = "unauthenticated"


async def who(request: Request) -> User:
    """Return the caller of a request.

    Raises:
        UnknownCallerError: the token is missing or unknown.
        LimitError: the caller sends too many requests, or too many unknown tokens.
    """
    served: Served = request.app.state.served
    if served.elsewhere:
        return await asyncio.to_thread(_caller, served, _token(request), address_of(request))
    return _caller(served, _token(request), address_of(request))


def _caller(served: Served, token: str, address: str) -> User:
    user = user_of(served, token, address) if token else None
    if user is not None:
        served.rates.take(user.id)
        return user
    if served.open_to_local and not served.users.has_users():
        return LOCAL
    reason = "The token is unknown or was revoked." if token else "A token is required."
    raise UnknownCallerError(f"{reason} Send 'Authorization: Bearer TOKEN'; `quaestor users add NAME` makes one.")


def user_of(served: Served, token: str, address: str) -> User | None:
    """Return the user of a token that came from an address; None if it is unknown or revoked.

    Raises:
        AccountsUnusableError: tokens cannot be looked up; on a server for others only its log says why and where.
        LimitError: the address has sent too many unknown tokens.
    """
    try:
        return served.guesses.by_token(served.users, token, address)
    except AccountsUnusableError as error:
        if served.open_to_local:
            raise
        _LOG.warning("tokens not looked up: %s", error)
        untold = AccountsUnusableError("Tokens cannot be looked up now; the server's log says why. Try again later.")
        untold.retryable = error.retryable
        raise untold from error


def address_of(request: Request) -> str:
    """Return the address from which a request came, by the connection; headers, which can be forged, are ignored."""
    return request.client.host if request.client else ""


Who = Annotated[User, Depends(who)]


def _token(request: Request) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and token.strip():
        return token.strip()
    return request.cookies.get(COOKIE, "")
