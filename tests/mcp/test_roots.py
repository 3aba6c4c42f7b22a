"""The folders that a client says it works in, where the command line names none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp_parts import Connect, paths_of

from mcp import Client, MCPError
from quaestor.mcp.fast_start import folder_of_uri

Start = Callable[..., Client]


@pytest.fixture
def working_in(connect: Connect) -> Start:
    """Return a client that works in folders, of the protocol in which clients say so."""

    def start(*folders: Path, given: tuple[Path, ...] = ()) -> Client:
        async def roots(_context: Any) -> types.ListRootsResult:
            return types.ListRootsResult(roots=[types.Root(uri=folder.as_uri()) for folder in folders])  # type: ignore[arg-type]

        return replace(connect(*given), list_roots_callback=roots, mode="legacy")

    return start


async def best_of(client: Client) -> str:
    found = await client.call_tool("search", {"query": "where do we try again after a failure?"})
    assert not found.is_error, found
    return paths_of(found.content[0].text)[0]  # type: ignore[union-attr]


def test_they_are_served(working_in: Start, repository: Path) -> None:
    async def run() -> None:
        async with working_in(repository, repository / "not-there") as client:
            assert await best_of(client) == "src/retry.py"

    asyncio.run(run())


@pytest.mark.slow
def test_several_are_told_apart(working_in: Start, repository: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()

    async def run() -> None:
        async with working_in(repository, notes) as client:
            search = (await client.list_tools()).tools[0]
            assert search.input_schema["properties"]["corpus"]["items"]["enum"] == ["repository", "notes"]

    asyncio.run(run())


@pytest.mark.slow
def test_the_command_line_comes_first(working_in: Start, repository: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()

    async def run() -> None:
        async with working_in(notes, given=(repository,)) as client:
            assert await best_of(client) == "src/retry.py"

    asyncio.run(run())


@pytest.fixture
def at_home(working_in: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Return a client whose server is started in the home folder."""
    monkeypatch.setenv("HOME", str(tmp_path / "elsewhere"))
    return working_in


@pytest.mark.slow
def test_a_server_that_is_started_just_anywhere_serves_them_too(at_home: Start, repository: Path) -> None:
    async def run() -> None:
        async with at_home(repository) as client:
            assert await best_of(client) == "src/retry.py"

    asyncio.run(run())


def test_without_any_the_agent_is_told_what_to_do(at_home: Start, tmp_path: Path) -> None:
    async def run() -> None:
        async with at_home(tmp_path / "elsewhere") as client:
            with pytest.raises(MCPError, match="which is not a repository"):
                await client.list_tools()
            failed = await client.call_tool("search", {"query": "x"})
            assert failed.is_error
            assert "quaestor install CLIENT PATH" in failed.content[0].text  # type: ignore[union-attr]

    # The server ends with the same words, as a command that failed.
    asyncio.run(run())


@pytest.mark.parametrize(
    "uri", ["https://example.org/", "file://elsewhere/tmp", "file:///no/such/folder", "file:tmp", "", "untitled:1"]
)
def test_what_is_no_folder_of_this_machine(uri: str) -> None:
    assert folder_of_uri(uri) is None


def test_names_with_odd_letters(tmp_path: Path) -> None:
    folder = tmp_path / "été 100% #1"
    folder.mkdir()
    assert folder_of_uri(folder.as_uri()) == folder
