"""One connection of a client: what uvicorn's lacks against clients that are slow, or ambiguous, on purpose."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_LENGTHS = frozenset({b"content-length", b"transfer-encoding"})


class BoundedConnection(H11Protocol):
    """A connection that ends if a request does not come, and if two readers could see two requests in what came.

    Attributes:
        head_seconds: that the head of a request may take from its first byte, the first head from the connection on.
        body_seconds: that may pass without a byte of a body that is waited for.
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
        """Take what came in, and wait for the rest of it."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._forget()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Wait for what is to come next: the rest of a head by one moment, more of a body each time anew."""
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
    """Refuses a request that says twice where its body ends: a proxy in front may have believed the other."""

    def next_event(self) -> Any:
        """Return the next event.

        Raises:
            RemoteProtocolError: what came is no request, or an ambiguous one; the connection is to be closed.
        """
        event = super().next_event()
        if isinstance(event, h11.Request) and _LENGTHS.issubset(name for name, _ in event.headers):
            raise h11.RemoteProtocolError("Content-Length beside Transfer-Encoding")
        return event
