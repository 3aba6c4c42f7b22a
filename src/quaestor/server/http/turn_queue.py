"""Letting few turns get ready at a time, first come, first served, so that a crowd is answered one after the other.

What a turn does before its request is sent (search, composing) takes processor time and no waiting, and one Python runs
one thread at a time. Were all turns to get ready side by side, all would be ready when the last one is.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from quaestor.chat.events import Event, Passages, Searching

# More than one: a search may wait for an embedder elsewhere, or for files that have changed.
AT_ONCE = 4


async def queued(places: asyncio.Semaphore, events: AsyncGenerator[Event]) -> AsyncGenerator[Event]:
    """Yield a turn's events; it has one of the places until its window is composed, or until it waits for a model.

    Args:
        places: of those that get ready.
        events: of a turn that has not begun; closed with this.
    """
    await places.acquire()
    ready = False
    try:
        async with aclosing(events):
            async for event in events:
                if not ready and not isinstance(event, Searching | Passages):
                    ready = True
                    places.release()
                yield event
    finally:
        if not ready:
            places.release()
