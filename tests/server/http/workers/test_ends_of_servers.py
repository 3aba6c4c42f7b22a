"""How a server of several processes ends: in good order, or with whoever watches over it; and when it cannot begin."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
from served import write
from worker_parts import THREAD, is_there, searchable, serving, until

from scripted_server import Recorded, Reply, ScriptedServer
from servers.event_streams import events
from servers.threads import free_port


def test_replies_come_to_their_end(tmp_path: Path) -> None:
    """And so does the server: nothing is heard any more, and no process is left."""
    may_end = threading.Event()

    def script(_: Recorded) -> Reply:
        assert may_end.wait(600)
        return Reply(["It rests."])

    with ScriptedServer(script) as model:
        settings = {"QUAESTOR_MODEL": "tiny", "QUAESTOR_BASE_URL": model.base_url}
        with serving(write(tmp_path / "kitchen"), tmp_path / "home", **settings) as server:
            with server.client(1) as one:
                until(lambda: searchable(one))
                session = one.post("/api/sessions", json={}).json()["id"]
                with one.stream("POST", f"/api/sessions/{session}/turns", json={"question": "how long?"}) as answer:
                    found = events(answer.iter_lines())
                    assert next(name for name, _ in found) == "searching"
                    server.process.send_signal(signal.SIGTERM)
                    until(lambda: not is_there(server.pids()[2]))
                    may_end.set()
                    assert [data["answer"] for name, data in found if name == "done"] == ["It rests."]
            assert server.process.wait(600) == -signal.SIGTERM
            assert not any(map(is_there, server.pids().values()))
            assert not [entry for entry in server.entries() if entry["level"] == "error"]
            with pytest.raises(httpx.ConnectError):
                httpx.get(server.url, verify=False, timeout=600)


@pytest.mark.slow
def test_workers_end_with_whoever_watches_over_them(tmp_path: Path) -> None:
    with serving(write(tmp_path / "kitchen"), tmp_path / "home") as server:
        for worker in (1, 2):
            with server.client(worker):
                pass
        server.process.kill()
        until(lambda: not any(map(is_there, server.pids().values())))


def test_they_end_in_the_middle_of_a_reply_as_well(tmp_path: Path) -> None:
    with ScriptedServer([Reply(silent=True)]) as model:
        settings = {"QUAESTOR_MODEL": "tiny", "QUAESTOR_BASE_URL": model.base_url}
        with serving(write(tmp_path / "kitchen"), tmp_path / "home", **settings) as server, server.client(1) as one:
            until(lambda: searchable(one))
            session = one.post("/api/sessions", json={}).json()["id"]
            with one.stream("POST", f"/api/sessions/{session}/turns", json={"question": "how long?"}) as answer:
                found = events(answer.iter_lines())
                assert next(name for name, _ in found) == "searching"
                server.process.kill()
                # The model is silent for longer than this test may take, and so would its reader be.
                until(lambda: not any(map(is_there, server.pids().values())))


@pytest.mark.parametrize("kind", ["", THREAD], ids=["copies", "fresh"])
def test_a_server_whose_workers_cannot_begin_says_so(tmp_path: Path, kind: str) -> None:
    broken = tmp_path / "broken" / "prometheus_client"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('out of order')\n", encoding="utf-8")
    (broken.parent / "sitecustomize.py").write_text(kind, encoding="utf-8")
    paths = os.pathsep.join((str(broken.parent), *(path for path in sys.path if path)))
    command = [sys.executable, "-m", "quaestor", "serve", str(write(tmp_path / "kitchen")), "--workers", "2"]
    done = subprocess.run(
        [*command, "--port", str(free_port())],
        env={**os.environ, "QUAESTOR_HOME": str(tmp_path / "home"), "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 2
    assert "out of order" in done.stderr
    assert "before it could serve" in done.stderr
