"""Serves one peer in its own environment over stdin and stdout, one JSON object a line.

Requests: ``{"index": ROOT}`` and ``{"search": QUERY, "k": N}``. Every answer has ``seconds``, measured here, so that
the pipe does not count.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

from _peer_systems import Peer, make


def answer(peer: Peer, request: dict[str, Any]) -> dict[str, Any]:
    """Carry out one request."""
    started = time.perf_counter()
    if "index" in request:
        done: dict[str, Any] = {"chunks": peer.index(Path(request["index"]))}
    else:
        done = {"hits": peer.search(request["search"], request["k"])}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {**done, "seconds": time.perf_counter() - started, "peak_mb": peak}


def main() -> None:
    # Libraries print to stdout; the answers keep the real one for themselves.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    peer = make(sys.argv[1], json.loads(sys.argv[2]))
    for line in sys.stdin:
        answers.write(json.dumps(answer(peer, json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
