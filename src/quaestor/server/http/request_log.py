"""Logs and counts requests, turns and failures: their route, duration and outcome, but never the question."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quaestor.chat.events import Done, Event, Text
from quaestor.server.http.error_responses import internal_error
from quaestor.server.http.json_log import fault
from quaestor.server.http.prometheus import Metrics

_LOG = logging.getLogger("quaestor.server")
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_UNKNOWN = "(none)"


class RequestObserver:
    """The outermost ASGI middleware: gives each request an id, counts it, and logs its outcome.

    Args:
        app: the application.
        metrics: the metrics that it updates.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and record its outcome."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = _Request(scope, send)
        with self._metrics.in_flight.track_inprogress():
            try:
                await self._app(scope, receive, request.send)
            except Exception as error:
                request.error = "server_error"
                _LOG.error("fault", extra={"data": {"id": request.id, "fault": fault(error)}})
                if request.status is None:
                    await internal_error(scope["path"])(scope, receive, request.send)
            finally:
                self._record_request(request)

    def _record_request(self, request: _Request) -> None:
        seconds = time.perf_counter() - request.began
        metrics, status = self._metrics, str(request.status or "none")
        metrics.requests.labels(request.method, request.route, status).inc()
        metrics.seconds.labels(request.route).observe(seconds)
        if request.error:
            metrics.errors.labels(request.error).inc()
        data = {
            "id": request.id,
            "method": request.method,
            "route": request.route,
            "status": request.status,
            "seconds": round(seconds, 4),
        }
        _LOG.info("request", extra={"data": data | ({"error": request.error} if request.error else {})})


def _route_of(scope: Scope) -> str:
    """Return a request's path with its parameters' values replaced by their names: ``/api/sessions/{id}``."""
    if "endpoint" not in scope:
        return _UNKNOWN
    path = str(scope["path"])
    for name, value in scope.get("path_params", {}).items():
        if text := str(value):  # a parameter that is itself a path may be empty, as in `/v1/models/`
            before, separator, after = path.rpartition(text)
            path = f"{before}{{{name}}}{after}" if separator else path
    return path


class _Request:
    """The observed state of one request."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self.began = time.perf_counter()
        request_id = Headers(scope=scope).get("x-request-id", "")
        self.id = request_id if _ID.fullmatch(request_id) else secrets.token_hex(8)
        # A new dictionary, because all requests share the server's own.
        scope["state"] = {**scope.get("state", {}), "request_id": self.id, "began": self.began}
        self.status: int | None = None

    @property
    def method(self) -> str:
        """The method; a placeholder for an unknown one, because clients can send any and each becomes a metric."""
        known = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
        return str(self._scope["method"]) if self._scope["method"] in known else _UNKNOWN

    @property
    def route(self) -> str:
        """The request's route."""
        return _route_of(self._scope)

    @property
    def error(self) -> str:
        """The error's code; "" if there is none."""
        return str(self._scope["state"].get("error", ""))

    @error.setter
    def error(self, code: str) -> None:
        self._scope["state"]["error"] = code

    async def send(self, message: Message) -> None:
        """Send a message of the response, and record the status."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            MutableHeaders(scope=message)["x-request-id"] = self.id
        await self._send(message)


async def count_events(request: Request, metrics: Metrics, events: AsyncGenerator[Event]) -> AsyncGenerator[Event]:
    """Yield a turn's events; count its tokens, and measure the time to its first word.

    Args:
        request: the turn's request.
        metrics: the metrics to update.
        events: the turn's events; closed with this generator.
    """
    began: float = request.scope["state"]["began"]
    route = _route_of(request.scope)
    silent = True
    async with aclosing(events):
        async for event in events:
            if silent and isinstance(event, Text) and event.text:
                silent = False
                metrics.first_token.labels(route).observe(time.perf_counter() - began)
            if isinstance(event, Done):
                metrics.tokens.labels(event.model, "prompt").inc(event.usage.prompt_tokens)
                metrics.tokens.labels(event.model, "completion").inc(event.usage.completion_tokens)
            yield event
