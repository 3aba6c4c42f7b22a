"""A pool of connections that says at once why it cannot connect.

That of psycopg connects in a thread of its own, and tells of a wrong password only that time ran out.
"""

from __future__ import annotations

import threading
from typing import Any, TypeAlias

import psycopg

from quaestor.core.errors import IndexBusyError

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

_CONNECT_SECONDS = 10
_WAIT_SECONDS = 30.0


class Pool:
    """Connections to the hosts of an address that are of one kind; threads may share it.

    Args:
        uri: the address.
        attributes: which hosts will do, as libpq's ``target_session_attrs`` says it.
        most: connections that are held at most.
    """

    def __init__(self, uri: str, attributes: str, most: int) -> None:
        self._uri = uri
        self._attributes = attributes
        self._idle: list[Connection] = []
        self._mutex = threading.Lock()
        self._free = threading.BoundedSemaphore(most)

    def take(self) -> Connection:
        """Return a connection that nobody else has; it goes back by ``give``.

        Raises:
            IndexBusyError: all of them were in use for all the time that there was to wait.
            psycopg.Error: the server does not let it in.
        """
        if not self._free.acquire(timeout=_WAIT_SECONDS):
            raise IndexBusyError("Every connection to the store is in use: try again.")
        try:
            with self._mutex:
                if self._idle:
                    return self._idle.pop()
            return self._connected()
        except BaseException:
            self._free.release()
            raise

    def give(self, connection: Connection) -> None:
        """Take a connection back; one in the middle of something is closed."""
        usable = not connection.closed and connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        if usable:
            with self._mutex:
                self._idle.append(connection)
        else:
            connection.close()
        self._free.release()

    def forget(self) -> None:
        """Close what is not in use: the server that it leads to may be gone."""
        with self._mutex:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _connected(self) -> Connection:
        return psycopg.connect(
            self._uri,
            autocommit=True,  # transactions are begun with their limits, in one message
            prepare_threshold=None,
            target_session_attrs=self._attributes,
            connect_timeout=_CONNECT_SECONDS,
            fallback_application_name="quaestor",
            client_encoding="UTF8",
        )
