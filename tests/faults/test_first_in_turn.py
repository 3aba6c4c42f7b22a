"""Two processes that make one first index: one makes it; the other waits, or continues if the first is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.files.indexing_values import ProgressState

SCRIPT = Path(__file__).with_name("first_indexer.py")
DOCUMENTS = 60


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "corpus"
    root.mkdir()
    for number in range(DOCUMENTS):
        (root / f"part{number}.md").write_text(f"# Part {number}\n\nWord {number}.\n", "utf-8")
    return root


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=str(tmp_path / "home"))


@pytest.fixture
def other(root: Path, settings: Settings) -> Iterator[subprocess.Popen[str]]:
    """Another process, in the middle of making the first index."""
    command = [sys.executable, str(SCRIPT), str(root), settings.home]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "20\n"
        yield process
        process.kill()


class Waiting(threading.Thread):
    """Builds the index as well; ``waits`` is set once it says that it waits."""

    def __init__(self, root: Path, settings: Settings, *, rebuild: bool = False) -> None:
        super().__init__()
        self._rebuild = rebuild
        self.states: list[ProgressState] = []
        self.waits = threading.Event()
        self.added: tuple[str, ...] = ()
        self.documents = 0
        self._root = root
        self._settings = settings
        self.start()

    def run(self) -> None:
        try:
            with Index.build(
                self._root, settings=self._settings, progress=self._progress, rebuild=self._rebuild
            ) as index:
                self.added = index.last_changes.added
                self.documents = len(index.store.documents())
                assert index.freshness.fresh
        finally:
            self.waits.set()

    def _progress(self, state: ProgressState) -> None:
        self.states.append(state)
        if state.doing != "indexing":
            self.waits.set()


def test_the_second_waits_and_makes_nothing_again(other: subprocess.Popen[str], root: Path, settings: Settings) -> None:
    waiting = Waiting(root, settings)
    assert waiting.waits.wait(600)
    state = waiting.states[0]
    assert (state.doing, state.total) == ("waiting for another process", DOCUMENTS)
    assert 0 < state.done < DOCUMENTS
    out, _ = other.communicate(timeout=600)
    assert out == f"{DOCUMENTS}\n"
    waiting.join()
    assert (waiting.added, waiting.documents) == ((), DOCUMENTS)


def test_the_second_goes_on_where_the_first_was_killed(
    other: subprocess.Popen[str], root: Path, settings: Settings
) -> None:
    waiting = Waiting(root, settings)
    assert waiting.waits.wait(600)
    held = waiting.states[0].done
    other.kill()
    waiting.join()
    assert (len(waiting.added), waiting.documents) == (DOCUMENTS - held, DOCUMENTS)


def test_who_makes_it_anew_waits_until_it_is_made(other: subprocess.Popen[str], root: Path, settings: Settings) -> None:
    waiting = Waiting(root, settings, rebuild=True)
    assert waiting.waits.wait(600)
    out, _ = other.communicate(timeout=600)
    assert (out, other.returncode) == (f"{DOCUMENTS}\n", 0), "what it made was taken away from it"
    waiting.join()
    assert waiting.states[0].doing == "waiting for another process"
    assert (len(waiting.added), waiting.documents) == (DOCUMENTS, DOCUMENTS)


def test_a_search_meanwhile_does_not_wait(other: subprocess.Popen[str], root: Path, settings: Settings) -> None:
    with Index.ready(root, settings=settings) as index:
        assert index.search("part")
    assert other.poll() is None


def test_who_gives_up_waiting_leaves_the_other_alone(
    other: subprocess.Popen[str], root: Path, settings: Settings
) -> None:
    def enough(_: ProgressState) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index.build(root, settings=settings, progress=enough)
    out, _ = other.communicate(timeout=600)
    assert out == f"{DOCUMENTS}\n"


def test_of_several_commands_begun_at_once_one_takes_each_document_in(
    root: Path, settings: Settings, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "quaestor", "index", "--json", str(root)]
    environment = {**os.environ, "QUAESTOR_HOME": settings.home}
    begun = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    told = [json.loads(process.communicate(timeout=600)[0]) for process in begun]
    assert [process.returncode for process in begun] == [0] * 4
    assert sorted(path for one in told for path in one["added"]) == sorted(file.name for file in root.iterdir())
    assert not any(one["changed"] or one["removed"] for one in told)
    with (
        Index.open(root, settings=settings) as index,
        Index.build(root, settings=Settings(home=str(tmp_path / "anew"))) as anew,
    ):
        assert index.stats()._replace(generation=0, index_bytes=0) == anew.stats()._replace(generation=0, index_bytes=0)
        assert [hit.path for hit in index.search("part word", 60)] == [hit.path for hit in anew.search("part word", 60)]
