"""``quaestor serve`` as a process."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from cli_parts import Run

from servers.threads import free_port


@contextmanager
def served(repository: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str, list[str]]]:
    """Start the command and yield its process, the address that it prints, and what it said before that."""
    command = [sys.executable, "-m", "quaestor", "serve", str(repository), "--port", str(free_port()), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stderr is not None
        try:
            said: list[str] = []
            for line in process.stderr:
                if line.startswith("http"):
                    yield process, line.strip(), said
                    break
                said.append(line)
            assert len(said) < 9, said
        finally:
            process.kill()


def test_it_prints_its_address_answers_and_stops(repository: Path, home: Path) -> None:
    with served(repository) as (process, address, before):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address)
        with urlopen(f"{address}/healthz") as answer:
            assert json.load(answer)["status"] == "ok"
        process.send_signal(signal.SIGINT)
        _, after = process.communicate(timeout=600)
    assert process.returncode == 130
    assert (before, after.strip()) == ([], ""), "nothing but the address is said"


@pytest.mark.slow
def test_requests_are_logged_for_who_asks(repository: Path, home: Path) -> None:
    with served(repository, "--log-requests") as (process, address, _):
        urlopen(f"{address}/healthz").close()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=600)
    entries = [json.loads(line) for line in said.splitlines() if line]
    assert [entry["route"] for entry in entries] == ["/healthz"]


def test_an_endpoint_that_is_not_there_is_said_before_the_address(repository: Path, home: Path) -> None:
    dead = f"http://127.0.0.1:{free_port()}/v1"
    with served(repository, "--model", "tiny", "--base-url", dead) as (_, address, said):
        assert said == [
            f"warning: no server listens at {dead}, the endpoint of 'tiny'; answers are quotes until one does\n"
        ]
        with urlopen(f"{address}/healthz") as answer:
            assert json.load(answer)["status"] == "ok"


def test_a_name_alone_serves_nothing(quaestor: Run, repository: Path, home: Path) -> None:
    refused = quaestor("serve", str(repository), "--model", "tiny")
    assert refused.code == 2
    assert "'tiny' is named but no endpoint" in refused.sentence


def test_others_are_not_served_without_users(quaestor: Run, repository: Path) -> None:
    refused = quaestor("serve", str(repository), "--host", "0.0.0.0")
    assert refused.code == 2
    assert "quaestor users add" in refused.err


def test_a_port_that_is_taken_is_said(quaestor: Run, repository: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = quaestor("serve", str(repository), "--port", str(taken.getsockname()[1]))
    assert refused.code == 2
    assert "--port" in refused.err


@pytest.mark.parametrize(
    "module", ["quaestor", "quaestor.cli", "quaestor.cli.commands.search", "quaestor.cli.commands.serve"]
)
def test_nothing_of_the_server_is_imported_without_need(module: str) -> None:
    code = f"import sys, {module}; print([name for name in ('fastapi', 'uvicorn', 'pydantic') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout.strip() == "[]"
