"""Listening at a port."""

from __future__ import annotations

import socket

import pytest

from quaestor.core.errors import UsageError
from quaestor.server.free_port import listen_at


def test_nothing_that_is_sent_waits_for_an_acknowledgement() -> None:
    with listen_at("127.0.0.1", 0) as at, socket.create_connection(at.getsockname()):
        connection, _ = at.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_port_that_is_taken_is_said_at_once() -> None:
    with listen_at("127.0.0.1", 0) as at:
        port = at.getsockname()[1]
        with pytest.raises(UsageError, match=f"Port {port} of '127.0.0.1' cannot be used"):
            listen_at("127.0.0.1", port)
