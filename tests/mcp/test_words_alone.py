"""What an agent is told where its search was by words alone or by another embedder, and of what it found."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema

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
            corpora.get("", wait=60)
            yield corpora, server


def called(corpora: Corpora, name: str, **arguments: object) -> tuple[dict[str, Any], str]:
    [tool] = [tool for tool in tools_of(corpora) if tool.name == name]
    answer = tool.run(arguments)
    assert answer.data is not None
    jsonschema.validate(answer.data, tool.returns)
    return answer.data, answer.text


def found(corpora: Corpora, query: str) -> tuple[str, str]:
    data, text = called(corpora, "search", query=query)
    assert data["hits"]
    assert "coming" not in data
    return data["by_meaning"], text


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


def test_an_agent_is_told_that_another_embedder_answers(tmp_path: Path, repository: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"), embedder=f"onnx:{write_transformer(tmp_path / 'model')}")
    with Corpora([repository], lambda _: settings) as corpora:
        corpora.get("", wait=60)
        data, text = called(corpora, "search", query="where do we try again?")
        assert data["coming"] == {"embedder": settings.embedder, "done": 0, "total": 0, "busy": False}
        assert "found by the bundled embedder: no vectors of the one that was chosen are made" in text


def test_a_hit_or_relative_says_nothing_of_its_freshness_while_it_is_current(tmp_path: Path, repository: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    with Corpora([repository], lambda _: settings) as corpora:
        corpora.get("", wait=60)
        hits = called(corpora, "search", query="send_with_retry")[0]["hits"]
        relatives = called(corpora, "related", target="send_with_retry")[0]["relatives"]
        assert hits
        assert relatives
        for one in (*hits, *relatives):
            assert "fresh" not in one
            assert one["text"].strip() in (repository / one["path"]).read_text(encoding="utf-8")


def test_a_question_in_another_language_is_told_in_english(tmp_path: Path, repository: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    with Corpora([repository], lambda _: settings) as corpora:
        corpora.get("", wait=60)
        data, text = called(corpora, "search", query="Wie oft wird das Senden wiederholt?")
        assert {"often", "send", "retry"} <= set(data["translated"])
        assert "in English as well: often, send" in text
        assert "translated" not in called(corpora, "search", query="how often is sending tried?")[0]
