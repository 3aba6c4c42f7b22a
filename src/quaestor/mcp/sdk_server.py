"""Serves the tools through the official SDK, over stdio or over streamable HTTP on loopback.

The tools are made after the connection is open: importing what they need takes longer than some clients wait for a
server's first answer, and a client can name its folders only over an open connection.
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
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from mcp import MCPError
from quaestor import __version__
from quaestor.core.errors import QuaestorError
from quaestor.llm.prompts import load
from quaestor.mcp.fast_start import NAME, folders_of_uris, tool_object

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.server.session import ServerSession
    from mcp.shared._stream_protocols import ReadStream, WriteStream

    from quaestor.mcp.fast_start import OpeningExchange
    from quaestor.mcp.mcp_tools import ServedTool


_LOG = logging.getLogger(__name__)

_PROGRESS_SECONDS = 0.2

_Context = ServerRequestContext[Any]

_Make = Callable[[Sequence[Path]], "Sequence[ServedTool]"]
"""Makes the tools for the folders that a client names, possibly none."""

# How long to wait for the folders of a client that declared that it has some.
_ANSWER_SECONDS = 5.0
# How long the last answers may take once a client has closed its input.
_REST_SECONDS = 60.0


def serve_stdio(make: _Make, opening: OpeningExchange | None, *, asking: bool) -> None:
    """Serve one client over standard input and output until it closes them.

    Args:
        make: makes the tools.
        opening: the requests that were answered before the SDK was imported; None if there were none.
        asking: whether to ask the client for its folders.
    """
    tools = opening.tools if opening else None
    offered = ConnectionTools(make, asking=asking) if tools is None else ConnectionTools(lambda _: tools, asking=False)
    asyncio.run(_over_stdio(make_server(offered), opening))


def serve_http(tools: Sequence[ServedTool], host: str, at: socket.socket) -> None:
    """Serve clients over streamable HTTP at ``/mcp`` until interrupted; refuse foreign Host and Origin headers."""
    import uvicorn  # noqa: PLC0415 - not for standard input and output

    from quaestor.server.http.run_server import BoundedConnection  # noqa: PLC0415 - as above

    app = make_server(ConnectionTools(lambda _: tools, asking=False)).streamable_http_app(host=host)
    settings = uvicorn.Config(app, http=BoundedConnection, log_level="warning", access_log=False)
    asyncio.run(uvicorn.Server(settings).serve(sockets=[at]))


def make_server(tools: ConnectionTools) -> Server[Any]:
    """Return an SDK server that offers the tools."""

    async def list_tools(context: _Context, _params: object) -> types.ListToolsResult:
        try:
            return types.ListToolsResult.model_validate(
                {"tools": [tool_object(tool) for tool in await tools.tools(context.session)]}
            )
        except QuaestorError as error:
            raise MCPError(types.INVALID_REQUEST, str(error)) from error

    async def call_tool(context: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            by_name = {tool.name: tool for tool in await tools.tools(context.session)}
        except QuaestorError as error:
            return _failed_result(str(error))
        tool = by_name.get(params.name)
        if tool is None:
            return _failed_result(f"There is no tool {params.name!r}. There are {', '.join(by_name)}.")
        call = asyncio.create_task(asyncio.to_thread(_run, tool, params.arguments or {}))
        await _report_indexing(tool, call, context.session)
        return await call

    async def begin(context: _Context, _params: object) -> None:
        tools.begin(context.session)

    server: Server[Any] = Server(
        NAME,
        version=__version__,
        instructions=load("mcp_instructions").template,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.add_notification_handler("notifications/initialized", types.NotificationParams, begin)
    return server


async def _report_indexing(tool: ServedTool, call: asyncio.Task[Any], session: ServerSession) -> None:
    """Report the progress of the index that a call waits for, if the client asked for progress."""
    reported = -1.0
    while not (await asyncio.wait({call}, timeout=_PROGRESS_SECONDS))[0]:
        indexing = tool.indexing()
        if indexing is not None and indexing.share > reported:
            reported = indexing.share
            await session.report_progress(reported, 1.0, indexing.words)


async def _over_stdio(server: Server[Any], opening: OpeningExchange | None) -> None:
    files = map(anyio.wrap_file, opening.files()) if opening else ()
    async with stdio_server(*files) as (reading, writing), anyio.create_task_group() as tasks:
        answers = _AnswerStream(writing, opening.answered if opening else set())
        handing_on, handed_on = anyio.create_memory_object_stream[Any](0)
        tasks.start_soon(_pass_on, reading, handing_on, answers)
        await server.run(handed_on, answers, server.create_initialization_options())


async def _pass_on(
    reading: ReadStream[SessionMessage | Exception], to: MemoryObjectSendStream[Any], answers: _AnswerStream
) -> None:
    """Pass a client's messages to the SDK, and the end of input only once all are answered; refuse invalid lines.

    The SDK alone drops a line that it cannot parse, so that the client waits for ever; and at the end of input it
    drops the answers that are not sent yet, so that `quaestor mcp < requests` would print only the first ones.
    """
    async with to:
        async for item in reading:
            if isinstance(item, Exception):
                await answers.refuse(item)
            else:
                answers.expect(item.message)
                await to.send(item)
        with anyio.move_on_after(_REST_SECONDS):
            await answers.wait_until_answered()


class _AnswerStream:
    """The stream to a client, without the answers that it already has; keeps count of the answers that it awaits."""

    def __init__(self, stream: WriteStream[SessionMessage], answered: set[int | str]) -> None:
        self._stream = stream
        self._answered = answered
        self._expected: set[int | str] = set()
        self._answer_sent = anyio.Event()

    def expect(self, message: types.JSONRPCMessage) -> None:
        """Note a client's message: a request awaits an answer until it is cancelled."""
        if isinstance(message, types.JSONRPCRequest):
            self._expected.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._note((message.params or {}).get("requestId"))

    async def wait_until_answered(self) -> None:
        """Wait until all requests are answered or cancelled."""
        while self._expected:
            self._answer_sent = anyio.Event()
            await self._answer_sent.wait()

    async def refuse(self, error: Exception) -> None:
        """Answer a line that is not a valid message with an error; ignore an empty line."""
        code, message, number = types.INTERNAL_ERROR, "The line could not be read.", None
        if isinstance(error, ValidationError):
            wrong = error.errors(include_url=False)
            inputs = [one["input"] for one in wrong]
            if wrong[0]["type"] == "json_invalid":
                if not str(inputs[0]).strip():
                    return
                code, message = types.PARSE_ERROR, f"{wrong[0]['msg']}. A line holds one JSON object."
            else:
                code, message = types.INVALID_REQUEST, "This is not a JSON-RPC 2.0 message."
                number = next((one.get("id") for one in inputs if isinstance(one, dict)), None)
        number = number if isinstance(number, (int, str)) and not isinstance(number, bool) else None
        refused = types.JSONRPCError(jsonrpc="2.0", id=number, error=types.ErrorData(code=code, message=message))
        await self._stream.send(SessionMessage(refused))

    async def send(self, item: SessionMessage, /) -> None:
        message = item.message
        if not isinstance(message, (types.JSONRPCResponse, types.JSONRPCError)):
            await self._stream.send(item)
        elif message.id in self._answered:
            self._answered.discard(message.id)
            if isinstance(message, types.JSONRPCError) and message.error.code != types.CONNECTION_CLOSED:
                _LOG.warning("the SDK refused a request that was already answered: %s", message.error.message)
            self._note(message.id)
        else:
            await self._stream.send(item)
            self._note(message.id)

    def _note(self, number: object) -> None:
        """Note that a request is answered or cancelled."""
        if isinstance(number, (int, str)):
            self._expected.discard(number)
            self._answer_sent.set()

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> _AnswerStream:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        return await self._stream.__aexit__(*error)


def _run(tool: ServedTool, arguments: dict[str, Any]) -> types.CallToolResult:
    try:
        outcome = tool.run(arguments)
    except QuaestorError as error:
        return _failed_result(str(error))
    except Exception:
        _LOG.exception("the tool %r failed", tool.name)
        return _failed_result(f"The tool {tool.name!r} failed; the server's log says why.")
    # No structured content: given both, some clients show a model the text, some the structure, and some both.
    return types.CallToolResult(content=[_text(outcome.text)], is_error=outcome.failed)


def _failed_result(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(message)], is_error=True)


def _text(text: str) -> types.TextContent:
    # A lone surrogate, from a file name that is not valid text, would break the connection.
    return types.TextContent(text=text.encode("utf-8", "replace").decode("utf-8"))


class ConnectionTools:
    """The tools of one connection.

    Args:
        make: makes the tools; called in a thread, and again after it failed.
        asking: whether to ask the client for its folders.
    """

    def __init__(self, make: _Make, *, asking: bool) -> None:
        self._make = make
        self._asking = asking
        self._making: asyncio.Task[Sequence[ServedTool]] | None = None

    def begin(self, session: ServerSession) -> asyncio.Task[Sequence[ServedTool]]:
        """Begin to make the tools, unless they are made or being made; return the task."""
        if self._making is None or _startup_failed(self._making):
            self._making = asyncio.create_task(self._make_tools(session))
        return self._making

    async def tools(self, session: ServerSession) -> Sequence[ServedTool]:
        """Return the tools once they are made.

        Raises:
            QuaestorError: the tools cannot be made, for example because there is no folder to serve.
        """
        # Shielded, so that a client that disconnects does not cancel the task for the next one.
        return await asyncio.shield(self.begin(session))

    async def _make_tools(self, session: ServerSession) -> Sequence[ServedTool]:
        folders = await folders_of(session) if self._asking else ()
        return await asyncio.to_thread(self._make, folders)


async def folders_of(session: ServerSession) -> tuple[Path, ...]:
    """Ask a client for the folders that it works in; return none if it does not name any."""
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


def _startup_failed(task: asyncio.Task[Sequence[ServedTool]]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
