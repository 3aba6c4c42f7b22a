"""What agents are told about words that the corpus lacks."""

from __future__ import annotations

import asyncio
from pathlib import Path

from mcp_parts import Connect, paths_of


def test_words_that_stand_nowhere_are_named(connect: Connect, tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.py").write_text("def failover(server):\n    return server\n")

    async def run() -> None:
        async with connect(tmp_path / "corpus") as client:
            found = await client.call_tool("search", {"query": "failver zebra"})
            text = found.content[0].text  # type: ignore[union-attr]
            assert paths_of(text) == ["a.py"]
            assert "Stands nowhere here: 'failver' (searched for 'failover'), 'zebra'." in text
            known = await client.call_tool("search", {"query": "failover"})
            assert "nowhere" not in known.content[0].text  # type: ignore[union-attr]

    asyncio.run(run())
