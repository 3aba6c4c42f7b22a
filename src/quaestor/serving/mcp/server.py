"""The tools behind the official SDK: stdio, and streamable HTTP on loopback."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from quaestor import __version__
from quaestor.errors import QuaestorError
from quaestor.prompts import load
from quaestor.serving.mcp.offering import Offering

if TYPE_CHECKING:
    from quaestor.serving.mcp.tools import Tool

_LOG = logging.getLogger(__name__)

_Context = ServerRequestContext[Any]


def make_server(offering: Offering) -> Server[Any]:
    """Return a server for what is offered."""

    async def list_tools(context: _Context, _params: object) -> types.ListToolsResult:
        try:
            return types.ListToolsResult(tools=[_listed(tool) for tool in await offering.tools(context.session)])
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
        return await asyncio.to_thread(_run, tool, params.arguments or {})

    async def begin(context: _Context, _params: object) -> None:
        offering.begin(context.session)

    server: Server[Any] = Server(
        "quaestor",
        version=__version__,
        instructions=load("mcp_instructions").template,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    # Not before: what is imported then would delay the answer that the client waits for.
    server.add_notification_handler("notifications/initialized", types.NotificationParams, begin)
    return server


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client over standard input and output until it closes them."""
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def serve_http(server: Server[Any], host: str, at: socket.socket) -> None:
    """Serve clients over streamable HTTP at ``/mcp`` until interrupted; other Host and Origin headers are refused."""
    import uvicorn  # noqa: PLC0415 - not for standard input and output

    app = server.streamable_http_app(host=host)
    settings = uvicorn.Config(app, log_level="warning", access_log=False)
    await uvicorn.Server(settings).serve(sockets=[at])


def _listed(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes,
        output_schema=tool.returns,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            # A language model may be asked, which is not a closed world; the corpus is.
            open_world_hint=tool.name == "ask",
        ),
    )


def _run(tool: Tool, arguments: dict[str, Any]) -> types.CallToolResult:
    try:
        answer = tool.run(arguments)
    except QuaestorError as error:
        return _failed(str(error))
    except Exception:
        _LOG.exception("the tool %r failed", tool.name)
        return _failed(f"The tool {tool.name!r} failed; the server's log says why.")
    if answer.data is None:
        return _failed(answer.text)
    # A lone surrogate, of a file name that is no text, would end the connection.
    data = json.loads(json.dumps(answer.data, ensure_ascii=False).encode("utf-8", "replace"))
    return types.CallToolResult(content=[_text(answer.text)], structured_content=data)


def _failed(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(message)], is_error=True)


def _text(text: str) -> types.TextContent:
    return types.TextContent(text=text.encode("utf-8", "replace").decode("utf-8"))
