"""What an agent is told if its search was by words alone or by another embedder."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcp_parts import paths_of

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.mcp.mcp_tools import tools_of
from quaestor.server.open_corpora import Corpora
from scripted_server import Reply, ScriptedServer
from tiny_transformer import write_transformer


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
            corpora.get("", wait=600)
            yield corpora, server


def called(corpora: Corpora, name: str, **arguments: object) -> str:
    [tool] = [tool for tool in tools_of(corpora) if tool.name == name]
    outcome = tool.run(arguments)
    assert not outcome.failed
    return outcome.text


def found(corpora: Corpora, query: str) -> str:
    text = called(corpora, "search", query=query)
    assert paths_of(text)
    assert "bundled embedder" not in text
    return text


def test_an_agent_is_told_that_words_alone_decided(tmp_path: Path, repository: Path) -> None:
    with served(repository, tmp_path / "home", math.inf) as (corpora, server):
        assert "words alone" not in found(corpora, "where do we try again?")
        server.embeddings = lambda _: Reply(status=401, error="no such key")
        text = found(corpora, "what happens after a failure?")
        assert "All documents were searched by words alone" in text


def test_an_agent_is_told_that_some_documents_wait(tmp_path: Path, repository: Path) -> None:
    with served(repository, tmp_path / "home", 0.0) as (corpora, _):
        text = found(corpora, "where do we try again?")
        assert "Some documents were searched by words alone" in text


def test_an_agent_is_told_that_another_embedder_answers(tmp_path: Path, repository: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"), embedder=f"onnx:{write_transformer(tmp_path / 'model')}")
    with Corpora([repository], lambda _: settings) as corpora:
        corpora.get("", wait=600)
        text = called(corpora, "search", query="where do we try again?")
        assert "found by the bundled embedder: no vectors of the one that was chosen are made" in text


def test_a_hit_says_nothing_of_its_freshness_while_it_is_current(tmp_path: Path, repository: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    with Corpora([repository], lambda _: settings) as corpora:
        corpora.get("", wait=600)
        for name, argument in (("search", "query"), ("related", "target")):
            assert "changed" not in called(corpora, name, **{argument: "send_with_retry"})


def test_a_question_in_another_language_is_told_in_english(tmp_path: Path, repository: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    with Corpora([repository], lambda _: settings) as corpora:
        corpora.get("", wait=600)
        text = called(corpora, "search", query="Wie oft wird das Senden wiederholt?")
        assert "in English as well: often, send" in text
        assert "in English as well" not in called(corpora, "search", query="how often is sending tried?")
