"""The walk is skipped while nothing happens, and never after a change."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ingest_parts import LONG_AGO_NS, HashedWords, make_indexer, open_store

from moments import calls_of
from quaestor.files.inotify import InotifyWatch
from quaestor.files.walk import walk
from quaestor.indexing.indexer import Changes, Indexer
from quaestor.stores.embedded.store import EmbeddedStore

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")


def write(path: Path, text: str = "def found(): pass\n") -> None:
    """Write a file that seems to be old, as what has long been indexed is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    make_old(path)


def make_old(path: Path) -> None:
    os.utime(path, ns=(LONG_AGO_NS, LONG_AGO_NS))


class Walks:
    """An indexer that has settled."""

    def __init__(self, root: Path, store: EmbeddedStore) -> None:
        self.indexer = make_indexer(root, store)
        self.settle()

    def refresh(self) -> tuple[Changes, bool]:
        """Return what changed, and whether the indexer walked."""
        with calls_of(walk) as walks:
            return self.indexer.refresh(), bool(walks)

    def settle(self) -> None:
        """Refresh until a refresh does not walk; skip the test where nothing is ever heard."""
        if not InotifyWatch(self.indexer.root).usable:
            pytest.skip("nothing is heard on this file system")
        for _ in range(5):
            _, walked = self.refresh()
            if not walked:
                return
        pytest.fail("it walks on though nothing happens")


def at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files that were written just now count as written long ago.

    For two seconds after a file outside the root was written, nothing is taken to be quiet, for it might be written
    again and keep its time. A test that waited those seconds out before it could begin would test nothing else.
    """
    monkeypatch.setattr("quaestor.files.consistent_read.RACY_NS", 0)


@pytest.fixture
def walks(root: Path, store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch) -> Walks:
    at_rest(monkeypatch)
    write(root / "a" / "one.py")
    write(root / "a" / "deep" / "two.py")
    write(root / "venv" / "pyvenv.cfg", "home = /usr\n")
    write(root / "venv" / "three.py")
    return Walks(root, store)


def test_does_not_walk_while_nothing_happens(walks: Walks) -> None:
    for _ in range(2):
        changes, walked = walks.refresh()
        assert (changes.any, changes.unchanged, walked) == (False, 2, False)


def test_walks_when_told_to(walks: Walks) -> None:
    walks.indexer.distrust()
    _, walked = walks.refresh()
    assert walked


CHANGES: dict[str, tuple[Callable[[Path], object], set[str]]] = {
    "a file written": (lambda root: write(root / "a/one.py", "def other(): return 1\n"), {"a/one.py"}),
    "a file made": (lambda root: write(root / "a/new.py"), {"a/new.py"}),
    "a file moved in": (lambda root: (root.parent / "new.py").rename(root / "a/new.py"), {"a/new.py"}),
    "a file put in another's place": (lambda root: (root.parent / "new.py").replace(root / "a/one.py"), {"a/one.py"}),
    "a file gone": (lambda root: (root / "a/one.py").unlink(), {"a/one.py"}),
    "a file moved away": (lambda root: (root / "a/one.py").rename(root.parent / "x.py"), {"a/one.py"}),
    "new nested folders": (lambda root: write(root / "b/c/d/new.py"), {"b/c/d/new.py"}),
    "a folder renamed": (lambda root: (root / "a").rename(root / "z"), {"a/one.py", "z/one.py"}),
    "a nested folder renamed": (lambda root: (root / "a/deep").rename(root / "deep"), {"a/deep/two.py", "deep/two.py"}),
    "a folder moved away": (lambda root: (root / "a").rename(root.parent / "away"), {"a/one.py", "a/deep/two.py"}),
    "a folder moved in": (lambda root: (root.parent / "other").rename(root / "other"), {"other/five.py"}),
    "a folder gone": (lambda root: shutil.rmtree(root / "a/deep"), {"a/deep/two.py"}),
    "an ignore file": (lambda root: write(root / ".gitignore", "deep/\n"), {"a/deep/two.py"}),
    "a nested ignore file": (lambda root: write(root / "a/.ignore", "one.py\n"), {"a/one.py"}),
    "what held a folder back is gone": (lambda root: (root / "venv/pyvenv.cfg").unlink(), {"venv/three.py"}),
    "a file made binary": (lambda root: write(root / "a/one.py", "\0\1\2" * 500), {"a/one.py"}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_sees_every_change(walks: Walks, root: Path, name: str) -> None:
    write(root.parent / "new.py", "def entirely_new(): return 3\n")
    write(root.parent / "other" / "five.py")
    change, paths = CHANGES[name]
    change(root)
    found = walks.indexer.refresh()
    assert paths <= {*found.added, *found.changed, *found.removed, *(entry.path for entry in found.skipped)}
    walks.settle()


def test_sees_changes_in_a_folder_made_in_the_place_of_another(walks: Walks, root: Path) -> None:
    shutil.rmtree(root / "a")
    write(root / "a" / "one.py")
    walks.indexer.refresh()
    walks.settle()
    write(root / "a" / "new.py")
    assert walks.indexer.refresh().added == ("a/new.py",)


def test_sees_changes_in_a_folder_that_was_renamed(walks: Walks, root: Path) -> None:
    (root / "a").rename(root / "z")
    walks.settle()
    write(root / "z" / "deep" / "new.py")
    assert walks.indexer.refresh().added == ("z/deep/new.py",)


def test_sees_another_root_in_the_place_of_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_rest(monkeypatch)
    root = tmp_path / "above" / "root"
    write(root / "one.py")
    with_store = open_store(tmp_path / "elsewhere")
    walks = Walks(root, with_store)
    (tmp_path / "above").rename(tmp_path / "former")
    write(root / "two.py")
    changes = walks.indexer.refresh()
    assert (changes.added, changes.removed) == (("two.py",), ("one.py",))
    with_store.close()


def test_walks_always_where_a_file_has_several_names(walks: Walks, root: Path) -> None:
    write(root.parent / "outside.py")
    os.link(root.parent / "outside.py", root / "linked.py")
    for _ in range(4):
        walks.indexer.refresh()
    (root.parent / "outside.py").write_text("def other(): return 'longer than it was'\n")
    assert walks.indexer.refresh().changed == ("linked.py",)


def test_hears_of_another_process_that_commits(walks: Walks, root: Path, tmp_path: Path) -> None:
    other_store = open_store(tmp_path / "index")
    other = Indexer(root, other_store, HashedWords(), walks.indexer.settings)
    write(root / "a" / "new.py")
    assert other.refresh().added == ("a/new.py",)
    assert not walks.indexer.refresh().any
    write(root / "a" / "newer.py")
    assert walks.indexer.refresh().added == ("a/newer.py",)
    assert not other.refresh().any
    other_store.close()


def test_walks_after_an_overflow(walks: Walks, root: Path) -> None:
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if limit > 50_000:
        pytest.skip("the queue is too long to fill")
    for number in range(limit + 2):
        os.utime(root / "a" / ("one.py", "deep")[number % 2], ns=(LONG_AGO_NS, LONG_AGO_NS))
    (root / "a" / "deep" / "two.py").write_text("def changed_after_the_queue_was_full(): pass\n")
    assert walks.indexer.refresh().changed == ("a/deep/two.py",)


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git to make a repository")
def test_follows_git(root: Path, store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch) -> None:
    at_rest(monkeypatch)
    write(root / "one.py")
    write(root / "kept.log.py")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    git(root, "checkout", "-q", "-b", "side")
    write(root / "side.py")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "two")
    walks = Walks(root, store)
    git(root, "checkout", "-q", "main")
    assert walks.indexer.refresh().removed == ("side.py",)
    walks.settle()
    git(root, "checkout", "-q", "side")
    make_old(root / "side.py")
    assert walks.indexer.refresh().added == ("side.py",)
    walks.settle()
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "exclude").write_text("new.py\n*.log.py\n")
    write(root / "new.py")
    assert not walks.indexer.refresh().any  # tracked files stay, excluded ones are not taken
    walks.settle()
    git(root, "rm", "-q", "--cached", "kept.log.py")
    assert walks.indexer.refresh().removed == ("kept.log.py",)
    walks.settle()
    (root / ".git" / "info" / "exclude").write_text("")
    assert set(walks.indexer.refresh().added) == {"new.py", "kept.log.py"}


def test_follows_the_users_own_ignore_file(walks: Walks, no_settings_of_the_user: Path) -> None:
    home = no_settings_of_the_user
    write(home / ".config" / "git" / "ignore", "one.py\n")
    assert walks.indexer.refresh().removed == ("a/one.py",)
    walks.settle()
    write(home / "mine", "two.py\n")
    write(home / ".gitconfig", f"[core]\n excludesFile = {home / 'mine'}\n")
    changes = walks.indexer.refresh()
    assert (changes.added, changes.removed) == (("a/one.py",), ("a/deep/two.py",))


def test_becomes_part_of_a_repository(walks: Walks, root: Path) -> None:
    write(root.parent / ".gitignore", "deep\n")
    assert not walks.indexer.refresh().any
    walks.settle()
    (root.parent / ".git").mkdir()
    assert walks.indexer.refresh().removed == ("a/deep/two.py",)
