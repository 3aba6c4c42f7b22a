"""How an agent narrows a search over MCP; how far an index is that a call waits for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from mcp_parts import Connect, paths_of

from quaestor.core.config import Settings
from quaestor.mcp.mcp_tools import IndexingProgress, ServedTool, tools_of
from quaestor.server.open_corpora import Corpora


def tools_over(root: Path, home: Path) -> tuple[Corpora, dict[str, ServedTool]]:
    corpora = Corpora([root], lambda _: Settings(home=str(home)))
    return corpora, {tool.name: tool for tool in tools_of(corpora)}


@pytest.mark.parametrize(("language", "paths"), [("markdown", {"docs/guide.md"}), ("Rust", set())])
def test_a_search_in_one_language(repository: Path, tmp_path: Path, language: str, paths: set[str]) -> None:
    corpora, tools = tools_over(repository, tmp_path / "home")
    with corpora:
        found = tools["search"].run({"query": "how often is a request sent?", "language": language})
    assert set(paths_of(found.text)) == paths
    assert ("Nothing found" in found.text) == (not paths)


def test_a_client_is_told_how_far_the_index_is(connect: Connect, tmp_path: Path) -> None:
    root = tmp_path / "large"
    for number in range(60):
        place = root / f"part{number}.py"
        place.parent.mkdir(exist_ok=True)
        place.write_text(
            "\n".join(f"def name_{number}_{one}(value):\n    return value + {one}\n" for one in range(400)),
            encoding="utf-8",
        )
    told: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def run() -> None:
        async with connect(root) as client:
            found = await client.call_tool("search", {"query": "name_59_399"}, progress_callback=hear)
            assert not found.is_error

    asyncio.run(run())
    assert told
    assert [one[0] for one in told] == sorted({one[0] for one in told})
    assert {one[1] for one in told} == {1.0}
    assert all((message or "").startswith("indexing large: ") for _, _, message in told)


def test_how_far_indexes_are_is_none_once_they_are_there(repository: Path, tmp_path: Path) -> None:
    corpora, tools = tools_over(repository, tmp_path / "home")
    assert tools["read"].indexing() == IndexingProgress(0.0, "indexing repository: its files are being counted")
    with corpora:
        corpora.get(wait=600)
        assert tools["read"].indexing() is None
