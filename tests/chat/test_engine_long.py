"""Hundreds of turns through a small window: never over the limit by the server's own count, nothing forgotten."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from chat_parts import model_at

from quaestor import Index
from quaestor.chat.engine import Conversation
from quaestor.chat.events import Composed, Done
from quaestor.sessions.named_sessions import FolderSessions
from scripted_server import Recorded, Reply, ScriptedServer, StartServer, in_pieces

FACT = "Remember that the staging database of the Lisbon office listens on port 54873."
ASKED = "On which port does the staging database of the Lisbon office listen?"
TOPICS = ("retries", "sourdough", "timeouts", "pancakes", "requests", "butter", "attempts", "refrigerators")
LIMIT = 4096


def reply(request: Recorded) -> Reply:
    """A reply as long as the question asks for, about its words, in few pieces."""
    words = request.last.split()
    text = f"On {words[-1]} this can be said: " + " ".join(words * (1 + len(request.last) % 9))
    return Reply(pieces=in_pieces(text, 200))


def question(turn: int) -> str:
    topic = TOPICS[turn % len(TOPICS)]
    filler = " ".join(f"{topic}{number}" for number in range(turn % 23))
    return f"In turn {turn}, tell me about {topic} {filler} and number {turn * 7919 % 1000}"


def talked(
    corpus: Index, server: ScriptedServer, folder: Path, turns: int, ask_at: int, *, model: str
) -> tuple[Conversation, list[int]]:
    """Hold a conversation; return it with the tokens of each window by our count."""

    async def talk() -> tuple[Conversation, list[int]]:
        transcript = FolderSessions(folder).begin(name="long")
        conversation = Conversation(corpus, model_at(server, model), limit=LIMIT, transcript=transcript)
        tokens = []
        for turn in range(1, turns + 1):
            text = FACT if turn == 3 else ASKED if turn == ask_at else question(turn)
            events = [event async for event in conversation.send(text)]
            tokens += [event.window.tokens for event in events if isinstance(event, Composed)]
            assert isinstance(events[-1], Done)
        assert conversation.model is not None
        await conversation.model.aclose()  # type: ignore[attr-defined]
        return conversation, tokens

    return asyncio.run(talk())


def check(corpus: Index, start: StartServer, folder: Path, turns: int, ask_at: int, *, model: str) -> None:
    server = start(reply, style="vllm", window=LIMIT, models=(model,))
    corpus.refresh_seconds = 0.2
    conversation, counted = talked(corpus, server, folder, turns, ask_at, model=model)
    requests = server.requests
    assert len(requests) == len(counted) == turns
    assert all(request.prompt_tokens + request.body["max_tokens"] <= LIMIT for request in requests)
    assert all(request.prompt_tokens <= ours for request, ours in zip(requests, counted, strict=True))
    if model == "gpt-4o":
        # Where the encoding is known, our count is the server's, to the token.
        assert [request.prompt_tokens for request in requests] == counted
    assert {turn.ending.state for turn in conversation.transcript.turns()} == {"done"}
    asked = requests[ask_at - 1].messages
    assert asked[-1]["content"] == ASKED
    assert FACT in [message["content"] for message in asked[:-1]]
    assert max(counted) > LIMIT * 0.8
    assert conversation.limit == LIMIT
    conversation.transcript.close()


@pytest.mark.parametrize("model", [pytest.param("gpt-4o", marks=pytest.mark.slow), "tiny"])
def test_a_hundred_turns(corpus: Index, scripted_server: StartServer, tmp_path: Path, model: str) -> None:
    check(corpus, scripted_server, tmp_path / "sessions", 100, 90, model=model)


@pytest.mark.slow
def test_a_thousand_turns(corpus: Index, scripted_server: StartServer, tmp_path: Path) -> None:
    check(corpus, scripted_server, tmp_path / "sessions", 1000, 900, model="gpt-4o")
