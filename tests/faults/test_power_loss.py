"""The power fails at any call of an edit or its undo, and the disk holds little more than what was synced."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from power_loss import Disk
from system_calls import Nursery, is_possible, nursery
from test_injected_failures import made_root, state

from fault_rounds import Trial
from quaestor.edits import Journal, recover

pytestmark = pytest.mark.skipif(not is_possible(), reason="needs Linux with seccomp's user notification")

FAULT = "a loss of power before each call, and after the last: "
WAYS = (None, 1, 2, 3)
"""Nothing is on the disk but what was synced, or some of the rest by chance."""


@pytest.fixture(scope="module")
def copies() -> Iterator[Nursery]:
    with nursery() as made:
        yield made


def run(copies: Nursery, trial: Trial, work: str, start: Path, before: object, after: object) -> None:
    folder = start.parent / "round"
    shutil.copytree(start, folder)
    calls = copies.run(work, folder).calls
    shutil.rmtree(folder)
    cases = [(at, way) for way in WAYS for at in range(1, calls + 2)]
    random.Random(3).shuffle(cases)
    cases.sort(key=lambda case: case != (calls + 1, None))  # a few of them have one whose work was done
    for at, way in trial.over(cases):
        shutil.copytree(start, folder)
        with trial.counted(f"{at} of {calls}, {way}"):
            disk = Disk(folder)
            outcome = copies.run(work, folder, partial(disk.watch, at))
            assert outcome.ended == ("killed" if at <= calls else "done"), outcome
            disk.lose(random.Random(way * 1000 + at) if way else None)
            recover(Journal(folder / "journal"))
            assert state(folder / "root") in ((before, after) if at <= calls else (after,)), outcome.kinds[at - 2 : at]
        shutil.rmtree(folder)


@pytest.mark.fault(FAULT + "an edit of five files", few=6, many=2000)
def test_an_edit_is_all_or_nothing(copies: Nursery, trial: Trial, tmp_path: Path) -> None:
    before = state(made_root(tmp_path / "start"))
    shutil.copytree(tmp_path / "start", tmp_path / "done")
    assert copies.run("edit", tmp_path / "done").ended == "done"
    run(copies, trial, "edit", tmp_path / "start", before, state(tmp_path / "done/root"))


@pytest.mark.fault(FAULT + "an undo of five files", few=6, many=2000)
def test_an_undo_is_all_or_nothing(copies: Nursery, trial: Trial, tmp_path: Path) -> None:
    # The journal knows the root by its path.
    before = state(made_root(tmp_path / "round"))
    assert copies.run("edit", tmp_path / "round").ended == "done"
    after = state(tmp_path / "round/root")
    (tmp_path / "round").rename(tmp_path / "start")
    run(copies, trial, "take_back", tmp_path / "start", after, before)
