"""Measures how long one stream of a model's server blocks the loop that all users share: the longest step.

    python benchmarks/stream_steps.py

Each stream sends the most that such a server may send. The processor time of the loop's own thread counts, so that
other work on the machine does not; the least of three runs. Exit code 1: a step took more than MOST_MS.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import _machine

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "faults")]

from test_flooding_server import ASK, FLOODS, Flood, chunk, event  # noqa: E402 - of the tests

from quaestor.core.errors import UpstreamError  # noqa: E402
from quaestor.llm.models.reply_stream import LARGEST_EVENT  # noqa: E402

MOST_MS = 50.0
RUNS = 3


def large(text: str) -> Callable[[], Iterator[bytes]]:
    """Return a reply of one event that is as large as one may be."""
    times = (LARGEST_EVENT - 1_000) // len(json.dumps(text)[1:-1])
    return lambda: iter([event(chunk(text * times)), event(chunk("", "stop")), b"data: [DONE]\n\n"])


def small() -> Iterator[bytes]:
    """Yield a reply of many events that arrive together."""
    yield event(chunk("word ")) * 20_000
    yield event(chunk("", "stop")) + b"data: [DONE]\n\n"


def calls() -> Iterator[bytes]:
    """Yield a reply of calls in text, each begun and none ended."""
    yield b"".join(event(chunk('<|search query={"a": ')) for _ in range(5_000))
    yield event(chunk("", "stop")) + b"data: [DONE]\n\n"


KINDS: Mapping[str, tuple[Callable[[], Iterator[bytes]], int, dict[str, str]]] = {
    "an event of letters": (large("x"), 200, {}),
    "an event of escapes": (large("\u0001"), 200, {}),
    "an event of marks": (large("<|im_start|>"), 200, {}),
    "an event of brackets": (large('{"a": ['), 200, {}),
    "many events at once": (small, 200, {}),
    "calls without an end": (calls, 200, {}),
    **FLOODS,
}


def main() -> int:
    print(f"{_machine.describe()['commit'][:10]}: longest step of the loop, processor time")
    worst = 0.0
    for name, (pieces, status, headers) in KINDS.items():
        longest = min(asyncio.run(longest_step(pieces, status, headers)) for _ in range(RUNS))
        worst = max(worst, longest)
        print(f"{1000 * longest:>8.1f} ms  {name}", flush=True)
    return 1 if 1000 * worst > MOST_MS else 0


async def longest_step(pieces: Callable[[], Iterator[bytes]], status: int, headers: dict[str, str]) -> float:
    """Return the seconds of the longest step of the loop while a stream is read."""
    longest, run = 0.0, asyncio.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        nonlocal longest
        began = time.thread_time()
        run(handle)
        longest = max(longest, time.thread_time() - began)

    with Flood(pieces, status, **headers) as server:
        model = server.model
        await asyncio.sleep(0.01)
        asyncio.Handle._run = timed  # type: ignore[method-assign]
        try:
            async for _ in model.stream(ASK):
                pass
        except UpstreamError:
            pass
        finally:
            asyncio.Handle._run = run  # type: ignore[method-assign]
            await model.aclose()
    return longest


if __name__ == "__main__":
    sys.exit(main())
