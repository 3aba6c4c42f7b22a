"""Edits that are killed at every step, that find no room, and that somebody swaps links under."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from quaestor.core.errors import UsageError
from quaestor.edits import ChangedError, Journal, Proposal, Replace, Whole, apply, plan, recover, undo

APPLIER = Path(__file__).parent / "edit_applier.py"


def made_root(place: Path) -> Path:
    place.mkdir()
    (place / "a.py").write_bytes(b"def f():\r\n    return 1\r\n")
    (place / "run.sh").write_bytes(b"echo 1\n")
    (place / "run.sh").chmod(0o755)
    (place / "b.txt").write_bytes(b"b\n")
    (place / "gone.txt").write_bytes(b"gone\n")
    return place


def state(root: Path) -> dict[str, tuple[bytes | None, int]]:
    return {
        str(place.relative_to(root)): (place.read_bytes() if place.is_file() else None, place.stat().st_mode)
        for place in root.rglob("*")
    }


class Ended(NamedTuple):
    """How a process ended, and how many operations it was if it lived."""

    code: int
    steps: int | None


Run = Callable[[Path, Path, str, int], Ended]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Apply or undo an edit in a process that dies before a step; it is forked, for to start Python takes longest."""
    command = [sys.executable, str(APPLIER)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as forking:
        asked, told = forking.stdin, forking.stdout
        assert asked is not None and told is not None

        def ran(root: Path, home: Path, do: str, last: int) -> Ended:
            asked.write(json.dumps([str(root), str(home), do, last]) + "\n")
            asked.flush()
            steps = None
            for line in told:
                word, _, number = line.partition(" ")
                if word == "ended":
                    return Ended(int(number), steps)
                steps = int(number)
            raise EOFError("the process that forks the others has ended")

        yield ran
        asked.close()


@pytest.mark.slow
def test_killed_at_every_step_it_is_all_or_nothing(tmp_path: Path, run: Run) -> None:
    outcomes = set()
    for last in range(1, 100):
        root, home = made_root(tmp_path / f"root{last}"), tmp_path / f"home{last}"
        before = state(root)
        done = run(root, home, "apply", last)
        if done.steps is not None:
            assert done.steps < last
            break
        assert done.code == -signal.SIGKILL
        journal = Journal(home)
        recover(journal)
        if state(root) == before:
            outcomes.add("back")
        else:
            undo(journal)
            assert state(root) == before, f"killed before step {last}"
            outcomes.add("done")
        # Whatever happened, the same edit can be made now.
        assert run(root, home, "apply", 0).code == 0
    else:
        pytest.fail("it never came to its end")
    assert "back" in outcomes
    assert last > 15


@pytest.mark.slow
def test_an_undo_that_is_killed_at_every_step_is_all_or_nothing(tmp_path: Path, run: Run) -> None:
    for last in range(1, 100):
        root, home = made_root(tmp_path / f"root{last}"), tmp_path / f"home{last}"
        before = state(root)
        assert run(root, home, "apply", 0).code == 0
        after = state(root)
        done = run(root, home, "undo", last)
        journal = Journal(home)
        recover(journal)
        now = state(root)
        if done.steps is not None:
            assert now == before
            break
        files = {path: one for path, one in now.items() if one[0] is not None}
        assert files in ({path: one for path, one in whole.items() if one[0] is not None} for whole in (before, after))
    else:
        pytest.fail("it never came to its end")


def test_a_killed_edit_is_put_back_by_the_next(tmp_path: Path, run: Run) -> None:
    root, home = made_root(tmp_path / "root"), tmp_path / "home"
    before = state(root)
    total = run(made_root(tmp_path / "other"), tmp_path / "otherhome", "apply", 0).steps
    assert total is not None
    assert run(root, home, "apply", total - 2).code == -signal.SIGKILL
    assert state(root) != before
    assert recover(Journal(home)) != ()
    assert state(root) == before


def test_without_room_nothing_is_changed(tmp_path: Path) -> None:
    root = made_root(tmp_path / "root")
    made = plan(root, Proposal((Whole("b.txt", "small\n"), Whole("z.txt", "x" * 100_000))))
    before = state(root)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
    try:
        with pytest.raises(OSError):
            apply(made, Journal(tmp_path / "home"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    assert state(root) == before


def test_a_change_under_way_by_another_is_left_and_named(tmp_path: Path, run: Run) -> None:
    root, home = made_root(tmp_path / "root"), tmp_path / "home"
    total = run(made_root(tmp_path / "other"), tmp_path / "otherhome", "apply", 0).steps
    assert total is not None
    assert run(root, home, "apply", total - 2).code == -signal.SIGKILL
    (root / "a.py").write_bytes(b"mine\n")
    with pytest.raises(ChangedError, match=r"'a\.py'"):
        recover(Journal(home))
    assert (root / "a.py").read_bytes() == b"mine\n"
    assert (root / "b.txt").read_bytes() == b"b\n"
    assert recover(Journal(home)) == ()


def test_links_swapped_in_again_and_again_never_lead_out(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "sub", outside):
        folder.mkdir(parents=True)
        (folder / "x.txt").write_bytes(b"0\n")
    journal, swapping = Journal(tmp_path / "home"), _Swapping(root, outside)
    swapping.start()
    applied = refused = 0
    try:
        while applied < 5 or refused < 5:
            old, new = f"{applied}\n", f"{applied + 1}\n"
            made = plan(root, Proposal((Replace("sub/x.txt", old, new),)))
            try:
                apply(made, journal)
                applied += 1
            except (UsageError, OSError):
                refused += 1
            # With the very bytes that were read, only the link itself can give it away.
            assert (outside / "x.txt").read_text() == old
            (outside / "x.txt").write_text(f"{applied}\n")
    finally:
        swapping.stop()
    assert (root / "sub/x.txt").read_text() == f"{applied}\n"
    assert [place.name for place in outside.iterdir()] == ["x.txt"]


class _Swapping:
    """Puts a link to another folder in the place of a folder and takes it away, until it is stopped."""

    def __init__(self, root: Path, outside: Path) -> None:
        self._root = root
        self._outside = outside
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        folder, kept = self._root / "sub", self._root / "kept"
        while not self._stopped.is_set():
            folder.rename(kept)
            folder.symlink_to(self._outside)
            folder.unlink()
            kept.rename(folder)
            self._stopped.wait(0.002)  # the folder is itself for about half of the time
