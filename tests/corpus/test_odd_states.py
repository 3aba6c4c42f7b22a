"""Repositories in unusual states: an open index, a reopened one and a rebuilt one agree.

The one that is made anew is what the others are held against; every hit must carry the hash of the bytes on disk and
show the very lines of the file.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.core.errors import NotFoundError

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git to make a repository")

_LONG_AGO = 1_600_000_000
_NUMBERS = count()

Documents = Mapping[str, str]
"""The hash of each document's bytes, by path."""


def git(folder: Path, *arguments: str, fails: bool = False) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_EDITOR": "true"}
    done = subprocess.run(["git", *who, *arguments], cwd=folder, env=environment, capture_output=True, check=False)
    assert bool(done.returncode) is fails, done.stderr


def write(file: Path, text: str, *, age: int = _LONG_AGO) -> None:
    """Write a file that is as old as all others."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    os.utime(file, (age, age))


def function(name: str) -> str:
    return f"def {name}(socket):\n    return socket.waits_for_answer()\n"


class Compared:
    """One repository with an index that stays open while things happen."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._home = Settings(home=str(place / "home"))
        self.root = place / "root"
        self.root.mkdir()
        git(self.root, "init", "-q", "-b", "main")
        for name in ("one", "two", "three"):
            write(self.root / "src" / f"{name}.py", function(f"{name}_waits"))
        write(self.root / "notes.md", "# Waiting\n\nA socket waits for its answer.\n")
        self.commit("first")
        self.open = Index.build(self.root, settings=self._home)
        self.agree()

    def commit(self, subject: str) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "-m", subject)

    def agree(self, root: Path | None = None) -> Documents:
        """Search with both indexes, hold them and their hits against the disk, and return the documents."""
        root = root or self.root
        with Index.build(root, settings=Settings(home=str(self._place / f"home{next(_NUMBERS)}"))) as anew:
            expected = documents(anew)
        for query in ("waits_for_answer", "where a socket waits"):
            assert_true(self.open, query)
            assert documents(self.open) == expected
        with Index.ready(root, settings=self._home) as now:
            assert_true(now, "waits_for_answer")
            assert documents(now) == expected
        return expected

    def moved(self, root: Path) -> None:
        """Go on with the repository at another place."""
        self.open.close()
        self.root = root
        self.open = Index.build(root, settings=self._home)


def documents(index: Index) -> Documents:
    return {path: document.sha256 for path, document in index.store.documents().items()}


def assert_true(index: Index, query: str) -> None:
    """Search; every hit is fresh, of the bytes on disk, and of the lines that it names."""
    hits = index.search(query)
    assert index.freshness.fresh
    assert hits
    for hit in hits:
        data = (index.root / hit.path).read_bytes()
        assert hit.fresh
        assert hit.document.sha256 == hashlib.sha256(data).hexdigest()
        lines = data.decode().splitlines(keepends=True)
        assert hit.text == "".join(lines[hit.start_line - 1 : hit.end_line])


@pytest.fixture
def compared(tmp_path: Path) -> Iterator[Compared]:
    made = Compared(tmp_path)
    yield made
    made.open.close()


def detached(one: Compared) -> None:
    git(one.root, "checkout", "-q", "--detach")
    write(one.root / "src/later.py", function("later"))
    one.commit("second")


def to_another_commit_and_back(one: Compared) -> None:
    detached(one)
    one.agree()
    git(one.root, "checkout", "-q", "main")


def conflict_in_a_rebase(one: Compared) -> None:
    git(one.root, "checkout", "-q", "-b", "side")
    write(one.root / "src/one.py", function("one_of_side"))
    one.commit("side")
    git(one.root, "checkout", "-q", "main")
    write(one.root / "src/one.py", function("one_of_main"))
    one.commit("main")
    git(one.root, "rebase", "side", fails=True)
    assert (one.root / ".git/rebase-merge").is_dir()


def sparse(one: Compared) -> None:
    write(one.root / "docs/waiting.md", "# More\n\nA socket waits for long.\n")
    one.commit("docs")
    git(one.root, "sparse-checkout", "set", "docs")
    assert not (one.root / "src").exists()


def split_index_and_ignored(one: Compared) -> None:
    """An index in two files cannot be read here: the tracked files that are ignored are left out by all alike."""
    git(one.root, "update-index", "--split-index")
    write(one.root / ".gitignore", "src/\n")


def submodule(one: Compared) -> None:
    other = one.root.parent / "other"
    other.mkdir()
    git(other, "init", "-q")
    write(other / "lib/inner.py", function("inner_waits"))
    git(other, "add", "-A")
    git(other, "commit", "-q", "-m", "inner")
    git(one.root, "submodule", "add", "-q", str(other), "inner")
    assert (one.root / "inner/.git").is_file()


def submodule_with_new_files(one: Compared) -> None:
    submodule(one)
    write(one.root / "inner/lib/more.py", function("more_waits"))
    write(one.root / "inner/.gitignore", "*.log.py\n")
    write(one.root / "inner/x.log.py", function("ignored_waits"))


def file_replaced_by_folder(one: Compared) -> None:
    (one.root / "src/one.py").unlink()
    write(one.root / "src/one.py/inner.py", function("inside"))


def folder_replaced_by_file(one: Compared) -> None:
    shutil.rmtree(one.root / "src")
    write(one.root / "src", function("no_suffix_waits"))


def other_case(one: Compared) -> None:
    (one.root / "src/one.py").rename(one.root / "src/One.py")
    (one.root / "src").rename(one.root / "SRC")


def time_in_the_future(one: Compared) -> None:
    write(one.root / "src/one.py", function("ahead_waits"), age=4_000_000_000)


def future_time_and_other_bytes(one: Compared) -> None:
    time_in_the_future(one)
    one.agree()
    write(one.root / "src/one.py", function("AHEAD_waits"), age=4_000_000_000)


def equal_size_and_time(one: Compared) -> None:
    write(one.root / "src/one.py", function("ONE_waits"))


def places_changed(one: Compared) -> None:
    """Two files of one size and one time, each under the name of the other."""
    first, second, between = (one.root / "src" / name for name in ("one.py", "two.py", "between"))
    first.rename(between)
    second.rename(first)
    between.rename(second)


def folders_changed_places(one: Compared) -> None:
    for name in ("old", "new"):
        write(one.root / name / "version.py", function(f"{name}_waits"))
    one.agree()
    (one.root / "old").rename(one.root / "between")
    (one.root / "new").rename(one.root / "old")
    (one.root / "between").rename(one.root / "new")


def grown_past_the_limit(one: Compared) -> None:
    write(one.root / "src/one.py", function("one_waits") * 100_000)


def grown_and_shrunk(one: Compared) -> None:
    grown_past_the_limit(one)
    assert "src/one.py" not in one.agree()
    write(one.root / "src/one.py", function("small_again_waits"))


def clone_beside_itself(one: Compared) -> None:
    git(one.root, "worktree", "add", "-q", "--detach", str(one.root / "tree"))
    write(one.root / "tree/src/new.py", function("of_the_tree"))


def lost_index(one: Compared) -> None:
    (one.root / ".git/index").unlink()


DEEDS: list[Callable[[Compared], None]] = [
    detached,
    to_another_commit_and_back,
    conflict_in_a_rebase,
    sparse,
    split_index_and_ignored,
    submodule,
    submodule_with_new_files,
    file_replaced_by_folder,
    folder_replaced_by_file,
    other_case,
    time_in_the_future,
    grown_past_the_limit,
    grown_and_shrunk,
    clone_beside_itself,
    lost_index,
    *(
        []
        if sys.platform == "win32"
        else [future_time_and_other_bytes, equal_size_and_time, places_changed, folders_changed_places]
    ),
]


@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.__name__)
def test_whatever_happened_is_seen_before_the_next_search(compared: Compared, deed: Callable[[Compared], None]) -> None:
    before = documents(compared.open)
    deed(compared)
    assert (compared.agree() == before) is (deed in (to_another_commit_and_back, lost_index))


def test_a_worktree_is_a_source_of_its_own(compared: Compared, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    git(compared.root, "worktree", "add", "-q", "--detach", str(tree))
    write(tree / ".gitignore", "src/\n")
    write(tree / "src/new.py", function("ignored_and_new"))
    compared.moved(tree)
    assert set(compared.agree()) == {".gitignore", "notes.md", "src/one.py", "src/two.py", "src/three.py"}


def test_a_root_behind_a_link_is_the_root(compared: Compared, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(compared.root)
    compared.moved(link)
    assert compared.open.root == compared.root.resolve()
    compared.agree()


def test_a_repository_that_moved_is_searched_at_its_new_place(compared: Compared, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    compared.root.rename(moved)
    # People who ask on the page are told no path of the machine, and not what to name on a command line.
    with pytest.raises(NotFoundError, match="'root' is no longer there: it was moved, renamed or deleted"):
        compared.open.search("waits_for_answer")
    compared.moved(moved)
    compared.agree()
    moved.rename(tmp_path / "root")
    compared.moved(tmp_path / "root")
    compared.agree()
