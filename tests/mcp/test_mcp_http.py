"""The MCP server over streamable HTTP: the official client, and requests that no honest client sends."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from mcp_parts import paths_of

from mcp import Client

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def test_an_agent_searches(port: int) -> None:
    async def run() -> None:
        async with Client(f"http://127.0.0.1:{port}/mcp", read_timeout_seconds=600) as client:
            found = await client.call_tool("search", {"query": "where do we try again after a failure?"})
            assert paths_of(found.content[0].text)[0] == "src/retry.py"  # type: ignore[union-attr]

    asyncio.run(run())


@pytest.mark.parametrize("forged", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
def test_forged_headers_are_refused(port: int, forged: dict[str, str]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **forged}
    connection.request("POST", "/mcp", json.dumps(HELLO), headers)
    assert 400 <= connection.getresponse().status < 500
    connection.close()


def test_a_port_that_is_taken(repository: Path, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = subprocess.run(
            [sys.executable, "-m", "quaestor", "mcp", "--http", "--port", str(taken.getsockname()[1]), str(repository)],
            env={**os.environ, "QUAESTOR_HOME": str(tmp_path / "home"), "PYTHONPROFILEIMPORTTIME": "1"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    assert done.returncode == 2
    assert "Give another with --port" in done.stderr
    assert "mcp.server" not in done.stderr, "it is said before the SDK is imported"
    assert "Traceback" not in done.stderr
