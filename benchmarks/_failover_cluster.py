"""The processes that a failover run kills and starts again: a primary with its standby, indexing processes, servers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

import httpx

from postgres_server import PostgresServer, server_folder

_KEPT = ("wal_keep_size=512MB",)
_COMMAND = (sys.executable, "-m", "quaestor")
_POLL_SECONDS = 0.1


class Databases:
    """A primary, and a standby that every commit waits for: what is acknowledged is on both.

    Attributes:
        uri: names both, whichever is which.
    """

    def __init__(self) -> None:
        self._folders = ExitStack()
        self.primary = PostgresServer.created(self._folder(), _KEPT)
        self.standby = self.primary.follow(self._folder())
        self._wait_for_standby()
        self.uri = self.primary.address("postgres", further=f",127.0.0.1:{self.standby.port}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.primary.kill()
        self.standby.kill()
        self._folders.close()

    def fail_over(self) -> None:
        """Kill the primary, promote its standby, and give that one a standby in the place of the former primary."""
        self.primary.kill()
        self.standby.promote()
        self.primary, port = self.standby, self.primary.port
        self.standby = self.primary.follow(self._folder(), port)
        self._wait_for_standby()

    def _folder(self) -> Path:
        return self._folders.enter_context(server_folder())

    def _wait_for_standby(self) -> None:
        """From now on, commits wait for the standby; those before a first one came would have waited for ever."""
        self.primary.run_sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.run_sql("SELECT pg_reload_conf()")
        while not self.primary.run_sql("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"):
            time.sleep(_POLL_SECONDS)


class Program:
    """A process with children of its own, which are killed together.

    Args:
        arguments: of ``quaestor``.
        environment: of the process.
        log: takes what it says on standard error.
    """

    def __init__(self, arguments: tuple[str, ...], environment: Mapping[str, str], log: Path) -> None:
        self._arguments, self._environment, self._log = arguments, environment, log
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it."""
        with self._log.open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [*_COMMAND, *self._arguments],
                env={**os.environ, **self._environment},
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )

    def wait(self) -> tuple[int, str]:
        """Return its exit code and what it printed."""
        assert self._process is not None
        printed, _ = self._process.communicate()
        return self._process.returncode, printed

    def kill(self) -> None:
        """End it with ``kill -9``, if it runs."""
        if self._process is not None and self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)


class IndexWorker(threading.Thread):
    """Runs ``quaestor index`` again and again.

    Args:
        program: the command.
        before: called before each run; what it returns is what a run that ends with 0 acknowledges.
        acknowledge: called with that.
    """

    def __init__(
        self, program: Program, before: Callable[[], dict[str, int]], acknowledge: Callable[[dict[str, int]], None]
    ) -> None:
        super().__init__(daemon=True)
        self.program = program
        self.ended: dict[int, int] = {}
        self.shared = 0
        self._before, self._acknowledge = before, acknowledge
        self._over = threading.Event()
        self.start()

    def run(self) -> None:
        """Index until it is stopped."""
        while not self._over.is_set():
            expected = self._before()
            self.program.start()
            code, printed = self.program.wait()
            self.ended[code] = self.ended.get(code, 0) + 1
            if code == 0:
                self._acknowledge(expected)
                self.shared += json.loads(printed)["elsewhere"] > 0

    def stop(self) -> None:
        """Let the present run be the last."""
        self._over.set()
        self.join()


class WebServer:
    """``quaestor serve``, started again after each kill.

    Attributes:
        url: its address, the same each time.
    """

    def __init__(self, program: Program, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._program = program
        self.start()

    def start(self) -> None:
        """Start it, and wait until it can be searched."""
        self._program.start()
        while True:
            with suppress(httpx.HTTPError):
                if httpx.get(f"{self.url}/healthz", timeout=30).json()["ready"]:
                    return
            time.sleep(_POLL_SECONDS)

    def kill(self) -> None:
        """End it with ``kill -9``."""
        self._program.kill()
