"""The first second of a session over a real process: every request is answered once, before and after the SDK loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp_parts import CLIENT, asking_for_tools, envelope, paths_of
from mcp_parts import opening as opening_of

from quaestor.core.errors import UsageError
from quaestor.mcp.fast_start import ClientConnection, OpeningExchange

Say = Callable[..., None]
Hear = Callable[[], Any]
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
SEARCH = {"name": "search", "arguments": {"query": "where do we try again after a failure?"}}
CALL = {"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": SEARCH}


@contextmanager
def served(home: Path, *arguments: Path) -> Iterator[tuple[subprocess.Popen[bytes], Say, Hear]]:
    """Yield ``quaestor mcp`` in a process, what says messages to it, and what hears one of it."""
    command = [sys.executable, "-m", "quaestor", "mcp", *map(str, arguments)]
    environment = {**os.environ, "QUAESTOR_HOME": str(home)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None and process.stdout is not None
        reading, writing = process.stdout, process.stdin

        def say(*messages: dict[str, Any] | bytes) -> None:
            lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in messages]
            writing.write(b"".join(line + b"\n" for line in lines))
            writing.flush()

        try:
            yield process, say, lambda: json.loads(reading.readline())
        finally:
            writing.close()
            assert reading.read() == b"", "something was answered twice"
            assert process.wait(600) == 0


def best_of(answer: Any) -> str:
    return paths_of(answer["result"]["content"][0]["text"])[0]


def test_all_at_once(repository: Path, tmp_path: Path) -> None:
    with served(tmp_path / "home", repository) as (_, say, hear):
        say(opening_of("2025-06-18"), INITIALIZED, asking_for_tools("2025-06-18"), CALL)
        answers = {answer["id"]: answer for answer in (hear(), hear(), hear())}
        assert answers[0]["result"]["protocolVersion"] == "2025-06-18"
        assert [tool["name"] for tool in answers["a"]["result"]["tools"]] == [
            "search",
            "read",
            "related",
            "overview",
            "history",
            "ask",
        ]
        assert best_of(answers["c"]) == "src/retry.py"
        # An id may be used again once it is answered.
        say(asking_for_tools("2025-06-18"))
        assert hear() == answers["a"]


def test_a_session_without_a_handshake(repository: Path, tmp_path: Path) -> None:
    with served(tmp_path / "home", repository) as (_, say, hear):
        version = "2026-07-28"
        say(opening_of(version))
        assert hear()["result"]["supportedVersions"] == [version]
        say(asking_for_tools(version), {**CALL, "params": {**SEARCH, "_meta": envelope(version)}})
        answers = {answer["id"]: answer for answer in (hear(), hear())}
        assert len(answers["a"]["result"]["tools"]) == 6
        assert best_of(answers["c"]) == "src/retry.py"


@pytest.mark.slow
def test_a_client_that_offers_more_than_is_known(repository: Path, tmp_path: Path) -> None:
    with served(tmp_path / "home", repository) as (_, say, hear):
        say(
            opening_of("2025-11-25") | {"params": {"protocolVersion": "2099", "capabilities": {}, "clientInfo": CLIENT}}
        )
        assert hear()["result"]["protocolVersion"] == "2025-11-25"
        say(INITIALIZED, asking_for_tools("2025-11-25"))
        assert len(hear()["result"]["tools"]) == 6


@pytest.mark.parametrize(
    "line",
    [
        b"\xff{",
        *(
            pytest.param(line, marks=pytest.mark.slow)
            for line in (b"[]", b'{"jsonrpc": "2.0", "id": 7, "method": "ping"}')
        ),
    ],
)
def test_an_odd_beginning(line: bytes, repository: Path, tmp_path: Path) -> None:
    with served(tmp_path / "home", repository) as (_, say, hear):
        say(line, opening_of("2025-11-25"))
        answer = hear()
        while answer.get("id") != 0:
            answer = hear()
        assert answer["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.slow
def test_nothing_at_all(repository: Path, tmp_path: Path) -> None:
    with served(tmp_path / "home", repository):
        pass


@pytest.mark.parametrize("late", [pytest.param(False, marks=pytest.mark.slow), True])
def test_folders_are_asked_for(late: bool, repository: Path, tmp_path: Path) -> None:
    with served(tmp_path / "home") as (_, say, hear):
        say(opening_of("2025-11-25"), INITIALIZED)
        assert hear()["id"] == 0
        question = hear()
        assert question["method"] == "roots/list"
        if late:
            # It has given up by now, and asks again in the words of the SDK.
            question = hear()
            assert question["method"] == "roots/list"
        roots = {"roots": [{"uri": repository.as_uri()}]}
        say({"jsonrpc": "2.0", "id": question["id"], "result": roots}, asking_for_tools("2025-11-25"), CALL)
        answers = {answer["id"]: answer for answer in (hear(), hear())}
        assert len(answers["a"]["result"]["tools"]) == 6
        assert best_of(answers["c"]) == "src/retry.py"


def test_nothing_needs_the_sdk() -> None:
    code = "import quaestor.cli.commands.mcp, quaestor.mcp.mcp_tools, sys\n"
    code += "assert not {'mcp', 'pydantic'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


def test_where_nothing_can_be_made_the_sdk_is_left_to_say_so() -> None:
    def make(_: object) -> Any:
        raise UsageError("nothing here")

    (reading, saying), (hearing, writing) = os.pipe(), os.pipe()
    os.write(saying, json.dumps(opening_of("2025-11-25")).encode() + b"\n")
    opening = OpeningExchange(ClientConnection(reading, writing))
    opening.converse(make, asking=False)
    assert opening.answered == {0}
    assert opening.tools is None
    assert json.loads(os.read(hearing, 1 << 16))["id"] == 0
    os.close(saying)
    again, _ = opening.files()
    assert json.loads(again.read()) == opening_of("2025-11-25")
    for descriptor in (reading, hearing, writing):
        os.close(descriptor)
