"""The tool ``history`` as an agent calls it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from mcp_parts import Connect, paths_of

from history_repository import shop


def test_an_agent_asks_the_history(connect: Connect, tmp_path: Path) -> None:
    made, ids = shop(tmp_path / "shop")

    async def run() -> None:
        async with connect(made.folder) as client:
            found = await client.call_tool("history", {"about": "when was send_with_retry added"})
            first = paths_of(found.content[0].text)[0]  # type: ignore[union-attr]
            assert first == f"commit {ids['retry'][:10]}"
            assert "giving up lost orders" in found.content[0].text  # type: ignore[union-attr]
            read = await client.call_tool("read", {"path": first})
            assert "giving up lost orders" in read.content[0].text
            wrong = await client.call_tool("history", {"about": "", "since": "soon"})
            assert wrong.is_error

    asyncio.run(run())
