"""Whole turns with a real server: what it finds too long is composed anew, sent once more, and answered."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from real_parts import chat_model, completion_model
from real_servers import ROOT, RealServer

from quaestor import Conversation, Index
from quaestor.chat.events import Citations, Composed, Done, Event, Retried
from quaestor.core.config import Settings
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel

pytestmark = pytest.mark.real

QUESTION = "How often is a request sent?"
ANSWER = 'A request is sent three times [1: "MAX_ATTEMPTS = 3"].'
SOURCE = "MAX_ATTEMPTS = 3  # how often a request is sent\n\n\ndef send_with_retry(request):\n    return request\n"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "retry.py").write_text(SOURCE, encoding="utf-8")
    for number in range(6):
        lines = [f"def request_{number}_{line}():  # a request is sent\n    return {line}\n" for line in range(40)]
        (folder / f"requests_{number}.py").write_text("\n".join(lines), encoding="utf-8")
    with Index.build(folder, settings=Settings(home=str(tmp_path_factory.mktemp("home")))) as index:
        yield index


def turn(conversation: Conversation, model: OpenAICompatibleModel) -> list[Event]:
    async def collect() -> list[Event]:
        try:
            return [event async for event in conversation.send(QUESTION)]
        finally:
            await model.aclose()

    return asyncio.run(collect())


@pytest.mark.parametrize("plain", [False, True])
def test_a_window_that_is_smaller_than_was_thought(index: Index, narrow_llama: RealServer, plain: bool) -> None:
    model = (completion_model if plain else chat_model)(narrow_llama)
    conversation = Conversation(index, model, limit=8192)
    events = turn(conversation, model)
    [retried] = [event for event in events if isinstance(event, Retried)]
    assert "too long" in retried.reason
    assert conversation.limit <= 1024
    composed = [event for event in events if isinstance(event, Composed)]
    assert len(composed) == 2
    assert composed[1].window.tokens < 1024 < composed[0].window.tokens
    done = events[-1]
    assert isinstance(done, Done)
    assert done.answer == ANSWER


def test_citations_of_a_real_reply_are_verified(index: Index, llama: RealServer) -> None:
    model = chat_model(llama)
    events = turn(Conversation(index, model, limit=8192), model)
    [citations] = [event for event in events if isinstance(event, Citations)]
    assert [(one.status, one.quote) for one in citations.citations] == [("verified", "MAX_ATTEMPTS = 3")]
    [done] = [event for event in events if isinstance(event, Done)]
    assert done.usage is not None
    assert done.usage.reported


def test_the_command_line(index: Index, llama: RealServer, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "quaestor", "ask", "--json", QUESTION, str(index.root)]
    environment = {
        "PYTHONPATH": str(ROOT / "src"),
        "QUAESTOR_HOME": str(tmp_path),
        "QUAESTOR_MODEL": "tiny",
        "QUAESTOR_BASE_URL": llama.base_url,
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=600)
    found = json.loads(done.stdout)
    assert found["answer"] == ANSWER
    assert [citation["status"] for citation in found["citations"]] == ["verified"]
