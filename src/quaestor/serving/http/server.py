"""Running the application on a port until it is told to stop, and letting streams end then."""

from __future__ import annotations

import socket
import sys

import uvicorn
from fastapi import FastAPI

# A reply that takes longer than this after Ctrl-C is cut off.
_GRACE_SECONDS = 30
# Searches run in threads. With Python's 5 ms, each of a stream's many small steps would wait so long for its turn.
_SWITCH_SECONDS = 0.0005


def make_server(app: FastAPI, *, grace: int = _GRACE_SECONDS) -> uvicorn.Server:
    """Return a server for an application.

    Args:
        app: what is served.
        grace: seconds that replies under way have after the server is told to stop.
    """
    settings = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=grace,
        # Reading ahead of a slow route would hold bodies that are refused anyway.
        h11_max_incomplete_event_size=64 * 1024,
    )
    return uvicorn.Server(settings)


async def serve(app: FastAPI, at: socket.socket) -> None:
    """Serve until interrupted."""
    sys.setswitchinterval(_SWITCH_SECONDS)
    await make_server(app).serve(sockets=[at])
