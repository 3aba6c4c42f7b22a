"""The pages that log a user in with a token, and out again.

The token is kept in a cookie that scripts cannot read and that requests from other sites do not carry.
"""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from quaestor.server.http.caller import COOKIE, UnknownCallerError, address_of, user_of, who
from quaestor.server.http.served_state import ServedHere
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_templates import page

router = APIRouter(route_class=PageRoute)
_DAYS = 90
# A path on this server; with two slashes or a backslash it would be another server's address.
_PATH = re.compile(r"/(?![/\\])[\x21-\x7e]*")


@router.get("/log-in")
async def show_log_in(request: Request, next: str = "/") -> Response:
    """Show the form that asks for a token, unless the caller is logged in."""
    try:
        await who(request)
    except UnknownCallerError:
        return page("log_in.html", failed="", next=_within(next))
    return RedirectResponse(_within(next), 303)


@router.post("/log-in")
def log_in(
    request: Request,
    served: ServedHere,
    token: Annotated[str, Form(max_length=200)],
    next: Annotated[str, Form(max_length=2000)] = "/",
) -> Response:
    """Log in a user with a token."""
    if user_of(served, token.strip(), address_of(request)) is None:
        failed = "This token is unknown or was revoked. `quaestor users add NAME` prints a new one."
        return page("log_in.html", 401, failed=failed, next=_within(next))
    answer = RedirectResponse(_within(next), 303)
    answer.set_cookie(
        COOKIE,
        token.strip(),
        max_age=_DAYS * 24 * 3600,
        httponly=True,
        samesite="strict",
        secure=_over_tls(request),
    )
    return answer


@router.post("/log-out")
def log_out() -> Response:
    """Log the user out by deleting the cookie."""
    answer = RedirectResponse("/log-in", 303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer


def _over_tls(request: Request) -> bool:
    """Return whether the browser's connection uses TLS, even if a proxy terminates it.

    The browser's ``Origin`` header is trusted rather than a proxy's headers: by forging it, a client can only make its
    own cookie secure, which is then not sent over a plain connection.
    """
    origin = request.headers.get("origin", "")
    return "https" in (request.url.scheme, origin.partition("://")[0].lower())


def _within(path: str) -> str:
    return path if _PATH.fullmatch(path) else "/"
