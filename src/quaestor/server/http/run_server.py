"""Running the application on a port until it is told to stop, and letting streams end then."""

from __future__ import annotations

import socket
import sys
from collections.abc import Awaitable, Callable

import uvicorn
from fastapi import FastAPI

from quaestor.server.client_connection import BoundedConnection

# A reply that takes longer than this after Ctrl-C is cut off.
_GRACE_SECONDS = 30
# Connections that the system accepts before anybody looks at them.
_MOST_WAITING = 2048
# Searches run in threads. With Python's 5 ms, each of a stream's many small steps would wait so long for its turn.
_SWITCH_SECONDS = 0.0005


class OneAtATime(uvicorn.Server):
    """Takes one connection at a time, so that other processes at the same socket get theirs.

    Else whichever looks first takes all that wait, and a crowd is one process's.
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
        app: what is served.
        grace: seconds that replies under way have after the server is told to stop.
        alone: whether no other process takes connections at the same socket.
        sign: called again and again while the server runs, for whoever watches over it.
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
