"""Running a server in a thread, on a port of its own."""

from __future__ import annotations

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


def free_port() -> int:
    """Return a port at which nobody listens now."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


class Exchange(BaseHTTPRequestHandler):
    """One connection to a ``ThreadedServer``."""

    # No body waits until the client has acknowledged the head.
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        pass


class ThreadedServer:
    """A server that answers each connection in a thread; a context manager.

    Args:
        exchange: answers one connection; finds this object as ``self.server.owner``.
        port: where it listens; 0: anywhere.
    """

    def __init__(self, exchange: type[Exchange], port: int = 0) -> None:
        self.listening = _Listening(("127.0.0.1", port), exchange)
        self.listening.owner = self
        self._thread = threading.Thread(target=self.listening.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        return self.listening.server_port

    def failed(self) -> None:
        """Called while an exception of an exchange is being handled; forgets it."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.listening.shutdown()
        self.listening.server_close()
        self._thread.join()


class _Listening(ThreadingHTTPServer):
    owner: ThreadedServer
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        self.owner.failed()
