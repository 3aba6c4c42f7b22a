"""A small repository, and the official client connected to our command in a process of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_parts import Connect

from index_of_files import write_files
from mcp import Client, StdioServerParameters
from servers.threads import free_port

Session = Callable[[Client], Coroutine[Any, Any, None]]

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
    return write_files(root, FILES)


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
            assert process.wait(600) in (0, 130)


@pytest.fixture
def connect(tmp_path: Path) -> Connect:
    """Return a client of ``quaestor mcp``, started somewhere else than in the repository."""
    return lambda *arguments: client_of(tmp_path, *arguments)


def client_of(folder: Path, *arguments: str | Path) -> Client:
    """Return a client of ``quaestor mcp`` whose indexes lie in a folder."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "QUAESTOR_HOME": str(folder / "home"),
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path))),
    }
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "quaestor", "mcp", *map(str, arguments)],
        env=environment,
        cwd=elsewhere,
    )
    return Client(server, read_timeout_seconds=600)


@pytest.fixture(scope="module")
def shared_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return repository_at(tmp_path_factory.mktemp("shared") / "repository")


@pytest.fixture
def added(shared_repository: Path) -> Iterator[Callable[[str, str], None]]:
    """Write files into the repository that tests share; they are removed after the test."""
    paths: list[Path] = []

    def add(path: str, text: str) -> None:
        paths.append(shared_repository / path)
        paths[-1].write_text(text, encoding="utf-8")

    yield add
    for path in paths:
        path.unlink()


@pytest.fixture(scope="module")
def shared(shared_repository: Path) -> Iterator[Callable[[Session], None]]:
    """Run what is to be said in one session that the tests of a file share; they leave the repository as it is."""
    loop, opened, over = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    clients: list[Client] = []

    async def hold() -> None:
        async with client_of(shared_repository.parent, shared_repository) as client:
            clients.append(client)
            opened.set()
            await over.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(hold()))
    thread.start()
    assert opened.wait(600)
    yield lambda said: asyncio.run_coroutine_threadsafe(said(clients[0]), loop).result(600)
    loop.call_soon_threadsafe(over.set)
    thread.join()
    loop.close()
