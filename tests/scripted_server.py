"""The scripted OpenAI-compatible server and its fixture; the parts are in ``servers``.

def test_something(scripted_server):
    server = scripted_server(["first reply", Reply(status=429, headers={"retry-after": "1"})], style="vllm")
    ... server.base_url, server.requests
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from servers.script import Call, Recorded, Reply, Script, counted, endless, in_pieces
from servers.scripted import ScriptedServer
from servers.styles import STYLES, Style

__all__ = [
    "STYLES",
    "Call",
    "Recorded",
    "Reply",
    "Script",
    "ScriptedServer",
    "Style",
    "counted",
    "endless",
    "in_pieces",
    "scripted_server",
]

StartServer = Callable[..., ScriptedServer]


@pytest.fixture
def scripted_server() -> Iterator[StartServer]:
    """Start scripted servers; all are stopped, and their inner failures raised, when the test ends."""
    with ExitStack() as stack:
        started: list[ScriptedServer] = []

        def start(script: Script = ("Hello.",), **settings: object) -> ScriptedServer:
            server = stack.enter_context(ScriptedServer(script, **settings))  # type: ignore[arg-type]
            started.append(server)
            return server

        yield start
    assert [failure for server in started for failure in server.failures] == []
