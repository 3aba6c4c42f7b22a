"""Measures what the next window of a long session costs: the first window, and one after each new turn.

    python benchmarks/composing.py [--sizes 100 1000 10000] [--limit 4096]

A session of so many messages, then twenty more turns; ``blend`` with hybrid recall, as in conversations. The first
window reads everything once; the cost of the others should grow only with what is new.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

# As our command line sets it: more threads only wait for each other over products this small.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import _machine

from quaestor.core.messages import Message
from quaestor.embedding.static import StaticEmbedder
from quaestor.window import Recall, compose

TURNS = 20
RESULTS = Path(__file__).with_name("results")
WORDS = """lake paint retry budget token window river kayak garden letter harbour invoice engine violin pepper
    ladder orbit candle meadow copper""".split()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure what the next window of a long session costs.")
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 1_000, 10_000], help="messages")
    parser.add_argument("--limit", type=int, default=4096, help="tokens of the window")
    parser.add_argument("--out", type=Path, default=RESULTS / "composing.json")
    options = parser.parse_args(arguments)
    rows = [measured(size, options.limit) for size in options.sizes]
    print(f"window of {options.limit} tokens; {TURNS} turns after the first window\n")
    print(f"{'messages':>9}{'first, ms':>12}{'next p50, ms':>14}{'next max, ms':>14}")
    for row in rows:
        print(f"{row['messages']:>9,}{row['first_ms']:>12.1f}{row['next_p50_ms']:>14.2f}{row['next_max_ms']:>14.2f}")
    result = {"benchmark": "composing", "machine": _machine.describe(), "limit": options.limit, "rows": rows}
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def measured(size: int, limit: int) -> dict[str, float]:
    """Return what the first window of a session takes, and the next ones, in milliseconds."""
    chance = random.Random(size)
    recall = Recall(StaticEmbedder.bundled())
    messages = [Message("system", "Be brief."), *(said(chance, number) for number in range(size))]
    messages.append(Message("user", "What about the kayak?"))
    first = milliseconds(messages, limit, recall)
    following = []
    for number in range(TURNS):
        messages = [*messages, Message("assistant", sentence(chance)), Message("user", f"And {sentence(chance)}?")]
        following.append(milliseconds(messages, limit, recall))
        assert len(messages) == size + 2 + 2 * (number + 1)
    return {
        "messages": size,
        "first_ms": first,
        "next_p50_ms": statistics.median(following),
        "next_max_ms": max(following),
    }


def milliseconds(messages: Sequence[Message], limit: int, recall: Recall) -> float:
    """Return the time that one window takes."""
    begun = time.perf_counter()
    window = compose(messages, limit=limit, recall=recall)
    spent = time.perf_counter() - begun
    assert window.tokens + window.reserve <= limit
    return 1000 * spent


def said(chance: random.Random, number: int) -> Message:
    return Message("assistant" if number % 2 else "user", f"{sentence(chance)} {sentence(chance)} Remark {number}.")


def sentence(chance: random.Random) -> str:
    one, other, third = chance.choices(WORDS, k=3)
    return f"The {one} and the {other} need {chance.randrange(100)} {third}s."


if __name__ == "__main__":
    main()
