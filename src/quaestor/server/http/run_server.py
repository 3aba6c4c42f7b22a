"""Runs the application at a socket until a signal stops it, and then lets responses finish.

Unlike uvicorn's own, its connections are protected against slow and ambiguous requests.
"""

from __future__ import annotations

import asyncio
import re
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

# A response that takes longer than this after Ctrl-C is cut off.
_GRACE_SECONDS = 30
# nginx keeps an idle connection for 60 s. If we closed it sooner, a request that nginx sends just then would be lost.
_IDLE_SECONDS = 75
# The listening socket's backlog: connections that the system completes before the server accepts them.
_MOST_WAITING = 2048
# Searches run in threads. At Python's default of 5 ms, each of a stream's many small steps could wait 5 ms for the GIL.
_SWITCH_SECONDS = 0.0005

_HEAD_END = re.compile(rb"\r?\n\r?\n")
# A line feed alone, and a continuation line. A carriage return alone is refused by h11 itself.
_ODD_END = re.compile(rb"(?<!\r)\n|\n[ \t]")
_LENGTHS = frozenset({b"content-length", b"transfer-encoding"})


class OneAtATime(uvicorn.Server):
    """Accepts one connection at a time, so that other processes at the same socket get their share.

    Otherwise the first process to wake up would accept all waiting connections.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections."""
        await super().startup(sockets)
        for at in sockets or ():
            # asyncio accepts up to `backlog` connections at once, which is 1 here; so the socket's is set separately.
            at.listen(_MOST_WAITING)


def make_server(
    app: FastAPI,
    *,
    grace: int = _GRACE_SECONDS,
    alone: bool = True,
    sign: Callable[[], Awaitable[None]] | None = None,
    pause: int = 0,
) -> uvicorn.Server:
    """Return a server for an application.

    Args:
        app: the application.
        grace: seconds that unfinished responses have after the server gets the signal to stop.
        alone: whether no other process accepts connections at the same socket.
        sign: called regularly while the server's event loop runs, as a heartbeat; None for no call.
        pause: seconds between two calls of ``sign``; 0 for ten calls a second.
    """
    settings = uvicorn.Config(
        app,
        http=BoundedConnection,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=grace,
        timeout_keep_alive=_IDLE_SECONDS,
        # Reading ahead of a slow route would hold bodies that are refused anyway.
        h11_max_incomplete_event_size=64 * 1024,
        backlog=_MOST_WAITING if alone else 1,
        callback_notify=sign,
        timeout_notify=pause,
    )
    server = uvicorn.Server(settings) if alone else OneAtATime(settings)
    # When it stops, it waits for these tasks as for its own, and cancels them after the grace period.
    server.server_state.tasks = app.state.tasks
    return server


def switch_threads_often() -> None:
    """Make Python switch threads often enough for smooth streams."""
    sys.setswitchinterval(_SWITCH_SECONDS)


class BoundedConnection(H11Protocol):
    """A connection that is closed if a request does not arrive in time or is ambiguous (request smuggling).

    Attributes:
        head_seconds: seconds within which a request's head must arrive, from its first byte; for the first request,
            from the connection's start.
        body_seconds: the longest pause while a body is arriving.
    """

    head_seconds: ClassVar[float] = 20.0
    body_seconds: ClassVar[float] = 60.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = _Unambiguous(h11.SERVER, self.config.h11_max_incomplete_event_size or 64 * 1024)
        self._waits: asyncio.TimerHandle | None = None
        self._for_head = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time limit for the first request's head."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Process received bytes, and set the time limit for the rest."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the time limit."""
        self._forget()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Set the time limit: one deadline for a whole head, a new one for each part of a body."""
        state = self.conn.their_state
        if state is h11.IDLE and self._waits is not None and self._for_head:
            return
        self._forget()
        self._for_head = state is h11.IDLE
        if self._for_head:
            self._waits = self.loop.call_later(self.head_seconds, self.transport.close)
        elif state is h11.SEND_BODY:
            self._waits = self.loop.call_later(self.body_seconds, self._end_if_waiting)

    def _end_if_waiting(self) -> None:
        if self.flow.read_paused:
            self._wait()  # the server paused reading; the client is not slow
        else:
            self.transport.close()

    def _forget(self) -> None:
        if self._waits is not None:
            self._waits.cancel()
            self._waits = None


class _Unambiguous(h11.Connection):
    """Refuses requests whose end a proxy in front of the server may see at another place.

    These have both a Content-Length and a Transfer-Encoding, a chunked body in a version of HTTP without it, or header
    lines with irregular line ends or continuations, which some parsers read as one line and others as two.
    """

    def next_event(self) -> Any:
        """Return the next event.

        Raises:
            RemoteProtocolError: the request is malformed or ambiguous; the connection must be closed.
        """
        if self.their_state is h11.IDLE:
            _check_lines(self.trailing_data[0])
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if names >= _LENGTHS:
                raise h11.RemoteProtocolError("Content-Length beside Transfer-Encoding")
            if b"transfer-encoding" in names and event.http_version < b"1.1":
                raise h11.RemoteProtocolError("Transfer-Encoding in HTTP before 1.1")
        return event


def _check_lines(received: bytes) -> None:
    """Refuse a complete head with irregular line ends."""
    end = _HEAD_END.search(received)
    if end is not None and _ODD_END.search(received, 0, end.end()):
        raise h11.RemoteProtocolError("a header line ends irregularly")
