"""Running git to fetch from a stranger: nobody's helpers, hooks or configuration, within bounds on time and room."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from quaestor.core.errors import LimitError
from quaestor.core.light_imports import NamedTuple

SECONDS = 900.0
"""What all commands for one repository may take."""
MOST_BYTES = 2_000_000_000
"""What a repository may take on disk: what is fetched and the files that are made of it."""

_POLL_SECONDS = 0.05
_SAID_BYTES = 20_000
_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "core.fsmonitor": "false",
    "core.symlinks": "false",
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "core.logAllRefUpdates": "false",
    "core.autocrlf": "false",
    "credential.helper": "",
    "fetch.recurseSubmodules": "false",
    "submodule.recurse": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "http.followRedirects": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
    "transfer.credentialsInUrl": "die",
}


class Ended(NamedTuple):
    """How a run of git ended.

    Attributes:
        code: its exit code.
        said: the last of what it printed, with what it complained of.
    """

    code: int
    said: str


class GitRunner:
    """Runs git in one folder.

    Args:
        program: where git is.
        folder: the working tree; its size is bounded.
        settings: configuration for this repository alone.
        scheme: the only transport that may be used.
        ssh: the command for ssh, if that is the transport.
        seconds: what all commands together may take.
        most_bytes: what the folder may grow to.
    """

    def __init__(
        self,
        program: str,
        folder: Path,
        settings: Mapping[str, str],
        scheme: str,
        ssh: str = "",
        seconds: float = SECONDS,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._program, self._folder = program, folder
        chosen = {**_SETTINGS, **settings}
        self._settings = [part for name, value in chosen.items() for part in ("-c", f"{name}={value}")]
        self._environment = _environment(folder, scheme, ssh)
        self._until, self._seconds = time.monotonic() + seconds, seconds
        self._most = most_bytes

    def run(self, *arguments: str, most_said: int = _SAID_BYTES) -> Ended:
        """Run one command of git.

        Args:
            arguments: what follows ``git``.
            most_said: the last bytes of its output that are returned.

        Raises:
            LimitError: it took more time or room than it may.
        """
        command = [self._program, *self._settings, *arguments]
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                command,
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                self._wait(process, said.fileno())
            finally:
                _end(process)
            said.seek(max(0, said.seek(0, os.SEEK_END) - most_said))
            return Ended(process.returncode, said.read().decode("utf-8", "replace"))

    def _wait(self, process: subprocess.Popen[bytes], said: int) -> None:
        while True:
            # Looking through a large folder takes time, and none of that is taken from git's.
            started = time.monotonic()
            held = _size(self._folder) + os.fstat(said).st_size
            looked = time.monotonic() - started
            if held > self._most:
                raise LimitError(
                    f"The repository takes more than {self._most:,} bytes. Clone what you need and index that folder."
                )
            if time.monotonic() > self._until:
                raise LimitError(
                    f"The repository took more than {self._seconds:,.0f} seconds. Clone it and index that folder."
                )
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(_POLL_SECONDS, 10 * looked))
                return


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is left of a command, and what that started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _environment(folder: Path, scheme: str, ssh: str) -> dict[str, str]:
    """Return the whole environment of git; of the caller's the path, and for ssh the agent that holds the keys."""
    passed = ("PATH", "SYSTEMROOT", *(("SSH_AUTH_SOCK", "HOME") if scheme == "ssh" else ()))
    own = {name: os.environ[name] for name in passed if name in os.environ}
    return {
        "HOME": str(folder),
        **own,
        "LC_ALL": "C.UTF-8",
        "GIT_DIR": str(folder / ".git"),
        "GIT_WORK_TREE": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "false",
        "GIT_ALLOW_PROTOCOL": scheme,
        "GIT_SSH_COMMAND": ssh or "false",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_ALLOC_LIMIT": "2g",
    }


def _size(folder: Path) -> int:
    """Return the bytes in a folder; what goes meanwhile counts nothing."""
    total = 0
    pending = [str(folder)]
    while pending:
        with suppress(OSError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
    return total
