"""Ignore files, git's own files and names that were made to hang, fill or mislead whoever reads a repository.

The project's settings are tried in ``tests/cli/test_hostile_settings.py``; what git could be made to run in
``tests/history/test_hostile_configuration.py``.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from history_repository import Repository
from quaestor import Index
from quaestor.answers.history.history_answer import history_of
from quaestor.core.config import Settings
from quaestor.core.errors import QuaestorError
from quaestor.files.git_folder import TrackedFiles, tracked_names

OUTSIDE = "heron-of-the-outside"

FILES = [".gitignore", ".quaestorignore", ".ignore", "docs/.gitignore", ".gitattributes", ".mailmap"]
GIT_FILES = ["info/exclude", "index", "HEAD", "config", "packed-refs", "commondir", "shallow", "refs/heads/main"]


def _pipe(place: Path, _outside: Path) -> None:
    os.mkfifo(place)


def _endless(place: Path, _outside: Path) -> None:
    place.symlink_to("/dev/zero")


def _sparse(place: Path, _outside: Path) -> None:
    """A file that takes no room on the disk, and more than there is in memory."""
    with place.open("wb") as file:
        file.truncate(1 << 36)


def _folder(place: Path, _outside: Path) -> None:
    place.mkdir()


def _loop(place: Path, _outside: Path) -> None:
    place.symlink_to(place.name)


def _leading_out(place: Path, outside: Path) -> None:
    place.symlink_to(outside / "outside.md")


def _nonsense(place: Path, _outside: Path) -> None:
    place.write_bytes(b"\0\xff[" * 1000 + b"\n**/" * 1000 + b"[!" * 1000 + b"\\\n" * 1000)


def _blank(place: Path, _outside: Path) -> None:
    place.write_bytes(b"\n" * (1 << 20))


Make = Callable[[Path, Path], None]
KINDS: list[Make] = [_pipe, _endless, _sparse, _folder, _loop, _leading_out, _nonsense, _blank]


@pytest.fixture
def made(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.commit("Begin", {"guide.md": "# Guide\n\nThe kingfisher dives.\n", "docs/a.md": "# A\n\nThe badger digs.\n"})
    (tmp_path / "outside.md").write_text(f"# Outside\n\n{OUTSIDE}\n", encoding="utf-8")
    return made


def asked(made: Repository, tmp_path: Path) -> str:
    """Return everything that is told of a repository; refusals with a sentence are as good as answers."""
    told = []
    with Index.build(made.folder, settings=Settings(home=str(tmp_path / "home"))) as index:
        for look in (
            lambda: [hit.chunk.text for hit in index.search("kingfisher")],
            lambda: index.read_lines("guide.md").lines,
            lambda: [hit.chunk.text for hit in index.search("why was the guide begun")],
        ):
            with suppress(QuaestorError):
                told += look()
        repository = index.repository()
        if repository is not None:
            with suppress(QuaestorError):
                told += [hit.chunk.text for hit in history_of(index, "what changed recently").hits]
    return "\n".join(map(str, told))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__.strip("_"))
def test_no_file_with_a_say_stops_or_misleads_a_reader(made: Repository, tmp_path: Path, kind: Make) -> None:
    """What would hang, or fill the memory, would run into the limit that every test has."""
    for name in FILES:
        (made.folder / name).unlink(missing_ok=True)
        kind(made.folder / name, tmp_path)
    told = asked(made, tmp_path)
    assert "kingfisher" in told
    assert OUTSIDE not in told


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__.strip("_"))
@pytest.mark.parametrize(
    "name",
    # What hangs git takes its time limit, some seconds each: one file here, the others by `make slow`.
    [GIT_FILES[0], *(pytest.param(name, marks=pytest.mark.slow) for name in GIT_FILES[1:])],
)
def test_no_file_of_git_does(made: Repository, tmp_path: Path, name: str, kind: Make) -> None:
    place = made.folder / ".git" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    kind(place, tmp_path)
    told = asked(made, tmp_path)
    assert "kingfisher" in told
    assert OUTSIDE not in told


def test_an_index_that_says_more_entries_than_it_has(made: Repository, tmp_path: Path) -> None:
    place = made.folder / ".git" / "index"
    (made.folder / ".gitignore").write_text("guide.md\n", encoding="utf-8")
    for version in (2, 4):
        place.write_bytes(struct.pack(">4sII", b"DIRC", version, 0xFFFFFFFF) + b"\xff" * 100_000)
        # What is ignored is left out, for of the entries none can be read.
        assert "The kingfisher dives" not in asked(made, tmp_path).partition("commit ")[0]


def test_an_index_whose_paths_each_repeat_the_one_before() -> None:
    entry = b"\0" * 62 + b"\0"  # nothing is cut off the path before
    long = entry + b"a/" * 500_000 + b"\0"
    index = struct.pack(">4sII", b"DIRC", 4, 100_000) + long + (entry + b"b\0") * 99_999
    assert sum(map(len, tracked_names(index))) <= 1 << 28


def test_a_path_of_very_many_folders(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    name = b"a/" * 500_000 + b"b"
    (tmp_path / ".git/index").write_bytes(struct.pack(">4sII", b"DIRC", 2, 1) + b"\0" * 62 + name + b"\0" * 8)
    tracked = TrackedFiles(tmp_path)
    assert tracked.has("a/a/a", folder=True)
    assert not tracked.has("a/b", folder=True)
    assert tracked.has(name.decode(), folder=False)
    assert not tracked.has("a/a", folder=False)


def test_a_git_file_that_points_elsewhere_shows_no_files_of_there(made: Repository, tmp_path: Path) -> None:
    private = Repository(tmp_path / "private")
    private.commit("Private", {"diary.md": f"# Diary\n\n{OUTSIDE}\n"})
    (made.folder / "sub").mkdir()
    (made.folder / "sub" / ".git").write_text(f"gitdir: {private.folder}/.git\n", encoding="utf-8")
    (made.folder / "sub" / "b.md").write_text("# B\n\nThe owl sleeps.\n", encoding="utf-8")
    assert OUTSIDE not in asked(made, tmp_path)
