"""Starts the two systems that are timed, as a server and as a command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from indexing import Watch

SERVER = Path(__file__).with_name("_speed_server.py")


@dataclass(frozen=True, slots=True)
class System:
    """How to start a system.

    Attributes:
        label: its name in the table.
        server: the argument of ``_speed_server.py``.
        python: the Python that has it.
        command: its search command, to which the query and the folder are added.
        home: the environment variable that says where its indexes lie.
        environment: what else its processes are told.
    """

    label: str
    server: str
    python: str
    command: tuple[str, ...]
    home: str
    environment: Mapping[str, str]

    def variables(self, home: Path) -> dict[str, str]:
        """Return the environment of its processes; compiled modules are kept, as they are for whoever uses it."""
        present = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        return {**present, **self.environment, self.home: str(home)}

    def search(self, query: str, root: Path, home: Path) -> float:
        """Run its search command as a process of its own and return the seconds."""
        started = time.perf_counter()
        done = subprocess.run(
            [*self.command, query, str(root)], env=self.variables(home), capture_output=True, check=False
        )
        seconds = time.perf_counter() - started
        if done.returncode not in (0, 1):
            raise SystemExit(f"{self.label}: {done.stderr.decode()}")
        return seconds


def quaestor() -> System:
    """Ours, as it is imported here, with one thread for products of matrices, as our own command line sets."""
    command = (sys.executable, "-m", "quaestor", "search")
    return System("quaestor", "quaestor", sys.executable, command, "QUAESTOR_HOME", {"OPENBLAS_NUM_THREADS": "1"})


def semble(python: str, model: Path) -> System:
    """The peer with another model in place of its own, and as many workers as its own command uses."""
    folder = str(model.resolve())
    return System(
        f"semble:{model.name}",
        f"semble:{folder}",
        python,
        (str(Path(python).with_name("semble")), "search"),
        "SEMBLE_CACHE_LOCATION",
        {"SEMBLE_MODEL_NAME": folder, "SEMBLE_INDEX_WORKERS": "4", "HF_HUB_OFFLINE": "1"},
    )


class ServerEndedError(Exception):
    """A server has failed, or was killed because its time was up."""


class Server:
    """One process of a system, with a watch on its memory and that of its workers.

    Args:
        system: whose process it is.
        home: where its indexes lie.
        script: what it runs.
        seconds: after these it is killed.
    """

    def __init__(self, system: System, home: Path, script: Path = SERVER, seconds: float = 7200) -> None:
        command = [system.python, "-u", str(script), system.server]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=system.variables(home)
        )
        self._watch = Watch(self._process.pid)
        self._limit = threading.Timer(seconds, self._process.kill)
        self._limit.daemon = True
        self._limit.start()
        self.peak = 0

    def ask(self, **request: Any) -> Any:
        """Return the answer to one request."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise ServerEndedError(f"a server ended with {self._process.wait()}; see its message above")
        return json.loads(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.peak = self._watch.stop()
        self._limit.cancel()
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait(timeout=60)
