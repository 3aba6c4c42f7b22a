"""Stands before a PostgreSQL server and cuts connections at chosen messages, as a network does that fails just then."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

COMMIT = b"Q\x00\x00\x00\x0bCOMMIT\x00"
"""The message that ends a transaction."""


class CuttingProxy:
    """Closes a connection at one of the messages that clients send.

    Args:
        port: the server's.
        lose_answer: lets the server do what the message says, and loses what it answers; else it loses the message.

    Attributes:
        port: its own.
        sent: how many messages there were.
        cut_at: the number of the message, from 1; 0 for none.
    """

    def __init__(self, port: int, *, lose_answer: bool) -> None:
        self.sent = 0
        self.cut_at = 0
        self._at_commit = False
        self._meanwhile: Callable[[], object] | None = None
        self._server, self._lose_answer = port, lose_answer
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._clients = list[socket.socket]()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def before(self, address: str) -> str:
        """Return a server's address as that of this proxy."""
        return address.replace(f":{self._server}/", f":{self.port}/")

    def close(self) -> None:
        """End all connections."""
        for end in (self._listening, *self._clients):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._listening.close()

    def cut(self, at: int) -> None:
        """Close the connection at that message from now on."""
        self.sent, self.cut_at = 0, at

    def cut_commit(self, *, lose_answer: bool, meanwhile: Callable[[], object] | None = None) -> None:
        """Close the connection at the next ``COMMIT``; ``meanwhile`` is done before its client hears of that."""
        self._at_commit, self._lose_answer, self._meanwhile = True, lose_answer, meanwhile

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._server))
                self._clients.append(client)
                self._threads.append(threading.Thread(target=self._pump, args=(client, server)))
                self._threads[-1].start()

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        with client, suppress(OSError):
            with server:
                cut = self._pass_on(client, server)
            if cut and self._meanwhile is not None:
                self._meanwhile()

    def _pass_on(self, client: socket.socket, server: socket.socket) -> bool:
        """Pass all messages on; return whether the connection was cut, rather than ended by one of the two."""
        cut = False
        while True:
            ready, _, _ = select.select([client, server], [], [])
            for end in ready:
                data = end.recv(1 << 20)
                if end is client:
                    self.sent += 1
                    cut = cut or self.sent == self.cut_at or (self._at_commit and data == COMMIT)
                if cut:
                    self._at_commit = False
                if not data or (cut and (end is server or not self._lose_answer)):
                    return cut
                (server if end is client else client).sendall(data)
