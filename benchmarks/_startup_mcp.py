"""The smallest server of the official MCP SDK; ``startup.py`` measures ours beside it."""

import asyncio
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def list_tools(_context: Any, _params: object) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name="search", input_schema={"type": "object"})])


async def call_tool(_context: Any, _params: object) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text="nothing")])


async def main() -> None:
    server: Server[Any] = Server("least", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
