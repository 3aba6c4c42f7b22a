"""Any text may be asked over HTTP, on the page, over MCP and in Python: results or a clear nothing, never a fault."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

sys.path.insert(0, str(Path(__file__).parent / "web"))

from html_parts import seen
from served import Running, serving, write

from hostile_queries import HOSTILE, each_hostile_query
from quaestor import Index
from quaestor.core.config import Settings
from quaestor.core.errors import QuaestorError
from quaestor.mcp.mcp_tools import tools_of

# JSON can say what is not text; nothing else of ours takes it.
NO_TEXT = [query for query in HOSTILE if any("\ud800" <= letter <= "\udfff" for letter in query)]
TEXT = [query for query in HOSTILE if query not in NO_TEXT]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any-query")


@pytest.fixture(scope="module")
def kitchen(place: Path) -> Path:
    return write(place / "kitchen")


@pytest.fixture(scope="module")
def server(place: Path, kitchen: Path) -> Iterator[Running]:
    with serving(kitchen, home=place / "home") as server:
        yield server


@pytest.fixture(scope="module")
def client(server: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=600, verify=False) as client:
        yield client


def sent(client: httpx.Client, path: str, name: str, query: str) -> Mapping[str, Any]:
    """Send JSON with every letter escaped, and return the answer; what is not text is refused as such."""
    answer = client.post(path, content=json.dumps({name: query}), headers={"content-type": "application/json"})
    if query in NO_TEXT:
        assert answer.status_code == 400
        assert "valid string" in answer.json()["error"]["message"]
        return {}
    assert answer.status_code == 200, answer.text
    found: Mapping[str, Any] = answer.json()
    return found


@each_hostile_query
def test_over_http(client: httpx.Client, query: str) -> None:
    if found := sent(client, "/api/search", "query", query):
        assert found["query"] == query
        assert all(hit["fresh"] and len(hit["sha256"]) == 64 for hit in found["hits"])
    if asked := sent(client, "/api/ask", "question", query):
        assert asked["question"] == query
        assert bool(asked["citations"]) is asked["known"]


@pytest.mark.parametrize("query", [query for query in TEXT if len(query) <= 1000], ids=lambda query: ascii(query[:20]))
def test_on_the_page(client: httpx.Client, query: str) -> None:
    answer = client.get("/search", params={"q": query})
    assert answer.status_code == 200
    shown = seen(answer.text)
    told = "passage" in shown.text or "Nothing was found" in shown.text
    assert told is bool(query.strip())


@each_hostile_query
@pytest.mark.parametrize(("name", "argument"), [("search", "query"), ("related", "target"), ("ask", "question")])
def test_over_mcp(server: Running, name: str, argument: str, query: str) -> None:
    [tool] = [tool for tool in tools_of(server.served.corpora) if tool.name == name]
    answer = tool.run({argument: query})
    assert answer.text
    assert not answer.failed or name == "related"
    if name == "search":
        assert answer.passages or "Nothing found for" in answer.text


@each_hostile_query
def test_in_python(place: Path, kitchen: Path, query: str) -> None:
    with Index.build(kitchen, settings=Settings(home=str(place / "home"))) as index:
        for mode in ("ranked", "fusion", "lexical", "dense"):
            hits = index.search(query, mode=mode)
            assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]
        assert index.find(query)[1].text is not None
        try:
            assert index.related(query)
        except QuaestorError as error:
            assert str(error)
