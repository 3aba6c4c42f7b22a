"""A search while the index cannot be written answers in time from the present index, and each hit says so."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.assemble import index_folder
from quaestor.core.config import Settings
from quaestor.core.errors import IndexBusyError
from quaestor.stores.embedded.lock import WriteLock


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "corpus"
    root.mkdir()
    for name in ("pond", "oven"):
        (root / f"{name}.md").write_text(f"# {name}\n\nThe heron waits by the {name}.\n")
    return root


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=str(tmp_path / "home"), refresh_seconds=0.1)


@pytest.fixture
def index(root: Path, settings: Settings) -> Iterator[Index]:
    with Index.build(root, settings=settings) as index:
        yield index


def states(index: Index) -> dict[str, bool]:
    return {hit.path: hit.fresh for hit in index.search("heron")}


def test_another_writer_is_not_waited_for_beyond_the_time(index: Index, root: Path, settings: Settings) -> None:
    (root / "pond.md").write_text("# pond\n\nThe heron has gone.\n")
    with WriteLock(index_folder(index.root, settings)).hold(0):
        assert states(index) == {"pond.md": False, "oven.md": True}
        assert not index.freshness.fresh
        [remark] = index.remarks
        assert "locked by process" in remark
        assert index.tree().count == 2
        with pytest.raises(IndexBusyError):
            index.refresh(budget_seconds=0)
    assert states(index) == {"pond.md": True, "oven.md": True}
    assert index.freshness.fresh
    assert index.remarks == ()


def test_what_a_walk_decided_waits_to_be_remembered(root: Path, settings: Settings) -> None:
    (root / ".gitignore").write_text("*.log\n")
    for file in root.iterdir():
        os.utime(file, (1_600_000_000, 1_600_000_000))
    with Index.build(root, settings=settings) as index:
        before = index.store.generation()
        (root / "one.log").write_text("ignored\n")
        with WriteLock(index_folder(index.root, settings)).hold(0):
            assert all(states(index).values())
            assert (index.freshness.fresh, index.remarks) == (True, ())
        assert index.store.generation() == before
        index.search("heron")
        assert index.store.generation() == before + 1
        index.search("heron")
        assert index.store.generation() == before + 1


def test_a_full_disk_stops_no_search(index: Index, root: Path, settings: Settings) -> None:
    """A limit on the size of files stands in for the disk."""
    (root / "pond.md").write_text("# pond\n\nThe heron has gone.\n" * 2000)
    done = subprocess.run(
        [sys.executable, "-m", "quaestor", "search", "heron", str(root)],
        env={**os.environ, "QUAESTOR_HOME": settings.home},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)),
    )
    assert done.returncode == 0, done.stderr
    assert "pond.md:1  pond  changed since it was indexed" in done.stdout
    assert "What changed is not in the index yet." in done.stderr
    assert "free some space" in done.stderr
    assert states(index)["pond.md"]
