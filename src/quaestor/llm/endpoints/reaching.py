"""Whether anybody listens at an endpoint's address. Nothing is sent: a connection is opened, and closed again."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}


def is_listening(base_url: str, seconds: float = 1.0) -> bool:
    """Return whether a connection to an endpoint can be opened within ``seconds``.

    An address that cannot be one is taken for one where nobody listens.
    """
    try:
        parts = urlsplit(base_url)
        address = (parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 80))
        with socket.create_connection(address, timeout=seconds):
            return True
    except (OSError, ValueError, OverflowError):
        return False
