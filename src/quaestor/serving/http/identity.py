"""Who asks: a user with a token, or, on this machine and without any users, the one person who started the server."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import Depends, Request

from quaestor.errors import UsageError

COOKIE = "quaestor_token"
"""Carries the token of somebody who logged in on the page."""


class User(Protocol):
    """A person, or a program that acts for one.

    Attributes:
        id: for records; empty for the one user of a machine without users.
        name: for people.
    """

    @property
    def id(self) -> str: ...  # noqa: D102

    @property
    def name(self) -> str: ...  # noqa: D102


class Users(Protocol):
    """Those who may use the server."""

    def by_token(self, token: str) -> User | None:
        """Return whose token it is; None for nobody's, or a revoked one."""
        ...

    def list(self) -> Iterable[User]:
        """Return all users."""
        ...


@dataclass(frozen=True, slots=True)
class LocalUser:
    """Whoever started the server, where there are no users."""

    id: str = ""
    name: str = "local"


class UnknownCallerError(UsageError):
    """No token was sent, or one that is nobody's."""

    http_status = 401
    code = "unauthenticated"


def who(request: Request) -> User:
    """Return who asks.

    Raises:
        UnknownCallerError: nobody whom we know.
    """
    served = request.app.state.served
    token = _token(request)
    if token:
        found: User | None = served.users.by_token(token)
        if found is not None:
            return found
    if served.open_to_local and not any(True for _ in served.users.list()):
        return LocalUser()
    said = "The token is nobody's, or was revoked." if token else "A token is needed."
    raise UnknownCallerError(f"{said} Send 'Authorization: Bearer TOKEN'; `quaestor users add NAME` makes one.")


Who = Annotated[User, Depends(who)]


def _token(request: Request) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and token.strip():
        return token.strip()
    return request.cookies.get(COOKIE, "")
