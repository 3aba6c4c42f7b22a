"""An index that cannot be written is searched as it is: its folder is read-only, or the disk is full."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.assemble.source_paths import index_folder
from quaestor.core.config import Settings
from unprivileged import run_unprivileged

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="modes and limits of Linux")

RUN = "import sys; from quaestor.cli import run; sys.exit(run(sys.argv[1:]))"
# Of no file may anything be written, as on a disk without room; not even the files that SQLite shares between readers.
FULL = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
FULL += "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); "


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "corpus"
    root.mkdir()
    for number in range(5):
        file = root / f"part{number}.md"
        file.write_text(f"# Part {number}\n\nHere word{number} is told.\n", "utf-8")
        os.utime(file, (1e9, 1e9))  # of what was written just now the next search writes a stamp
    return root


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=str(tmp_path / "home"))


@pytest.fixture
def folder(root: Path, settings: Settings) -> Iterator[Path]:
    """Return the folder of an index that may be read and not written."""
    Index.build(root, settings=settings).close()
    folder = index_folder(root, settings)
    set_modes(folder, 0o555, 0o444)
    yield folder
    set_modes(folder, 0o755, 0o644)


def set_modes(folder: Path, of_folders: int, of_files: int) -> None:
    for path in [folder, *folder.rglob("*")]:
        path.chmod(of_folders if path.is_dir() else of_files)


def commands(root: Path) -> Sequence[Sequence[str]]:
    return (["search", "word3", str(root), "--json"], ["ask", "word3", str(root), "--json"])


def check(done: subprocess.CompletedProcess[bytes], *, changed: bool) -> None:
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert "part3.md" in str(told)
    assert (b"not in the index yet" in done.stderr) is changed, done.stderr


def test_a_read_only_index_is_searched(root: Path, settings: Settings, folder: Path) -> None:
    before = {path.name for path in folder.iterdir()}
    for changed in (False, True):
        if changed:
            (root / "part4.md").write_text("# Part 4\n\nSomething else.\n", "utf-8")
        for command in commands(root):
            check(run_with(settings, command), changed=changed)
    assert {path.name for path in folder.iterdir()} == before


def run_with(settings: Settings, command: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    code = f"import os; os.environ['QUAESTOR_HOME'] = {settings.home!r}; {RUN}"
    return run_unprivileged("-c", code, *command)


def test_what_a_dead_writer_left_is_read_as_well(root: Path, settings: Settings) -> None:
    """The log of SQLite holds the last commits until somebody ends in peace."""
    code = (
        "import os, sys; from quaestor import Index; from quaestor.core.config import Settings; "
        "index = Index.build(sys.argv[1], settings=Settings(home=sys.argv[2])); os._exit(9)"
    )
    assert run_unprivileged("-c", code, str(root), settings.home).returncode == 9
    folder = index_folder(root, settings)
    assert (folder / "index.sqlite3-wal").stat().st_size
    set_modes(folder, 0o555, 0o444)
    try:
        check(run_with(settings, commands(root)[0]), changed=False)
    finally:
        set_modes(folder, 0o755, 0o644)


def test_on_a_full_disk_there_is_an_answer(root: Path, settings: Settings) -> None:
    Index.build(root, settings=settings).close()
    for changed in (False, True):
        if changed:
            (root / "part4.md").write_text("# Part 4\n\nSomething else.\n", "utf-8")
        for command in commands(root):
            code = f"import os; os.environ['QUAESTOR_HOME'] = {settings.home!r}; {FULL}{RUN}"
            done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, check=False)
            check(done, changed=changed)
    with Index.open(root, settings=settings) as index:
        assert [hit.path for hit in index.search("something else", 1)] == ["part4.md"], "there is room again"
