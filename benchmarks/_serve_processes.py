"""Measures the processes of ``quaestor serve``: processor time, memory, open files. Linux only."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_WORKER = b"quaestor.server.http.server_process"


def serving(process: int) -> list[int]:
    """Return the processes that answer requests: a server's workers, or the server itself where it has none."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    # A worker is a copy of the process that watches, or a fresh Python.
    command = _command(process)
    workers = [int(child) for child in children if _command(child) == command or _WORKER in _command(child)]
    return workers or [process]


def _command(process: int | str) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


def processor(processes: Sequence[int]) -> float:
    """Return the seconds of processor time that processes have taken so far, all their threads together."""
    return sum(_ticks(process) for process in processes) / _TICKS


def _ticks(process: int) -> int:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def megabytes(processes: Sequence[int]) -> int:
    """Return what processes take of the machine's memory, pages that several of them share counted once."""
    return round(sum(_kilobytes(process, "Pss:") for process in processes) / 1000)


def _kilobytes(process: int, field: str) -> int:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1])


def descriptors(processes: Sequence[int]) -> int:
    """Return the number of open files of processes."""
    return sum(len(list(Path(f"/proc/{process}/fd").iterdir())) for process in processes)


def settled(processes: Sequence[int], before: int) -> int:
    """Return the open files once they are as few as before, or when it has been long enough."""
    end = time.monotonic() + 30
    while descriptors(processes) > before and time.monotonic() < end:
        time.sleep(0.2)
    return descriptors(processes)
