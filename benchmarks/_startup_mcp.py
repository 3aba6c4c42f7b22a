"""The least that a server of the official MCP SDK does before it answers; ``startup.py`` measures ours beside it."""

import asyncio

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def main() -> None:
    server = Server("least")
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
