"""First indexes that another process makes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.files.indexing_values import ProgressState
from quaestor.server.index_process import FirstIndexes, is_indexed, make_index
from quaestor.server.open_corpora import Corpora
from quaestor.server.process_claims import Claims
from quaestor.state.rows import SharedFile


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "corpus"
    root.mkdir()
    for number in range(40):
        (root / f"part{number}.md").write_text(f"# Part {number}\n\nWord {number}.\n", "utf-8")
    (root / "odd\nname.md").write_text("# Odd\n", "utf-8")
    for file in root.iterdir():
        os.utime(file, (1_000_000_000, 1_000_000_000))  # times of a moment ago would not be trusted
    return root


def test_an_index_is_made_elsewhere_as_it_would_be_here(root: Path, tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"), ignore=("part1.md",))
    seen: list[ProgressState] = []
    assert not is_indexed(root, settings)
    make_index(root, settings, seen.append)
    assert is_indexed(root, settings)
    assert (seen[-1].done, seen[-1].total) == (40, 40)
    with Index.open(root, settings=settings) as index:
        documents = index.store.documents()
        assert "odd\nname.md" in documents and "part1.md" not in documents


def test_who_raises_while_it_is_made_ends_it(root: Path, tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"))

    def enough(_: ProgressState) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        make_index(root, settings, enough)
    # Whatever it had committed is whole, and the rest can follow.
    with Index.build(root, settings=settings) as index:
        assert len(index.store.documents()) == 41


_BREAKING_OFF = """
import sys
from pathlib import Path
from quaestor import Index
from quaestor.core.config import Settings
from quaestor.indexing import commit, intake
commit.COMMIT_CHUNKS = intake.TASK_FILES = 5

def progress(state):
    if state.done >= 20:
        print(state.done, flush=True)
        sys.stdin.read()

Index.build(Path(sys.argv[1]), settings=Settings(home=sys.argv[2]), progress=progress)
"""


@pytest.fixture
def broken_off(root: Path, tmp_path: Path) -> Settings:
    """Settings under which the first index of ``root`` was killed half-way."""
    command = [sys.executable, "-c", _BREAKING_OFF, str(root), str(tmp_path / "home")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"20"
        process.kill()
    return Settings(home=str(tmp_path / "home"))


def test_a_first_index_that_was_killed_is_none_to_a_server_until_it_is_whole(root: Path, broken_off: Settings) -> None:
    assert not is_indexed(root, broken_off)
    with Index.open(root, settings=broken_off) as index:
        held = len(index.store.documents())
        assert 0 < held < 41
    states: list[ProgressState] = []
    make_index(root, broken_off, states.append)
    assert states[-1].total == 41 - held, "only the rest is made"
    assert is_indexed(root, broken_off)


@pytest.mark.parametrize("apart", [False, True])
def test_a_server_goes_on_with_it(root: Path, broken_off: Settings, apart: bool) -> None:
    with Corpora([root], lambda _: broken_off, in_processes=apart) as corpora:
        assert len(corpora.get(wait=600).store.documents()) == 41


def test_a_search_of_the_command_line_takes_in_the_rest(root: Path, broken_off: Settings) -> None:
    with Index.ready(root, settings=broken_off) as index:
        assert len(index.store.documents()) < 41
        assert index.search("part seven")
        assert len(index.store.documents()) == 41
        assert index.indexer.is_complete


def test_what_there_was_no_time_for_is_not_taken_for_whole(root: Path, broken_off: Settings) -> None:
    for number in range(100):
        (root / f"late{number}.md").write_text("# Late\n", "utf-8")
    with Index.ready(root, settings=broken_off) as index:
        changes = index.refresh(budget_seconds=0)
        assert changes.stale
        assert not index.indexer.is_complete


def test_what_cannot_be_indexed_says_why_to_who_asks_for_it(tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    gone = tmp_path / "gone"
    make_index(gone, settings, lambda _: None)
    assert not is_indexed(gone, settings)


def test_one_process_makes_it_and_the_others_wait(root: Path, tmp_path: Path) -> None:
    """Two of a server's processes, the first of which ends before it is done."""
    settings, file = Settings(home=str(tmp_path / "home")), tmp_path / "shared"
    one, other = (Claims(SharedFile(file), process) for process in "12")
    far, seen, told = ProgressState(7, 40, 9, 70, 400, "part7.md"), list[ProgressState](), threading.Event()

    def progress(state: ProgressState) -> None:
        seen.append(state)
        if state == far:
            told.set()

    waiting = threading.Thread(target=FirstIndexes(other).make, args=(root, settings, progress))
    with one.attempt("index", str(root)) as mine:
        assert mine
        waiting.start()
        one.publish(json.dumps(far), "index", str(root))
        assert told.wait(600)
        assert not is_indexed(root, settings)
        # Whoever watches over the processes frees what a dead one claimed.
        Claims(SharedFile(file)).free_all("1")
        waiting.join()
    assert is_indexed(root, settings)
    assert (seen[-1].done, seen[-1].total) == (41, 41)
    assert not one.is_claimed("index", str(root))


def test_a_server_answers_from_an_index_made_elsewhere(root: Path, tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    with Corpora([root], lambda _: settings, in_processes=True) as corpora:
        assert corpora.get(wait=600).search("part seven")
    with Corpora([root], lambda _: settings, in_processes=True) as corpora:
        assert len(corpora.get(wait=600).store.documents()) == 41
