"""Taking a port before anything slow begins, so that an occupied one is reported at once."""

from __future__ import annotations

import socket

from quaestor.core.errors import UsageError


def listen_at(host: str, port: int) -> socket.socket:
    """Return a socket at which clients are heard from now on.

    Raises:
        UsageError: the port is taken, or not this user's to take, or the host is not an address of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        at = socket.create_server((host, port), family=family)
    except OSError as error:
        raise UsageError(
            f"Port {port} of {host!r} cannot be listened to ({error.strerror or error}). Give another with --port."
        ) from error
    # asyncio sees to this only for sockets that it opens itself. Without it, the body of an answer waits until its head
    # is acknowledged, which on a connection that is kept takes 40 ms. Connections inherit it.
    at.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return at
