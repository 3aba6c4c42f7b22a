"""What a connection offers, made once the connection stands.

A client waits for the first answer of a server that it starts. Corpora and all that searches them take longer to import
than that answer may take, and which folders are meant a client can only say afterwards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import mcp_types as types

from mcp import MCPError
from quaestor.mcp.fast_start import folders_of_uris

if TYPE_CHECKING:
    from mcp.server.session import ServerSession

    from quaestor.mcp.mcp_tools import Tool

Make = Callable[[Sequence[Path]], "Sequence[Tool]"]
"""Makes tools of the folders that a client names, which may be none."""

# A client that declares folders and does not name them is not waited for any longer.
_ANSWER_SECONDS = 5.0


class Offering:
    """The tools of one connection.

    Args:
        make: makes them, in a thread; asked again where it failed.
        asking: whether the client is asked for its folders.
    """

    def __init__(self, make: Make, *, asking: bool) -> None:
        self._make = make
        self._asking = asking
        self._making: asyncio.Task[Sequence[Tool]] | None = None

    def begin(self, session: ServerSession) -> asyncio.Task[Sequence[Tool]]:
        """Begin to make the tools, unless that is done or under way."""
        if self._making is None or _failed(self._making):
            self._making = asyncio.create_task(self._made(session))
        return self._making

    async def tools(self, session: ServerSession) -> Sequence[Tool]:
        """Return the tools once they are made.

        Raises:
            QuaestorError: there is nothing to offer.
        """
        # Whoever hangs up does not end it for the next one.
        return await asyncio.shield(self.begin(session))

    async def _made(self, session: ServerSession) -> Sequence[Tool]:
        named = await folders_of(session) if self._asking else ()
        return await asyncio.to_thread(self._make, named)


async def folders_of(session: ServerSession) -> tuple[Path, ...]:
    """Return the folders that a client works in, as it names them; none if it does not."""
    declared = session.client_capabilities
    if declared is None or declared.roots is None or not session.can_send_request:
        return ()
    try:
        answer = await session.send_request(
            types.ListRootsRequest(), types.ListRootsResult, request_read_timeout_seconds=_ANSWER_SECONDS
        )
    except (MCPError, ValueError):
        return ()
    return folders_of_uris(str(root.uri) for root in answer.roots)


def _failed(task: asyncio.Task[Sequence[Tool]]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
