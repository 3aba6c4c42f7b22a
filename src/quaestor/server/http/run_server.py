"""Running the application on a port until it is told to stop, with bounded connections and a graceful end.

Connections add protection against slow and ambiguous requests, which uvicorn's lack.
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

# A reply that takes longer than this after Ctrl-C is cut off.
_GRACE_SECONDS = 30
# Proxies keep a connection for a minute (nginx); closing it first would lose the request that they send then.
_IDLE_SECONDS = 75
# Connections that the system accepts before anybody looks at them.
_MOST_WAITING = 2048
# Searches run in threads. With Python's 5 ms, each of a stream's many small steps would wait so long for its turn.
_SWITCH_SECONDS = 0.0005

_HEAD_END = re.compile(rb"\r?\n\r?\n")
# A line feed on its own, and a line that goes on with the one before. A carriage return on its own h11 itself refuses.
_ODD_END = re.compile(rb"(?<!\r)\n|\n[ \t]")
_LENGTHS = frozenset({b"content-length", b"transfer-encoding"})


class OneAtATime(uvicorn.Server):
    """Accepts one connection at a time, so that other processes at the same socket get their share.

    Otherwise the first process would accept all waiting connections.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to take connections."""
        await super().startup(sockets)
        for at in sockets or ():
            # asyncio takes as many at a time as it lets wait: this many may wait all the same.
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
        grace: seconds for replies under way after the server is told to stop.
        alone: whether no other process accepts connections at the same socket.
        sign: called repeatedly while the server runs, as a sign of life.
        pause: seconds between two calls of it; with 0 there are ten a second.
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
    # It waits for these as for its own when it stops, and ends them when it waits no longer.
    server.server_state.tasks = app.state.tasks
    return server


def take_turns_often() -> None:
    """Let the threads of this process take turns as often as streams need it."""
    sys.setswitchinterval(_SWITCH_SECONDS)


class BoundedConnection(H11Protocol):
    """A connection that is closed if a request does not arrive in time or is ambiguous (request smuggling).

    Attributes:
        head_seconds: time limit of a request's head from its first byte; of the first head, from the connection.
        body_seconds: longest silence while a body is expected.
    """

    head_seconds: ClassVar[float] = 20.0
    body_seconds: ClassVar[float] = 60.0

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.conn = _Unambiguous(h11.SERVER, self.config.h11_max_incomplete_event_size or 64 * 1024)
        self._waits: asyncio.TimerHandle | None = None
        self._for_head = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first head."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take received bytes, and set the time limit for the rest."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
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
            self._wait()  # it is we who do not read
        else:
            self.transport.close()

    def _forget(self) -> None:
        if self._waits is not None:
            self._waits.cancel()
            self._waits = None


class _Unambiguous(h11.Connection):
    """Refuses a request whose end a proxy in front may have seen elsewhere.

    These are two lengths of a body, chunked encoding in a version of HTTP without it, and header lines with irregular
    line ends or continuations, which some readers see as one line and others as two.
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
        raise h11.RemoteProtocolError("a line of the head ends oddly")
