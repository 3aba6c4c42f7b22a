"""Measures how fast folders are indexed: files, chunks, seconds, memory.

    python benchmarks/indexing.py DIR...

A separate process indexes each folder into a temporary folder: once from nothing, and once again without changes.
Memory is the largest sum of the process and its workers, each shared page counted once, measured twenty times a second;
where the system does not tell, it is the largest single process.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import _machine

_PAUSE = 0.05


@dataclass(frozen=True, slots=True)
class Row:
    """What indexing one folder took.

    Attributes:
        name: the folder's name.
        documents: files that were indexed.
        chunks: chunks that they were cut into.
        read: bytes of all documents.
        first: seconds from nothing, of the whole process.
        second: seconds when nothing had changed.
        memory: bytes at the peak of the first run.
        index: bytes of the index on disk.
    """

    name: str
    documents: int
    chunks: int
    read: int
    first: float
    second: float
    memory: int
    index: int


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure how fast folders are indexed.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    options = parser.parse_args(arguments)
    rows = []
    for folder in options.folders:
        print(folder.name, file=sys.stderr)
        rows.append(measured(folder))
    print(table(rows))


def measured(folder: Path) -> Row:
    """Index a folder twice."""
    with TemporaryDirectory() as home:
        started = time.perf_counter()
        held, memory = indexed(folder, home)
        first = time.perf_counter() - started
        started = time.perf_counter()
        indexed(folder, home)
        second = time.perf_counter() - started
    return Row(
        folder.name,
        held["documents"],
        held["chunks"],
        held["bytes"],
        first,
        second,
        memory,
        held["index_bytes"],
    )


def indexed(folder: Path, home: str) -> tuple[dict[str, Any], int]:
    """Run ``quaestor index`` and return what the index holds and the peak of memory."""
    command = [sys.executable, "-m", "quaestor", "index", "--json", str(folder)]
    environment = {**os.environ, "QUAESTOR_HOME": home}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        watch = Watch(process.pid)
        out, err = process.communicate()
        peak = watch.stop()
    if process.returncode:
        sys.exit(f"indexing {folder} failed: {err.decode()}")
    return json.loads(out)["index"], peak


class Watch:
    """Looks at the memory of a process and all below it until it is stopped."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._peak = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> int:
        """Return the peak, bytes."""
        self._stopped.set()
        self._thread.join()
        return self._peak or resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024

    def _look(self) -> None:
        while not self._stopped.wait(_PAUSE):
            self._peak = max(self._peak, sum(map(proportional, family(self._process))))


def family(process: int) -> list[int]:
    """Return a process and all processes below it."""
    found = [process]
    for member in found:
        try:
            for task in Path(f"/proc/{member}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return found


def proportional(process: int) -> int:
    """Return the bytes of a process, of each shared page only its share; 0 if that cannot be known."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def table(rows: Sequence[Row]) -> str:
    """Return the figures as one text table."""
    head = ("repository", "files", "chunks", "MB", "seconds", "MB/s", "again, s", "memory, MB", "index, MB")
    lines = ["{:<24} {:>7} {:>8} {:>7} {:>8} {:>6} {:>9} {:>11} {:>10}".format(*head)]
    for row in rows:
        megabytes = row.read / 1e6
        lines.append(
            f"{row.name:<24} {row.documents:>7,} {row.chunks:>8,} {megabytes:>7.1f} {row.first:>8.2f}"
            f" {megabytes / row.first:>6.1f} {row.second:>9.2f} {row.memory / 1e6:>11.0f} {row.index / 1e6:>10.1f}"
        )
    machine = _machine.describe()
    lines.append(
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, commit {machine['commit'][:10]}"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
