"""The system's clock is set forth and back under a running server: it goes on, and its records stay whole."""

from __future__ import annotations

import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from test_index_kill import write_version

from fault_rounds import Trial
from scripted_server import ScriptedServer

SERVER = Path(__file__).with_name("jumping_server.py")
MINUTE, DAY = 60, 24 * 3600
JUMPS = (0, -MINUTE, MINUTE, -DAY, DAY, -8 * DAY, 8 * DAY, 400 * DAY, -400 * DAY, 20_000 * DAY, -20_000 * DAY, 0)
"""Seconds; the last but one is before 1970, where no clock is set, but where one without a battery may begin."""


@contextmanager
def serving(root: Path, home: Path, offset: Path, model: str) -> Iterator[str]:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    environment = {**os.environ, "QUAESTOR_HOME": str(home), "QUAESTOR_MODEL": "tiny", "QUAESTOR_BASE_URL": model}
    command = [sys.executable, str(SERVER), str(offset), "serve", str(root), "--port", str(port)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGTERM)
            said = process.communicate(timeout=600)[1]
        assert process.returncode in (0, -signal.SIGTERM), said
        assert "Traceback" not in said and '"fault"' not in said, said


def until_searchable(client: httpx.Client) -> None:
    """Wait for the server; the test's own time limit is the only one."""
    while True:
        try:
            if client.post("/api/search", json={"query": "word3"}).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)


def use(client: httpx.Client, root: Path, number: int) -> None:
    """Change a file and find it, ask, talk, and look at what is on record."""
    mark = f"jumped{number}"
    (root / "d1" / "1.md").write_text(f"# Part\n\nHere {mark} is told.\n", encoding="utf-8")
    fresh = False  # a search takes in what has changed if there is time
    while not fresh:
        found = answered(client.post("/api/search", json={"query": mark, "k": 3}))
        fresh = found["index"]["fresh"]
    assert mark in found["hits"][0]["text"], "what changed is not found"
    asked = {"model": "quaestor", "messages": [{"role": "user", "content": f"where is {mark}?"}]}
    assert answered(client.post("/v1/chat/completions", json=asked))["choices"][0]["message"]["content"]
    session = answered(client.post("/api/sessions", json={}))["id"]
    turn = client.post(f"/api/sessions/{session}/turns", json={"question": f"where is {mark}?"})
    assert "event: done" in turn.text, turn.text[-500:]
    listed = answered(client.get("/api/sessions"))["sessions"]
    assert [one.get("error") for one in listed if one.get("error")] == []
    assert session in [one["id"] for one in listed]
    assert len(listed) == number + 1, "a session is gone"
    assert client.get("/api/usage").status_code == 200


def answered(answer: httpx.Response) -> Any:
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


@pytest.mark.fault("the system's clock set forth or back under a running server", few=2, many=60)
def test_a_server_goes_on(trial: Trial, tmp_path: Path) -> None:
    root, home, offset = tmp_path / "corpus", tmp_path / "home", tmp_path / "offset"
    write_version(root, 0)
    offset.write_text("0", encoding="ascii")
    draw = random.Random(4)
    jumps = [*JUMPS[4:6], *(draw.choice(JUMPS) for _ in range(trial.most))]
    with (
        ScriptedServer(lambda _: "It is there.") as model,
        serving(root, home, offset, model.base_url) as url,
        httpx.Client(base_url=url, timeout=600) as client,
    ):
        until_searchable(client)
        for number, jump in enumerate(jumps[: trial.most]):
            fresh = offset.with_suffix(".new")
            fresh.write_text(str(jump), encoding="ascii")
            fresh.replace(offset)
            with trial.counted(f"{jump} s"):
                use(client, root, number)
    with closing(sqlite3.connect(home / "accounts.sqlite")) as connection:
        rows = connection.execute("select state, prompt_tokens + completion_tokens from requests").fetchall()
        totals = connection.execute("select sum(tokens) from totals where length(period) = 10").fetchone()[0]
    assert {state for state, _ in rows} == {"done"}
    assert sum(tokens for _, tokens in rows) == totals, "the totals are not the sum of the rows"
    trial.judge()
