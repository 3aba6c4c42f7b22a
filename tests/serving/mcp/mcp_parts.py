"""What tests of the MCP server share."""

from __future__ import annotations

import socket
from collections.abc import Callable

from mcp import Client

Connect = Callable[..., Client]
"""Takes the arguments of ``quaestor mcp`` and returns a client of it."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
