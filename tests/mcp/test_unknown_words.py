"""What agents are told of words that stand nowhere."""

from __future__ import annotations

import asyncio
from pathlib import Path

from mcp_parts import Connect


def test_words_that_stand_nowhere_are_named(connect: Connect, tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.py").write_text("def failover(server):\n    return server\n")

    async def run() -> None:
        async with connect(tmp_path / "corpus") as client:
            found = await client.call_tool("search", {"query": "failver zebra"})
            assert found.structured_content is not None
            assert found.structured_content["unknown"] == [
                {"word": "failver", "nearest": ["failover"]},
                {"word": "zebra", "nearest": []},
            ]
            assert [hit["path"] for hit in found.structured_content["hits"]] == ["a.py"]
            assert "Stands nowhere here: 'failver' (searched for 'failover'), 'zebra'." in found.content[0].text
            known = await client.call_tool("search", {"query": "failover"})
            assert "unknown" not in (known.structured_content or {})

    asyncio.run(run())
