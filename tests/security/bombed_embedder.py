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
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(type(error).__name__, peak)


if __name__ == "__main__":
    main(*sys.argv[1:])
