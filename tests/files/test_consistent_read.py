from __future__ import annotations

import hashlib
import os
import sys
import threading
from pathlib import Path

import pytest
from ingest_parts import set_age, write

from moments import calls_of
from quaestor.files.consistent_read import (
    UNTRUSTED,
    NotRegularError,
    Snapshot,
    is_racy,
    on_disk,
    read_snapshot,
    stamp_of,
    storable,
)


def test_bytes_hash_and_time_agree(root: Path) -> None:
    write(root, {"a": "text"})
    snapshot = read_snapshot(str(root / "a"))
    assert (snapshot.data, snapshot.stamp, snapshot.steady) == (b"text", stamp_of((root / "a").stat()), True)
    assert snapshot.sha256 == hashlib.sha256(b"text").hexdigest()


def test_a_fresh_time_is_not_trusted(root: Path) -> None:
    write(root, {"a": "text"}, age=False)
    assert read_snapshot(str(root / "a")).stamp == UNTRUSTED


@pytest.mark.skipif(sys.platform == "win32", reason="Windows tells no more than the modification time")
def test_a_stamp_tells_what_a_time_that_was_set_hides(root: Path) -> None:
    write(root, {"a": "text", "b": "next"})
    first = (root / "a").stat()
    (root / "a").write_bytes(b"TEXT")
    set_age(root / "a")
    second = (root / "a").stat()
    assert (first.st_size, first.st_mtime_ns) == (second.st_size, second.st_mtime_ns)
    assert stamp_of(second) not in (stamp_of(first), UNTRUSTED)
    (root / "b").replace(root / "a")
    assert stamp_of((root / "a").stat()) != stamp_of(second)
    assert stamp_of((root / "a").stat()) == stamp_of((root / "a").stat())


def test_racy_is_about_now_only() -> None:
    now = 10**18
    assert is_racy(now, now)
    assert is_racy(now + 10**9, now)
    assert not is_racy(now - 3 * 10**9, now)
    assert not is_racy(now + 3600 * 10**9, now)


def read_while_it_changes(file: Path, times: int) -> Snapshot:
    """Read a file that somebody writes to between the first look at it and the last, so many times."""

    def change(looks: int) -> None:
        if looks % 2 and looks // 2 < times:
            file.write_bytes(file.read_bytes() + b"+")
            set_age(file, looks)

    with calls_of(os.fstat, change):
        return read_snapshot(str(file))


def test_a_file_that_changes_once_is_read_again(root: Path) -> None:
    write(root, {"a": "text"})
    snapshot = read_while_it_changes(root / "a", 1)
    assert (snapshot.data, snapshot.steady) == (b"text+", True)
    assert snapshot.stamp == stamp_of((root / "a").stat())


def test_a_file_that_keeps_changing_is_not_trusted(root: Path) -> None:
    write(root, {"a": "text"})
    snapshot = read_while_it_changes(root / "a", 5)
    assert (snapshot.steady, snapshot.stamp) == (False, UNTRUSTED)
    assert snapshot.sha256 == hashlib.sha256(snapshot.data).hexdigest()


def test_a_limit_reads_one_byte_more(root: Path) -> None:
    write(root, {"a": "x" * 5000})
    snapshot = read_snapshot(str(root / "a"), limit=1000)
    assert (len(snapshot.data), snapshot.steady) == (1001, True)


def test_what_is_no_file(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(NotRegularError):
        read_snapshot(str(root / "pipe"))
    (root / "link").symlink_to("pipe")
    for name in ("link", "missing", ""):
        with pytest.raises(OSError):
            read_snapshot(str(root / name))


def test_a_writer_at_work_never_yields_a_wrong_hash(root: Path) -> None:
    file = root / "a"
    file.write_bytes(b"0" * 100_000)
    stop = threading.Event()

    def rewrite() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            file.write_bytes(str(number % 10).encode() * 100_000)

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        for _ in range(50):
            snapshot = read_snapshot(str(file))
            assert snapshot.sha256 == hashlib.sha256(snapshot.data).hexdigest()
            assert snapshot.stamp == UNTRUSTED
    finally:
        stop.set()
        writer.join()


def test_names_come_back(root: Path) -> None:
    raw = os.fsdecode(b"caf\xe9/\xff.py")
    assert storable(raw) == r"caf\xe9/\xff.py"
    assert on_disk(str(root), storable(raw)) == f"{root}/{raw}"
    assert storable("plain é 日本") == "plain é 日本"
    write(root, {r"a\xe9.py": "x"})
    assert on_disk(str(root), r"a\xe9.py") == f"{root}/a\\xe9.py"


def test_no_link_in_the_place_of_the_root_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.txt").write_text("elsewhere", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert read_snapshot(str(tmp_path / "real/a.txt"), root=str(tmp_path / "real")).data == b"elsewhere"
    with pytest.raises(OSError):
        read_snapshot(str(tmp_path / "link/a.txt"), root=str(tmp_path / "link"))
