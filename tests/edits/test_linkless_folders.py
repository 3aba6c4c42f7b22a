"""Files under a root are read, and folders made and removed, without following any link."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from quaestor.core.errors import UsageError
from quaestor.edits.linkless_folders import LARGEST, Content, Folders, PlaceError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "x.txt").write_bytes(b"inside")
    (tmp_path / "x.txt").write_bytes(b"outside")
    return folder


def place_error(folders: Folders, path: str) -> tuple[str, str]:
    with pytest.raises(PlaceError) as caught:
        folders.read(path)
    return caught.value.kind, str(caught.value)


def test_files_are_read_with_their_mode_and_owner(root: Path) -> None:
    file = root / "a" / "b" / "x.txt"
    file.chmod(0o640)
    state = file.stat()
    with Folders(root) as folders:
        assert folders.read("a/b/x.txt") == Content(b"inside", 0o640, state.st_uid, state.st_gid)
        (root / "empty").touch()
        empty = folders.read("empty")
        assert empty is not None
        assert empty.data == b""
        assert folders.read("a/b/none") is folders.read("none/x.txt") is folders.read("a/none/y/x") is None


def test_links_are_followed_nowhere(root: Path) -> None:
    (root / "l.txt").symlink_to(root.parent / "x.txt")
    (root / "lost").symlink_to("nowhere")
    (root / "way").symlink_to(root.parent)
    (root / "a" / "same").symlink_to(root / "a" / "b")
    (root / "a" / "b" / "c").mkdir()
    (root / "a" / "b" / "c" / "y.txt").write_bytes(b"deep")
    with Folders(root) as folders:
        for path, link in (
            *(("l.txt", "l.txt"), ("lost", "lost"), ("way/x.txt", "way")),
            *(("a/same/x.txt", "a/same"), ("a/same/c/y.txt", "a/same")),
        ):
            words = f"{link!r} is a symbolic link, which edits do not follow; name its target"
            assert place_error(folders, path) == ("link", words)


def test_only_regular_files_of_a_bounded_size_are_read(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with (root / "large").open("wb") as file:
        file.truncate(LARGEST + 1)
    with (root / "largest").open("wb") as file:
        file.truncate(LARGEST)
    with Folders(root) as folders:
        assert place_error(folders, "a/b") == ("not a file", "'a/b' is not a regular file; name one")
        assert place_error(folders, "pipe") == ("not a file", "'pipe' is not a regular file; name one")
        assert place_error(folders, "large") == ("too large", "'large' has 8,000,001 bytes; the limit is 8,000,000")
        assert place_error(folders, "a/b/x.txt/y") == ("not a file", "'a/b/x.txt' is a file, not a folder")
        found = folders.read("largest")
        assert found is not None
        assert len(found.data) == LARGEST


def test_folders_that_are_missing_are_made_from_the_outermost_and_removed_when_empty(root: Path) -> None:
    with Folders(root) as folders:
        assert folders.missing_folders("a/b/x.txt") == folders.missing_folders("x.txt") == []
        missing = folders.missing_folders("a/c/d/x.txt")
        assert missing == ["a/c", "a/c/d"]
        for folder in (*missing, *missing):
            folders.make(folder)
        assert (root / "a" / "c" / "d").is_dir()
        assert folders.missing_folders("a/c/d/x.txt") == []
        folders.remove_empty("a/c")
        assert (root / "a" / "c" / "d").is_dir(), "it holds a folder"
        folders.remove_empty("a/c/d")
        assert not (root / "a" / "c" / "d").exists()
        assert folders.missing_folders("a/c/d/x.txt") == ["a/c/d"], "what was opened before is forgotten"
        folders.remove_empty("a/none")


def test_no_folder_is_made_through_a_link(root: Path) -> None:
    (root / "way").symlink_to(root.parent)
    with Folders(root) as folders, pytest.raises(PlaceError):
        folders.make("way/new")
    assert not (root.parent / "new").exists()


def test_a_folder_that_was_moved_is_noticed(root: Path) -> None:
    with Folders(root) as folders:
        folders.read("a/b/x.txt")
        assert folders.is_unmoved("a/b/x.txt")
        assert folders.is_unmoved("x")
        (root / "a" / "b").rename(root / "a" / "old")
        assert not folders.is_unmoved("a/b/x.txt"), "it is gone"
        (root / "a" / "b").mkdir()
        assert not folders.is_unmoved("a/b/x.txt"), "another one has its name"
        (root / "a" / "b").rmdir()
        (root / "a" / "b").symlink_to(root / "a" / "old")
        assert not folders.is_unmoved("a/b/x.txt"), "a link leads to it"


def test_a_system_that_cannot_open_files_from_their_folder_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.supports_dir_fd", set())
    with pytest.raises(UsageError, match=r"^This system cannot open .* safe edits need\. Use --patch FILE\.$"):
        Folders(root)


def test_descriptors_are_closed_at_the_end(root: Path) -> None:
    with Folders(root) as folders:
        descriptors = [folders.parent(path) for path in ("x", "a/x", "a/b/x")]
        assert len(set(descriptors)) == 3
        assert all(stat.S_ISDIR(os.fstat(one).st_mode) for one in descriptors)
        assert folders.parent("a/other") == descriptors[1]
        folders.sync()
    for one in descriptors:
        with pytest.raises(OSError, match="descriptor"):
            os.fstat(one)


def test_a_folder_that_something_else_made_is_removed_when_empty(root: Path) -> None:
    (root / "empty").mkdir()
    with Folders(root) as folders:
        folders.remove_empty("empty")
    assert not (root / "empty").exists()


def test_a_file_system_that_cannot_write_folders_to_disk_is_no_error(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def refuse(descriptor: int) -> None:
        asked.append(descriptor)
        raise OSError("not supported")

    monkeypatch.setattr(os, "fsync", refuse)
    with Folders(root) as folders:
        folders.read("a/b/x.txt")
        folders.sync()
    assert len(asked) == 3


def test_folders_behind_links_are_not_removed(root: Path) -> None:
    (root.parent / "empty").mkdir()
    (root / "way").symlink_to(root.parent)
    with Folders(root) as folders:
        folders.remove_empty("way/empty")
    assert (root.parent / "empty").is_dir()
