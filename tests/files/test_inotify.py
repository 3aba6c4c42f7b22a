"""Which changes of folders the kernel reports."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from quaestor.files import inotify as module
from quaestor.files.inotify import InotifyWatch

LOCAL = frozenset({"btrfs", "ext2/ext3", "f2fs", "overlayfs", "tmpfs", "xfs"})
"""What stat calls the file systems that are local."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")


@pytest.fixture
def notices(tmp_path: Path) -> InotifyWatch:
    found = InotifyWatch(tmp_path)
    if not found.usable:
        # Asked of another program than ours: one that wrongly heard nothing anywhere would pass by skipping.
        kind = subprocess.run(["stat", "-f", "-c", "%T", tmp_path], capture_output=True, text=True, check=True).stdout
        assert kind.strip() not in LOCAL, f"nothing is heard on {kind.strip()}"
        pytest.skip(f"a file system on which changes may pass this kernel by: {kind.strip()}")
    return found


def test_silent_until_something_happens(notices: InotifyWatch, tmp_path: Path) -> None:
    assert not notices.watch([str(tmp_path)])
    assert notices.watch([str(tmp_path)])
    assert notices.silent()
    (tmp_path / "new").write_text("x")
    assert not notices.silent()
    assert notices.silent()


def test_reading_is_nothing_that_happens(notices: InotifyWatch, tmp_path: Path) -> None:
    (tmp_path / "old").write_text("x")
    notices.watch([str(tmp_path)])
    assert (tmp_path / "old").read_text() == "x"
    assert list(tmp_path.iterdir())
    assert notices.silent()


def test_watches_on_after_a_file_was_written(notices: InotifyWatch, tmp_path: Path) -> None:
    notices.watch([str(tmp_path)])
    (tmp_path / "new").write_text("x")
    assert not notices.silent()
    assert notices.watch([str(tmp_path)])


def test_watches_again_what_was_replaced(notices: InotifyWatch, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folders = [str(tmp_path), str(folder)]
    notices.watch(folders)
    shutil.rmtree(folder)
    folder.mkdir()
    assert not notices.silent()
    assert not notices.watch(folders)
    (folder / "new").write_text("x")
    assert not notices.silent()


def test_a_folder_that_is_gone_is_not_watched(notices: InotifyWatch, tmp_path: Path) -> None:
    assert not notices.watch([str(tmp_path), str(tmp_path / "gone")])
    assert not notices.watch([str(tmp_path), str(tmp_path / "gone")])
    assert notices.usable


def test_gives_up_where_folders_are_too_many(notices: InotifyWatch, tmp_path: Path) -> None:
    assert not notices.watch([str(tmp_path), *(f"{tmp_path}/{number}" for number in range(module._MOST_FOLDERS))])
    assert not notices.usable
    assert not notices.silent()
    assert not notices.watch([])


def mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *mounts: tuple[Path | str, str]) -> None:
    """Let the kernel's table of mounts have these points with their file systems, and no others."""
    table = tmp_path / "mountinfo"
    table.write_text("".join(f"36 35 98:0 / {point} rw shared:1 - {kind} /dev/root rw\n" for point, kind in mounts))
    monkeypatch.setattr(module, "_MOUNTS", str(table))


@pytest.mark.parametrize("kind", ["nfs4", "9p", "fuse.sshfs", "cifs", "virtiofs", "vboxsf", "zfs"])
def test_hears_nothing_of_file_systems_that_others_write_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    mount(tmp_path, monkeypatch, ("/", "ext4"), (tmp_path, kind))
    assert not InotifyWatch(tmp_path).usable
    assert not InotifyWatch(tmp_path / "below").usable


def test_hears_nothing_where_another_file_system_lies_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mount(tmp_path, monkeypatch, ("/", "ext4"), (tmp_path / "below", "nfs4"))
    assert not InotifyWatch(tmp_path).usable
    assert InotifyWatch(tmp_path / "beside").usable


def test_the_later_of_two_mounts_hides_the_earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mount(tmp_path, monkeypatch, (tmp_path, "ext4"), (tmp_path, "nfs4"))
    assert not InotifyWatch(tmp_path).usable


def test_a_mount_point_is_read_with_its_spaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "table"
    table.write_text("36 35 98:0 / /my\\040files\\134x rw shared:1 - ext4 /dev/root rw\n")
    monkeypatch.setattr(module, "_MOUNTS", str(table))
    assert list(module._mounts()) == [("/my files\\x", "ext4")]


def test_a_child_process_does_not_rely_on_what_its_parent_may_hear(notices: InotifyWatch, tmp_path: Path) -> None:
    notices.watch([str(tmp_path)])
    child = os.fork()
    if not child:
        os._exit(int(notices.silent() or notices.usable))
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert notices.silent()
    (tmp_path / "new").write_text("x")
    assert not notices.silent()
