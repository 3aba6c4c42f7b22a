"""Settings that a repository brings along stop no command, and hide no file without a remark."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cli_parts import Run, aged, shell, write

QUERY = "send_with_retry"
DEEP = {
    "arrays": f"results = {'[' * 100_000}",
    "tables": f"results = {'{a=' * 20_000}",
    "names": f"{'results.' * 30_000}a = 1",
    "digits": f"results = {'9' * 20_000}",
    "hexadecimal": f"results = 0x{'f' * 20_000}",
    "letters": f'results = "{"a" * 200_000}"',
    "size": "# nothing\n" * 1_000_000,
    "many": "".join(f"unknown{number} = 1\n" for number in range(10_000)),
}


@pytest.mark.parametrize("name", ["quaestor.toml", "pyproject.toml"])
@pytest.mark.parametrize("device", ["/dev/zero", "fifo", "folder"])
def test_what_is_no_file_is_not_read(repository: Path, name: str, device: str) -> None:
    place = repository / name
    if device == "fifo":
        os.mkfifo(place)
    elif device == "folder":
        place.mkdir()
    else:
        place.symlink_to(device)
    # A process of its own: one that hangs, or takes all memory, is ended with it.
    done = shell("search", QUERY, str(repository))
    assert done.code == 0
    assert "src/retry.py" in done.out
    assert f"{name}' cannot be read: it is not a regular file" in done.err


@pytest.mark.parametrize("content", DEEP.values(), ids=DEEP)
def test_no_content_stops_a_reader(quaestor: Run, repository: Path, content: str) -> None:
    write(repository, {"quaestor.toml": content})
    done = quaestor("search", QUERY, repository)
    assert done.code == 0
    assert "src/retry.py" in done.out
    assert "warning: " in done.err
    assert "Traceback" not in done.err
    assert len(done.err) < 5_000
    assert quaestor("config", "show", repository).code == 0


def test_what_the_project_hides_is_said_and_can_be_read(
    quaestor: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository, {"quaestor.toml": 'ignore = ["*"]'})
    aged(repository)
    indexed = quaestor("index", repository)
    assert "4 files and folders are left out by 'ignore' of project file" in indexed.out
    done = quaestor("search", QUERY, repository)
    assert done.code == 1
    assert "The setting 'ignore' leaves out 4 files and folders." in done.err
    told = quaestor("index", "--verbose", repository).out
    assert "src/  (ignored: by the setting 'ignore')" in told
    assert "QUAESTOR_IGNORE='#'" in done.err
    monkeypatch.setenv("QUAESTOR_IGNORE", "#")
    again = quaestor("search", QUERY, repository)
    assert again.code == 0
    assert "src/retry.py" in again.out
    assert "leaves out" not in again.err


def test_one_file_that_is_shown_does_not_cover_up_for_the_others(quaestor: Run, repository: Path) -> None:
    write(repository, {"README.md": "# Nothing to see\n", "quaestor.toml": 'ignore = ["*", "!README.md"]'})
    assert "leaves out 4 files and folders" in quaestor("ask", "how is a request sent again?", repository).err


def test_a_limit_of_one_byte_is_said(quaestor: Run, repository: Path) -> None:
    write(repository, {"quaestor.toml": "max_file_bytes = 1"})
    said = quaestor("search", QUERY, repository).err
    assert "The setting 'max_file_bytes' leaves out 4 files. `quaestor index --verbose` shows how large" in said


def test_a_few_patterns_are_said_by_index_alone(quaestor: Run, repository: Path) -> None:
    write(repository, {"quaestor.toml": 'ignore = ["/docs/"]'})
    assert "1 file or folder is left out by 'ignore' of project file" in quaestor("index", repository).out
    assert quaestor("search", QUERY, repository).err == ""
