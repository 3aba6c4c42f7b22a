"""``quaestor serve --workers`` as processes, and clients of one worker each.

Which worker a connection is served by is its log's to say: each line has the request's id and the worker's number.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from quaestor.accounts import FILE
from quaestor.accounts.users import Users
from servers.event_streams import events
from servers.threads import free_port

QUESTION = "how long does the dough rest?"
CITED = 'It rests for eighteen hours [1: "rests for eighteen hours"].'
PER_MINUTE = 240
"""What a user may ask: 40 at once, and 4 a second."""
# A process with two threads is not copied: its workers are fresh Pythons, as they are where nothing can be copied.
THREAD = "import threading\n\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"


def until(said: Callable[[], Any]) -> Any:
    """Ask until something is so, and return it; the test's own time limit ends what never is."""
    while not (found := said()):
        threading.Event().wait(0.02)
    return found


def is_there(pid: int) -> bool:
    """Return whether a process runs, or could."""
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return False


@dataclass(frozen=True)
class Serving:
    """A server of several processes.

    Attributes:
        url: its address.
        process: the one that was started, which watches over the others.
        home: where its data lies.
        log: what it wrote on standard error.
    """

    url: str
    process: subprocess.Popen[bytes]
    home: Path
    log: Path

    def entries(self) -> list[dict[str, Any]]:
        """Return the lines of the log so far, without the address."""
        lines = self.log.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines[:-1] if line.startswith("{")]

    def join(self) -> str:
        """Add a user and return the token."""
        return Users.open(self.home / FILE).add(f"user-{secrets.token_hex(4)}")[1]

    @contextmanager
    def client(self, worker: int, token: str = "") -> Iterator[httpx.Client]:
        """Yield a client with one connection, which a worker of this number serves."""
        with closing(until(lambda: self._client_if(worker, token))) as found:
            yield found

    def _client_if(self, worker: int, token: str) -> httpx.Client | None:
        limits = httpx.Limits(max_connections=1)
        headers = {"authorization": f"Bearer {token}"} if token else {}
        found = httpx.Client(base_url=self.url, headers=headers, timeout=600, verify=False, limits=limits)
        number = secrets.token_hex(8)
        try:
            found.get("/healthz", headers={"x-request-id": number})
        except httpx.TransportError:
            found.close()
            return None
        [served] = until(lambda: [one["worker"] for one in self.entries() if one.get("id") == number])
        if served == worker:
            return found
        found.close()
        return None

    def pids(self) -> dict[int, int]:
        """Return the number of the process of each worker, as it was started last."""
        return {one["worker"]: one["pid"] for one in self.entries() if one["event"] == "worker started"}


@contextmanager
def serving(folder: Path, home: Path, *, workers: int = 2, port: int = 0, **environment: str) -> Iterator[Serving]:
    """Start the server over a folder, at a port of its own if none is given, and kill what is left of it."""
    home.mkdir(exist_ok=True)
    port, log = port or free_port(), home / "log"
    options = ["--port", str(port), "--workers", str(workers), "--log-requests"]
    command = [sys.executable, "-m", "quaestor", "serve", str(folder), *options]
    chosen = {
        **os.environ,
        "QUAESTOR_HOME": str(home),
        "QUAESTOR_REQUESTS_PER_MINUTE": str(PER_MINUTE),
        "QUAESTOR_SUBROUTINES": "off",
        "QUAESTOR_PREMEDITATION": "off",
        **environment,
    }
    with log.open("wb") as said, subprocess.Popen(command, stderr=said, env=chosen) as process:
        found = Serving(f"http://127.0.0.1:{port}", process, home, log)
        try:
            yield found
        except BaseException as error:
            error.add_note(f"The server's log:\n{log.read_text('utf-8', 'replace')[-4000:]}")
            raise
        finally:
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGINT)
            process.wait(600)


def searchable(api: httpx.Client) -> bool:
    """Return whether every corpus can be searched through a client's worker."""
    return bool(api.get("/healthz").json()["ready"])


def begin(api: httpx.Client) -> str:
    """Begin a session and return its name."""
    return str(api.post("/api/sessions", json={}).json()["id"])


def states_of_turns(api: httpx.Client, session: str) -> list[str]:
    """Return what became of each turn of a session."""
    return [turn["state"] for turn in api.get(f"/api/sessions/{session}").json()["turns"]]


def asked(api: httpx.Client, session: str, **body: Any) -> list[tuple[str, Any]]:
    """Ask in a session and return all events."""
    with api.stream("POST", f"/api/sessions/{session}/turns", json=body) as answer:
        assert answer.status_code == 200, answer.read()
        return list(events(answer.iter_lines()))
