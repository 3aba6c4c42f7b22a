"""A turn that goes on by itself, whoever reads its events: nobody, the tab that asked, or several at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress


class DetachedTurn:
    """The events of a turn, kept while it goes on, so that who comes later reads them from the first.

    Args:
        events: of the turn, as they are sent.
    """

    def __init__(self, events: AsyncGenerator[bytes]) -> None:
        self._events = events
        self._pieces: list[bytes] = []
        self._over = False
        self._failure: Exception | None = None
        self._more = asyncio.Event()

    async def run(self) -> None:
        """Let the turn go on to its end; cancelling this stops the turn."""
        try:
            async with aclosing(self._events) as events:
                async for piece in events:
                    self._pieces.append(piece)
                    self._wake()
        except Exception as error:  # told to whoever began the turn
            self._failure = error

    def end(self) -> None:
        """Tell those who follow that there is no more."""
        self._over = True
        self._wake()

    async def begun(self, patience: float) -> None:
        """Wait for the first event, the turn's end, or so many seconds.

        Raises:
            Exception: the turn failed before its first event.
        """
        if not (self._pieces or self._over):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._more.wait(), patience)
        if self._failure is not None and not self._pieces:
            raise self._failure

    def since(self, read: int) -> list[bytes]:
        """Return the events from a place on, as far as they have come."""
        return self._pieces[read:]

    async def follow(self) -> AsyncGenerator[bytes]:
        """Yield the turn's events from the first; what is there already comes at once."""
        read = 0
        while True:
            more = self._more
            found = self.since(read)
            if found:
                read += len(found)
                yield b"".join(found)
            elif self._over:
                return
            else:
                await more.wait()

    def _wake(self) -> None:
        self._more.set()
        self._more = asyncio.Event()
