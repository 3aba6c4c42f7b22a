"""What an agent is told where its search was by words alone, with a corpus whose embedder is a server's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import jsonschema

from quaestor import Index
from quaestor.config import Settings
from quaestor.serving.corpora import Corpora
from quaestor.serving.mcp.tools import tools_of
from scripted_server import Reply, ScriptedServer


@contextmanager
def served(repository: Path, home: Path, max_cost: float) -> Iterator[tuple[Corpora, ScriptedServer]]:
    """Serve a repository whose index was made with a scripted server's embedder."""
    with ScriptedServer() as server:
        settings = Settings(
            home=str(home),
            embedder="openai:text-embedding-3-small",
            embedder_base_url=server.base_url,
            embedder_price=1.0,
        )
        Index.build(repository, settings=settings, max_cost=max_cost)
        with Corpora([repository], lambda _: settings) as corpora:
            corpora.get("", wait=60)
            yield corpora, server


def found(corpora: Corpora, query: str) -> tuple[str, str]:
    [tool] = [tool for tool in tools_of(corpora) if tool.name == "search"]
    answer = tool.run({"query": query})
    assert answer.data is not None
    jsonschema.validate(answer.data, tool.returns)
    assert answer.data["hits"]
    return answer.data["by_meaning"], answer.text


def test_an_agent_is_told_that_words_alone_decided(tmp_path: Path, repository: Path) -> None:
    with served(repository, tmp_path / "home", math.inf) as (corpora, server):
        reach, text = found(corpora, "where do we try again?")
        assert (reach, "words alone" in text) == ("all", False)
        server.embeddings = lambda _: Reply(status=401, error="no such key")
        reach, text = found(corpora, "what happens after a failure?")
        assert (reach, "All documents were searched by words alone" in text) == ("none", True)


def test_an_agent_is_told_that_some_documents_wait(tmp_path: Path, repository: Path) -> None:
    with served(repository, tmp_path / "home", 0.0) as (corpora, _):
        reach, text = found(corpora, "where do we try again?")
        assert (reach, "Some documents were searched by words alone" in text) == ("some", True)
