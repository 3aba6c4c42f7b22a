"""The guard: checks the host, origin and size of every request, and adds security headers to every response.

Another site's page must not reach a server on the user's machine through the browser: neither by DNS rebinding (which
``Host`` reveals) nor by cross-site requests (which ``Origin`` reveals).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quaestor.core.errors import QuaestorError
from quaestor.server.http.error_responses import RequestRefusedError
from quaestor.server.http.served_state import Served

# An IPv6 address in brackets, or a name without brackets; then perhaps a port.
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::[0-9]{0,5})?")
# Paths that take documents, which may be larger than any question.
_UPLOADS = frozenset({"/api/documents", "/documents", "/ask"})
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
# Below the megabyte at which starlette rejects a form's field as a bad request.
_FORM_LIMIT = 1_000_000
_READING = frozenset({"GET", "HEAD"})
_SAFE_HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # With `no-referrer`, browsers would send `Origin: null` with the forms of our own pages.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """ASGI middleware that refuses requests with a wrong host, origin or size.

    Args:
        app: the application to guard.
        served: holds the server's names and the limits of bodies.
        refused: makes the response to a refused request from its path, its ``Accept`` header and the error.
    """

    def __init__(self, app: ASGIApp, served: Served, refused: Callable[[str, str, QuaestorError], Response]) -> None:
        self._app = app
        self._served = served
        self._refused = refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a refusal."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        sending = _with_headers(send)
        limit = self._body_limit(scope["path"], headers)
        limited = _BodyLimit(receive, sending, limit)
        try:
            self._check(scope["method"], headers, limit)
            await self._app(scope, limited.receive, limited.send)
        except Exception as error:
            refused = limited.refused or (error if isinstance(error, RequestRefusedError) else None)
            if refused is None or limited.answering:
                raise
            limited.refused = refused
        if limited.refused is not None and not limited.answering:
            scope["state"]["error"] = limited.refused.code
            response = self._refused(scope["path"], headers.get("accept", ""), limited.refused)
            # The rest of the body is not read.
            response.headers["connection"] = "close"
            await response(scope, receive, sending)

    def _check(self, method: str, headers: Headers, limit: int) -> None:
        host = headers.get("host", "")
        if not self._is_own_host(_name(host)):
            raise RequestRefusedError(
                f"This server is not named {host!r}. Use the address that it printed, or add a name with --allow-host.",
                status=421,
                code="unknown_host",
            )
        if method not in _READING:
            _check_origin(headers, host)
        size = headers.get("content-length", "0")
        if size.isdecimal() and int(size) > limit:
            raise _too_large(limit)

    def _body_limit(self, path: str, headers: Headers) -> int:
        """Return how many bytes the body of a request may have."""
        if path in _UPLOADS:
            return self._served.upload_limit
        form = headers.get("content-type", "").lower().startswith(_FORMS)
        return min(_FORM_LIMIT, self._served.body_limit) if form else self._served.body_limit

    def _is_own_host(self, name: str) -> bool:
        return name in self._served.hosts or (self._served.any_address and _is_address(name))


def _check_origin(headers: Headers, host: str) -> None:
    """Refuse a request that a browser sends for another site's page.

    Raises:
        RequestRefusedError: the origin is foreign.
    """
    origin = headers.get("origin")
    foreign = headers.get("sec-fetch-site") in ("cross-site", "same-site")
    if origin is not None:
        try:
            parts = urlsplit(origin)
            foreign = parts.scheme not in ("http", "https") or parts.netloc.lower() != host.lower()
        except ValueError:
            foreign = True
    if foreign:
        raise RequestRefusedError(
            f"Requests from pages at {origin or 'other sites'!r} are refused. Open the page at this server's address.",
            status=403,
            code="foreign_origin",
        )


def _name(host: str) -> str:
    """Return the name in a Host header, in lower case; "" if the header is malformed.

    ``urlsplit`` is not used, because it takes the text in brackets for the name, whatever surrounds them.
    """
    match = _HOST.fullmatch(host)
    return "" if match is None else (match[1] or match[2]).lower().rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _too_large(limit: int) -> RequestRefusedError:
    return RequestRefusedError(f"The body is larger than {limit:,} bytes. Send less.", status=413, code="too_large")


class _BodyLimit:
    """Counts the bytes of a request's body, which may be larger than its Content-Length says.

    Attributes:
        refused: the error once the body is too large; the route's own response is then not sent.
        answering: whether the route began its response before that.
    """

    def __init__(self, receive: Receive, send: Send, limit: int) -> None:
        self._receive = receive
        self._send = send
        self._limit = limit
        self._size = 0
        self.refused: RequestRefusedError | None = None
        self.answering = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._size += len(message.get("body", b""))
        if self._size > self._limit:
            self.refused = _too_large(self._limit)
            raise self.refused
        return message

    async def send(self, message: Message) -> None:
        if self.answering or self.refused is None:
            self.answering = True
            await self._send(message)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _SAFE_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
