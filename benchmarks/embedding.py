"""Measures how fast the bundled embedder loads and embeds code, on one core, in a new process each time.

    python benchmarks/embedding.py DIR... [--runs 9]

- ``load``: from the call until the table is mapped, with modules already imported.
- ``first question``: the same with one question embedded, whose rows are read from the file.
- ``encode``: all source files of the folders, cut into pieces of about 1,500 characters (``_chunks.py``), a thousand at
  a time, with every word new to the process; ``again`` embeds the same texts once more, with every word known.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

# As our command line sets it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import _chunks
import _machine

from quaestor.embedding.static import StaticEmbedder

RESULTS = Path(__file__).with_name("results")
AT_ONCE = 1000
QUESTION = "where is a failed request sent again"
ROWS = (
    ("load, ms", "load_ms", 2),
    ("load and first question, ms", "first_question_ms", 2),
    ("encode, MB/s", "encode_mb_per_second", 2),
    ("encode again, MB/s", "again_mb_per_second", 2),
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure the speed of the bundled embedder.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--out", type=Path, default=RESULTS / "embedding.json")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.once:
        print(json.dumps(once(options.folders)))
        return
    runs = [in_a_new_process(options.folders) for _ in range(options.runs + 1)][1:]
    found = {name: statistics.median(run[name] for run in runs) for _, name, _ in ROWS}
    least = {name: min(run[name] for run in runs) for _, name, _ in ROWS}
    most = {name: max(run[name] for run in runs) for _, name, _ in ROWS}
    machine = _machine.describe()
    print(f"{runs[0]['pieces']:,} pieces, {runs[0]['mb']:.1f} MB; one core, {options.runs} processes\n")
    print(f"{'':30}{'median':>10}{'least':>10}{'most':>10}")
    for title, name, digits in ROWS:
        print(f"{title:30}{found[name]:>10.{digits}f}{least[name]:>10.{digits}f}{most[name]:>10.{digits}f}")
    print(f"{machine['processor']}, Python {machine['python']}, commit {machine['commit'][:10]}")
    sizes = {"pieces": runs[0]["pieces"], "mb": runs[0]["mb"]}
    result = {"benchmark": "embedding", "machine": machine, **sizes, "median": found, "least": least, "most": most}
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def in_a_new_process(folders: Sequence[Path]) -> dict[str, float]:
    """Return what one process measures, on one core that the system may choose."""
    command = [sys.executable, __file__, "--once", *map(str, folders)]
    core = {min(os.sched_getaffinity(0))} if hasattr(os, "sched_getaffinity") else set()
    done = subprocess.run(
        command,
        capture_output=True,
        check=True,
        preexec_fn=(lambda: os.sched_setaffinity(0, core)) if core else None,
    )
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def once(folders: Sequence[Path]) -> dict[str, float]:
    """Measure in this process."""
    begun = time.perf_counter()
    embedder = StaticEmbedder.bundled()
    loaded = time.perf_counter()
    embedder.encode([QUESTION])
    answered = time.perf_counter()
    texts = [piece.text for folder in folders for piece in _chunks.pieces(folder)]
    size = sum(len(text.encode("utf-8", "replace")) for text in texts) / 1e6
    return {
        "load_ms": 1000 * (loaded - begun),
        "first_question_ms": 1000 * (answered - begun),
        "pieces": len(texts),
        "mb": size,
        "encode_mb_per_second": size / seconds(embedder, texts),
        "again_mb_per_second": size / seconds(embedder, texts),
    }


def seconds(embedder: StaticEmbedder, texts: Sequence[str]) -> float:
    """Return how long it takes to embed texts."""
    begun = time.perf_counter()
    for start in range(0, len(texts), AT_ONCE):
        embedder.encode(texts[start : start + AT_ONCE])
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
