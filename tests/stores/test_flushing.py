"""Files are on the disk when the wait is over, or the wait raises the reason."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from quaestor.stores.embedded.derived_files import Flush


def test_several_files_are_waited_for(tmp_path: Path) -> None:
    files = [tmp_path / str(number) for number in range(5)]
    for file in files:
        file.write_bytes(b"text")
    synced: list[Path] = []

    def notice(frame: FrameType, event: str, what: Any) -> None:
        if event == "c_return" and what is os.fsync:
            synced.append(frame.f_locals["path"])

    threading.setprofile(notice)  # of the threads that begin from now on
    try:
        flush = Flush(files)
    finally:
        threading.setprofile(None)
    flush.wait()
    assert synced == files


def test_a_failure_is_raised_when_it_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"")
    flush = Flush([tmp_path / "there", tmp_path / "missing"])
    with pytest.raises(FileNotFoundError, match="missing"):
        flush.wait()
