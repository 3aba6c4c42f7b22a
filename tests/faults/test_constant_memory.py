"""Thousands of questions and refreshes in one process need no more memory, disk or descriptors."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from fault_rounds import Trial

RUNNER = Path(__file__).with_name("long_runner.py")
MEBIBYTE = 1 << 20

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux to tell what is taken")


def run(folder: Path, what: str, rounds: int) -> list[dict[str, int]]:
    root = folder / "corpus"
    root.mkdir()
    draw = random.Random(2)
    for number in range(40):
        parts = (
            f"## Part {part}\n\n" + " ".join(f"word{draw.randrange(500)}" for _ in range(80)) for part in range(15)
        )
        (root / f"part{number}.md").write_text(f"# Report {number}\n\n" + "\n\n".join(parts), encoding="utf-8")
    command = [sys.executable, str(RUNNER), str(root), str(folder / "home"), what, str(rounds)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert printed.returncode == 0, printed.stderr[-2000:]
    return [json.loads(line) for line in printed.stdout.splitlines()]


def check_flat(taken: list[dict[str, int]], memory: int, disk: int) -> None:
    """Assert that the second half takes no more than the first half did at its most, but for some bytes."""
    first, second = taken[: len(taken) // 2], taken[len(taken) // 2 :]
    for what, more in (("memory", memory), ("disk", disk), ("descriptors", 0)):
        before, after = (max(one[what] for one in some) for some in (first, second))
        assert after <= before + more, f"{what} grew from {before} to {after}: {[one[what] for one in taken]}"


@pytest.mark.fault("questions to one process: memory, disk, descriptors", few=50, many=10_000)
def test_questions_leave_nothing(trial: Trial, tmp_path: Path) -> None:
    with trial.counted("questions", trial.most):
        # The record of a session grows in steps of its log's pages, which few questions do not even out.
        disk = 0 if trial.most >= 500 else MEBIBYTE
        check_flat(run(tmp_path, "ask", trial.most), 8 * MEBIBYTE, disk)
    trial.judge()


@pytest.mark.fault("refreshes by one process: memory, disk, descriptors", few=20, many=1000)
def test_refreshes_leave_nothing(trial: Trial, tmp_path: Path) -> None:
    with trial.counted("refreshes", trial.most):
        # What is known of chunks is kept for a few thousand of them, which are there after some hundred refreshes.
        memory = (8 if trial.most >= 500 else 64) * MEBIBYTE
        check_flat(run(tmp_path, "refresh", trial.most), memory, 4 * MEBIBYTE)
    trial.judge()
