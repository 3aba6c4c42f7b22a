"""Files are on the disk when the wait is over, or the wait raises the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from quaestor.stores.embedded.derived_files import Flush


def test_several_files_are_waited_for(tmp_path: Path) -> None:
    files = [tmp_path / str(number) for number in range(5)]
    for file in files:
        file.write_bytes(b"text")
    Flush(files).wait()
    assert all(file.read_bytes() == b"text" for file in files)


def test_a_failure_is_raised_when_it_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"")
    flush = Flush([tmp_path / "there", tmp_path / "missing"])
    with pytest.raises(FileNotFoundError, match="missing"):
        flush.wait()
