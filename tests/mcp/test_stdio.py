"""The MCP server as coding agents meet it: the official client, a real process, standard input and output."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp_parts import Connect, paths_of

from mcp import Client

Shared = Callable[[Callable[[Client], Coroutine[Any, Any, None]]], None]
Add = Callable[[str, str], None]


async def call(client: Client, name: str, **arguments: object) -> str:
    """Call a tool, and return the one text that it returns."""
    result: Any = await client.call_tool(name, arguments)
    assert not result.is_error, result
    [block] = result.content
    return str(block.text)


def test_a_result_is_one_text_and_its_data_do_not_repeat_it(shared: Shared) -> None:
    """Clients that find both give a model the one, the other, or both, at twice the price."""

    async def said(client: Client) -> None:
        for name, arguments in (
            ("search", {"query": "send_with_retry"}),
            ("read", {"path": "src/retry.py"}),
            ("related", {"target": "send_with_retry"}),
            ("overview", {}),
            ("history", {"about": "the newest commits"}),
            ("ask", {"question": "How often is a request sent?"}),
        ):
            result = await client.call_tool(name, arguments)
            assert result.structured_content is None, name
            assert [block.type for block in result.content] == ["text"], name

    shared(said)


def test_the_tools(shared: Shared) -> None:
    async def said(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["search", "read", "related", "overview", "history", "ask"]
        for tool in tools:
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint
            assert len(tool.description or "") < 500
            assert tool.output_schema is None
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            assert not {"anyOf", "oneOf", "allOf", "$ref"} & words_of(tool.input_schema)
            assert '"type": [' not in json.dumps(tool.input_schema)
            assert "corpus" not in tool.input_schema["properties"]

    shared(said)


def words_of(schema: object) -> set[str]:
    """Return all keys of a schema, however deep."""
    if isinstance(schema, dict):
        return set(schema).union(*map(words_of, schema.values()))
    return set().union(*map(words_of, schema)) if isinstance(schema, list) else set()


def test_an_agent_finds_its_way(shared: Shared) -> None:
    async def said(client: Client) -> None:
        found = await call(client, "search", query="where do we try again after a failure?")
        assert paths_of(found)[0] == "src/retry.py"
        assert "send_with_retry" in found
        read = await call(client, "read", path="src/retry.py", start_line=4, end_line=5)
        assert "4|def send_with_retry" in read
        assert "11 lines" in read
        related = await call(client, "related", target="send_with_retry")
        places = [related.index(f"\n{one}") for one in ("<passage", "[2] src/app", "[3] tests/")]
        assert places == sorted(places)
        overview = await call(client, "overview", path="src")
        assert overview.startswith("Overview of src/: 2 documents")
        assert "retry.py: Sending again." in overview
        asked = await call(client, "ask", question="How often is a request sent?")
        assert re.search(r"\n\nSources:(\n- \[\d\] [a-z/_.]+:\d+(-\d+)?, found there)+$", asked), asked

    shared(said)


def test_a_question_without_an_answer_shows_the_nearest(shared: Shared) -> None:
    async def said(client: Client) -> None:
        asked = await call(client, "ask", question="Who sends a request to Friedrichshafen?")
        assert "nothing here mentions 'Friedrichshafen'" in asked
        assert "Nearest to the question:\n- " in asked
        assert "\n- src/retry.py:" in asked

    shared(said)


def test_text_is_no_longer_than_what_agents_are_glad_of(shared: Shared, added: Add) -> None:
    body = "\n".join(f"    total += send_with_retry({number})  # and some more words about it" for number in range(400))
    for number in range(12):
        added(f"src/user{number}.py", f"def use{number}():\n    total = 0\n{body}\n")
    added("src/huge.py", f"class Huge:\n    def run(self):\n{body}\n")

    async def said(client: Client) -> None:
        for name, arguments in (
            ("search", {"query": "send_with_retry", "k": 50}),
            ("related", {"target": "send_with_retry"}),
            ("related", {"target": "Huge"}),
            ("read", {"path": "src/huge.py"}),
        ):
            assert len(await call(client, name, **arguments)) < 30_000, (name, arguments)

    shared(said)


def test_an_edit_is_seen_by_the_next_call(shared: Shared, added: Add) -> None:
    async def said(client: Client) -> None:
        await call(client, "search", query="retry")
        added("src/backoff.py", "def exponential_backoff():\n    return 2\n")
        found = await call(client, "search", query="exponential_backoff")
        assert paths_of(found)[0] == "src/backoff.py"

    shared(said)


MISTAKES: list[tuple[str, dict[str, object], str]] = [
    ("read", {"path": "../outside.txt"}, "not in this index"),
    ("read", {"path": "/etc/passwd"}, "not in this index"),
    ("read", {"path": ".env"}, "not in this index"),
    ("read", {"path": "src/retry.py", "start_line": 400}, "11 lines"),
    ("search", {}, "'query' is missing"),
    ("search", {"query": "x", "limit": 3}, "no argument 'limit'"),
    ("ask", {}, "'question' is missing"),
    ("ask", {"question": "x", "model": "y"}, "no argument 'model'"),
    ("related", {"target": "no_such_name_anywhere"}, "not a name in this index"),
    ("overview", {"path": "nowhere"}, "not a folder of this index"),
    ("serach", {"query": "x"}, "There is no tool 'serach'"),
]


def test_mistakes_are_explained_and_the_server_goes_on(shared: Shared) -> None:
    async def said(client: Client) -> None:
        for name, arguments, words in MISTAKES:
            result = await client.call_tool(name, arguments)
            assert result.is_error, (name, arguments)
            assert words in result.content[0].text  # type: ignore[union-attr]
        assert not (await client.call_tool("search", {"query": "x"})).is_error

    shared(said)


def test_several_corpora(connect: Connect, repository: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "mexico.md").write_text("# Mexico\n\nEat chilaquiles in Oaxaca.\n", encoding="utf-8")

    async def run() -> None:
        async with connect(repository, notes) as client:
            found = await call(client, "search", query="where to eat", corpus=["notes"])
            assert set(paths_of(found)) == {"mexico.md"}
            one = await call(client, "search", query="where to eat", corpus="notes")
            assert one == found
            for corpus in ({}, {"corpus": ["repository", "notes"]}, {"corpus": []}):
                both = await call(client, "search", query="where to eat, or send_with_retry", **corpus)
                assert 'from="mexico.md:1-3" corpus="notes"' in both
                assert re.search('from="src/retry.py:[0-9]+-[0-9]+" corpus="repository"', both)
            assert "chilaquiles" in await call(client, "read", path="mexico.md", corpus="notes")
            unnamed = await client.call_tool("read", {"path": "mexico.md"})
            assert unnamed.is_error
            assert "'repository', 'notes'" in unnamed.content[0].text  # type: ignore[union-attr]
            unknown = await client.call_tool("search", {"query": "where to eat", "corpus": ["note"]})
            assert unknown.is_error
            assert "There is no corpus 'note' here." in unknown.content[0].text  # type: ignore[union-attr]
            assert "Did you mean 'notes'?" in unknown.content[0].text  # type: ignore[union-attr]

    asyncio.run(run())


@pytest.mark.slow
def test_a_mistake_among_several_corpora_names_the_argument_that_tells_them_apart(
    connect: Connect, repository: Path, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Notes\n\nThe wine is kept at twelve degrees.\n", encoding="utf-8")
    mistakes: list[tuple[str, dict[str, object]]] = [
        ("search", {"query": "wine", "source": "notes"}),
        ("overview", {}),
        ("read", {"path": "a.md", "corpus": "repository"}),
    ]

    async def run() -> None:
        async with connect(repository, notes) as client:
            for name, arguments in mistakes:
                refused = await client.call_tool(name, arguments)
                assert refused.is_error
                assert re.search("[`']corpus[`']", refused.content[0].text), name  # type: ignore[union-attr]

    asyncio.run(run())


def test_of_several_corpora_one_that_fails_costs_only_itself(
    connect: Connect, repository: Path, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "mexico.md").write_text("# Mexico\n\nEat chilaquiles in Oaxaca.\n", encoding="utf-8")

    async def run() -> None:
        async with connect(repository, notes) as client:
            await call(client, "search", query="where to eat")
            for index in (tmp_path / "home" / "indexes").glob("notes-*"):
                for file in index.rglob("*.sqlite*"):
                    file.unlink()
            (notes / "mexico.md").unlink()
            notes.rmdir()
            found = await call(client, "search", query="send_with_retry")
            assert paths_of(found)[0] == "src/retry.py"
            assert "Not all corpora were searched. notes: " in found

    asyncio.run(run())


@pytest.mark.slow
def test_an_empty_folder(connect: Connect, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()

    async def run() -> None:
        async with connect(empty) as client:
            found = await call(client, "search", query="anything")
            assert found.startswith("Nothing found for 'anything'.")

    asyncio.run(run())
