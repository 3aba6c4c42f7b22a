"""Git folders in which pipes and devices lie where git opens files: none is opened, and the rest is told."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from history_repository import Repository as Made
from quaestor.history.git import Git, NoHistoryError, Repository

ODD: dict[str, Callable[[Path], None]] = {
    "a pipe": os.mkfifo,
    "an endless device": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nothing": lambda path: path.symlink_to("nothing"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = Made(tmp_path / "shop")
    made.write({"till.py": "def count():\n    return 1\n"})
    made.git("add", "-A")
    made.git("commit", "-q", "-m", "Count the till")
    return made.folder / ".git"


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", ["packed-refs", "shallow", "reftable", "config"])
def test_what_is_no_file_is_left_out(folder: Path, name: str, odd: str) -> None:
    (folder / name).unlink(missing_ok=True)
    ODD[odd](folder / name)
    with Git(Repository(folder, folder, "", lambda _: True)) as git:
        found = git.run("log", "--format=%s")
    assert (found.text, found.is_complete) == ("Count the till\n", True)


@pytest.mark.parametrize("odd", ODD)
def test_without_a_head_there_is_no_history(folder: Path, odd: str) -> None:
    (folder / "HEAD").unlink()
    ODD[odd](folder / "HEAD")
    with pytest.raises(NoHistoryError):
        Git(Repository(folder, folder, "", lambda _: True))
