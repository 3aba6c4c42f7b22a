"""The tools behind the official SDK: stdio, and streamable HTTP on loopback.

What a connection offers is made once the connection stands. A client waits for the first answer of a server that it
starts; corpora and all that searches them take longer to import than that answer may take, and which folders are meant
a client can only say afterwards.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from mcp import MCPError
from quaestor import __version__
from quaestor.core.errors import QuaestorError
from quaestor.llm.prompts import load
from quaestor.mcp.fast_start import NAME, folders_of_uris, listed

if TYPE_CHECKING:
    from mcp.server.session import ServerSession
    from mcp.shared._stream_protocols import WriteStream
    from mcp.shared.message import SessionMessage

    from quaestor.mcp.fast_start import Opening
    from quaestor.mcp.mcp_tools import Tool


_LOG = logging.getLogger(__name__)

_PROGRESS_SECONDS = 0.2

_Context = ServerRequestContext[Any]

_Make = Callable[[Sequence[Path]], "Sequence[Tool]"]
"""Makes tools of the folders that a client names, which may be none."""

# A client that declares folders and does not name them is not waited for any longer.
_ANSWER_SECONDS = 5.0


def serve_stdio(make: _Make, opening: Opening | None, *, asking: bool) -> None:
    """Serve one client over standard input and output until it closes them.

    Args:
        make: makes what is offered.
        opening: what the client was told already; None: nothing.
        asking: whether the client is asked for its folders.
    """
    tools = opening.tools if opening else None
    offering = Offering(make, asking=asking) if tools is None else Offering(lambda _: tools, asking=False)
    asyncio.run(_over_stdio(make_server(offering), opening))


def serve_http(tools: Sequence[Tool], host: str, at: socket.socket) -> None:
    """Serve clients over streamable HTTP at ``/mcp`` until interrupted; other Host and Origin headers are refused."""
    import uvicorn  # noqa: PLC0415 - not for standard input and output

    from quaestor.server.http.run_server import BoundedConnection  # noqa: PLC0415 - as above

    app = make_server(Offering(lambda _: tools, asking=False)).streamable_http_app(host=host)
    settings = uvicorn.Config(app, http=BoundedConnection, log_level="warning", access_log=False)
    asyncio.run(uvicorn.Server(settings).serve(sockets=[at]))


def make_server(offering: Offering) -> Server[Any]:
    """Return a server for what is offered."""

    async def list_tools(context: _Context, _params: object) -> types.ListToolsResult:
        try:
            return types.ListToolsResult.model_validate(
                {"tools": [listed(tool) for tool in await offering.tools(context.session)]}
            )
        except QuaestorError as error:
            raise MCPError(types.INVALID_REQUEST, str(error)) from error

    async def call_tool(context: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            by_name = {tool.name: tool for tool in await offering.tools(context.session)}
        except QuaestorError as error:
            return _failed(str(error))
        tool = by_name.get(params.name)
        if tool is None:
            return _failed(f"There is no tool {params.name!r}. There are {', '.join(by_name)}.")
        call = asyncio.create_task(asyncio.to_thread(_run, tool, params.arguments or {}))
        await _report_indexing(tool, call, context.session)
        return await call

    async def begin(context: _Context, _params: object) -> None:
        offering.begin(context.session)

    server: Server[Any] = Server(
        NAME,
        version=__version__,
        instructions=load("mcp_instructions").template,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.add_notification_handler("notifications/initialized", types.NotificationParams, begin)
    return server


async def _report_indexing(tool: Tool, call: asyncio.Task[Any], session: ServerSession) -> None:
    """Tell a client that asked for progress how far the index is that its call waits for, until the call has ended."""
    told = -1.0
    while not (await asyncio.wait({call}, timeout=_PROGRESS_SECONDS))[0]:
        indexing = tool.indexing()
        if indexing is not None and indexing.share > told:
            told = indexing.share
            await session.report_progress(told, 1.0, indexing.words)


async def _over_stdio(server: Server[Any], opening: Opening | None) -> None:
    files = map(anyio.wrap_file, opening.files()) if opening else ()
    async with stdio_server(*files) as (reading, writing):
        remaining = _Remaining(writing, opening.answered if opening else set())
        await server.run(reading, remaining, server.create_initialization_options())


class _Remaining:
    """The stream to a client, less the answers that it has."""

    def __init__(self, stream: WriteStream[SessionMessage], answered: set[int | str]) -> None:
        self._stream = stream
        self._answered = answered

    async def send(self, item: SessionMessage, /) -> None:
        message = item.message
        if isinstance(message, (types.JSONRPCResponse, types.JSONRPCError)) and message.id in self._answered:
            self._answered.discard(message.id)
            if isinstance(message, types.JSONRPCError) and message.error.code != types.CONNECTION_CLOSED:
                _LOG.warning("the SDK would have refused what the client was granted: %s", message.error.message)
            return
        await self._stream.send(item)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> _Remaining:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        return await self._stream.__aexit__(*error)


def _run(tool: Tool, arguments: dict[str, Any]) -> types.CallToolResult:
    try:
        outcome = tool.run(arguments)
    except QuaestorError as error:
        return _failed(str(error))
    except Exception:
        _LOG.exception("the tool %r failed", tool.name)
        return _failed(f"The tool {tool.name!r} failed; the server's log says why.")
    # No structured content: of a result that has both, some clients show a model the one, some the other, some both.
    return types.CallToolResult(content=[_text(outcome.text)], is_error=outcome.failed)


def _failed(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(message)], is_error=True)


def _text(text: str) -> types.TextContent:
    # A lone surrogate, of a file name that is not text, would end the connection.
    return types.TextContent(text=text.encode("utf-8", "replace").decode("utf-8"))


class Offering:
    """The tools of one connection.

    Args:
        make: makes them, in a thread; asked again where it failed.
        asking: whether the client is asked for its folders.
    """

    def __init__(self, make: _Make, *, asking: bool) -> None:
        self._make = make
        self._asking = asking
        self._making: asyncio.Task[Sequence[Tool]] | None = None

    def begin(self, session: ServerSession) -> asyncio.Task[Sequence[Tool]]:
        """Begin to make the tools, unless that is done or under way."""
        if self._making is None or _startup_failed(self._making):
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


def _startup_failed(task: asyncio.Task[Sequence[Tool]]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
