"""Runs a command as on a machine that is N times as slow, by stopping its processes for most of the time. Linux only.

    python tests/run_slowly.py 20 .venv/bin/python -m pytest tests/chat

Clocks go on meanwhile: what bounds how long something may take shows itself.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

_SUBREAPER = 36
"""What prctl is told so that whoever loses its parent becomes our child."""
_RUNNING_SECONDS = 0.02


def main() -> int:
    """Run the command and return its exit code."""
    times, command = float(sys.argv[1]), sys.argv[2:]
    ctypes.CDLL(None).prctl(_SUBREAPER, 1)
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            for _ in range(2):  # who was begun while others were being stopped is stopped, too
                stopped = _descendants(os.getpid())
                _send(stopped, signal.SIGSTOP)
            time.sleep(_RUNNING_SECONDS * (times - 1))
            _send(stopped, signal.SIGCONT)
            time.sleep(_RUNNING_SECONDS)
    return process.returncode


def _descendants(root: int) -> list[int]:
    """Return the processes that a process has begun, and those that these have, and so on."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
    found: list[int] = []
    of = {root}
    while of:
        of = {process for process, parent in parents.items() if parent in of}
        found += of
    return found


def _send(processes: list[int], number: int) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)


if __name__ == "__main__":
    sys.exit(main())
