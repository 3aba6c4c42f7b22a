"""A hundred chats while files change and are indexed, and some clients leave: the others get their answers."""

from __future__ import annotations

import asyncio
import random
import threading
from pathlib import Path

import httpx
import pytest
from served import Running, get, post, serving
from test_index_kill import write_version
from test_moving_ground import moving

from fault_rounds import Trial
from scripted_server import Recorded, Reply, ScriptedServer

WORDS = 40
ROUNDS_AT_ONCE = 100


def reply(_: Recorded) -> Reply:
    return Reply(pieces=["word "] * WORDS, pause=0.005)


async def chat(client: httpx.AsyncClient, url: str, number: int, leaves: str) -> str:
    """Ask; return the text that came, as far as it was waited for."""
    question = f"where is word{number % 60} beside word{number % 41}?"
    body = {"model": "quaestor", "stream": True, "messages": [{"role": "user", "content": question}]}
    text, ended, last = "", False, ""
    async with client.stream("POST", f"{url}/v1/chat/completions", json=body) as answer:
        assert answer.status_code == 200, (answer.status_code, await answer.aread())
        if leaves == "at once":
            return ""
        async for line in answer.aiter_lines():
            ended, last = ended or line == "data: [DONE]", line or last
            text += "word " * line.count('"content":"word ')
            if text and leaves == "in the middle":
                return text
    assert ended, f"the stream has no end: {last}"
    return text


async def crowd(url: str, first: int, count: int) -> None:
    draw = random.Random(first)
    limits = httpx.Limits(max_connections=count)
    async with httpx.AsyncClient(timeout=600, limits=limits, verify=False) as client:
        ways = [draw.choice(["at once", "in the middle", "", ""]) for _ in range(count)]
        found = await asyncio.gather(*(chat(client, url, first + n, way) for n, way in enumerate(ways)))
    for way, text in zip(ways, found, strict=True):
        assert way or text.count("word") >= 1, "an answer without words"


def sockets() -> int:
    """Return how many sockets this process holds; the server and the model's run in it too."""
    return sum(str(one.readlink()).startswith("socket:") for one in Path("/proc/self/fd").iterdir() if one.is_symlink())


def until(holds: object) -> None:
    """Wait until something holds; the test's own time limit is the only one."""
    while not holds():  # type: ignore[operator]
        threading.Event().wait(0.05)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux to tell what is open")
@pytest.mark.fault("100 chats at once while files change and are indexed; some clients leave", few=4, many=2000)
def test_chats_while_indexing(trial: Trial, tmp_path: Path) -> None:
    root = tmp_path / "corpus"
    write_version(root, 0)
    settings = {"model": "tiny", "subroutines": "off"}
    with (
        ScriptedServer(reply) as upstream,
        serving(root, home=tmp_path / "home", base_url=upstream.base_url, **settings) as server,
        moving(root, 5),
    ):
        asyncio.run(crowd(server.url, 0, 4))  # what is opened once is open now
        until(lambda: quiet(server))
        for first in range(0, trial.most, ROUNDS_AT_ONCE):
            count = min(ROUNDS_AT_ONCE, trial.most - first)
            with trial.counted(f"chats from {first}", count):
                asyncio.run(crowd(server.url, first, count))
                assert get(f"{server.url}/healthz", timeout=600).status_code == 200
                found = post(f"{server.url}/api/search", json={"query": "word3"}, timeout=600)
                assert found.status_code == 200, found.text
        until(lambda: quiet(server))
        assert [failure for failure in upstream.failures if not isinstance(failure, ConnectionError)] == []
    trial.judge()


def quiet(server: Running) -> bool:
    """Tell whether no connection to the server or to the model is left but those that are kept for the next request."""
    return sockets() < 40 and not server.server.server_state.tasks
