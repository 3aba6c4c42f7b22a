"""A real disk of eight megabytes that is full at any moment: nothing is lost, and what is there is still found."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from fault_rounds import Trial

WORK = Path(__file__).with_name("small_disk.py")
SIZE = 8 << 20
SIZES = [300 * number**2 for number in range(120)]
"""Bytes that are left; of four megabytes, everything has room."""


def mounting() -> Sequence[str]:
    """Return what begins a command with a disk of its own in a folder: nobody else sees it, and it ends with it."""
    own = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--user", "--map-root-user"]
    return [*own, "sh", "-c", f'mount -t tmpfs -o size={SIZE} none "$0" && exec "$@"']


def why_not(folder: Path) -> str:
    """Return why no disk can be mounted here; empty if one can."""
    if shutil.which("unshare") is None:
        return "there is no `unshare` to mount a disk with"
    done = subprocess.run([*mounting(), str(folder), "true"], capture_output=True, text=True, check=False)
    return f"mounting a disk is not permitted here: {done.stderr.strip()}" if done.returncode else ""


@pytest.mark.fault(
    "a real disk of 8 MB with so much room: an index, a search, the ledger, a session, an edit", few=4, many=120
)
def test_a_disk_that_is_full(trial: Trial, tmp_path: Path) -> None:
    disk, stash = tmp_path / "disk", tmp_path / "stash"
    disk.mkdir()
    stash.mkdir()
    if reason := why_not(disk):
        pytest.skip(reason)
    sizes = [str(size) for size in SIZES[:: len(SIZES) // trial.most]][: trial.most]
    command = [*mounting(), str(disk), sys.executable, str(WORK), str(disk), str(stash), *sizes]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert not list(disk.iterdir()), "it was written beside the disk"
    rounds = [json.loads(line) for line in done.stdout.splitlines()]
    for one in rounds:
        with trial.counted(f"{one['free']:,} bytes left, {one['did']}"):
            assert not one["wrong"], one["wrong"]
    assert len(rounds) == len(sizes)
    assert {one["did"].get("index") for one in rounds} > {"refused"}, "full and not full"
    trial.judge()
