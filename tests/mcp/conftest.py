"""A small repository, and the official client connected to our command in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp_parts import Connect, free_port

from mcp import Client, StdioServerParameters

FILES = {
    "src/retry.py": '''"""Sending again."""


def send_with_retry(request, attempts=3):
    """Send a request; try again after a failure, at most ``attempts`` times."""
    for attempt in range(attempts):
        try:
            return send(request)
        except ConnectionError:
            wait(2**attempt)
    raise GivenUp(request)
''',
    "src/app.py": "from src.retry import send_with_retry\n\n\ndef main():\n    send_with_retry('hello')\n",
    "tests/test_retry.py": "from src.retry import send_with_retry\n\n\ndef test_it():\n    send_with_retry('x')\n",
    "docs/guide.md": "# Guide\n\n## Retrying\n\nA request is sent three times before we give up.\n",
    ".env": "TOKEN=secret\n",
}


def repository_at(root: Path) -> Path:
    """Write the repository's files and return its root."""
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return repository_at(tmp_path / "repository")


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Return the port of ``quaestor mcp --http``, which says on standard error where it serves."""
    folder, number = tmp_path_factory.mktemp("mcp"), free_port()
    root = repository_at(folder / "repository")
    command = [sys.executable, "-m", "quaestor", "mcp", "--http", "--port", str(number), str(root)]
    environment = {**os.environ, "QUAESTOR_HOME": str(folder / "home")}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            assert process.stderr.readline().strip() == f"http://127.0.0.1:{number}/mcp"
            yield number
        finally:
            process.send_signal(signal.SIGINT)
            process.stderr.read()
            assert process.wait(30) in (0, 130)


@pytest.fixture
def connect(tmp_path: Path) -> Connect:
    """Return a client of ``quaestor mcp``, started somewhere else than in the repository."""

    def start(*arguments: str | Path) -> Client:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        environment = {
            **os.environ,
            "QUAESTOR_HOME": str(tmp_path / "home"),
            "PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path))),
        }
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "quaestor", "mcp", *map(str, arguments)],
            env=environment,
            cwd=elsewhere,
        )
        return Client(server, read_timeout_seconds=60)

    return start
