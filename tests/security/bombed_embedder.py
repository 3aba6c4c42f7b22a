"""Asks a server for a vector, as a program: prints the error's name and how many megabytes this process took."""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from types import SimpleNamespace

from servers.embedder import embedder_of


def main(base_url: str, home: str) -> None:
    embedder = embedder_of(SimpleNamespace(base_url=base_url), Path(home))  # type: ignore[arg-type]
    try:
        embedder.encode(["a word"])
    except Exception as error:
        peak = peak_megabytes()
        print(type(error).__name__, peak)


def peak_megabytes() -> int:
    """Return the most memory that this program had; what getrusage tells begins with that of whoever started it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    [line] = [line for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) // 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
