"""The tool ``history`` as an agent calls it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import jsonschema
from mcp_parts import Connect

from history_repository import shop


def test_an_agent_asks_the_history(connect: Connect, tmp_path: Path) -> None:
    made, ids = shop(tmp_path / "shop")

    async def run() -> None:
        async with connect(made.folder) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            found = await client.call_tool("history", {"about": "when was send_with_retry added"})
            jsonschema.validate(found.structured_content, tools["history"].output_schema or {})
            first = found.structured_content["passages"][0]
            assert first["path"] == f"commit {ids['retry'][:10]}"
            assert "giving up lost orders" in found.content[0].text
            read = await client.call_tool("read", {"path": first["path"]})
            assert "giving up lost orders" in read.content[0].text
            wrong = await client.call_tool("history", {"about": "", "since": "soon"})
            assert wrong.is_error

    asyncio.run(run())
