"""The walk against git itself: the same files, on generated trees with generated ignore files."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from quaestor.files.walk import walk

NAMES = ["a", "b", "foo", "bar", "a.txt", "b.log", "foo.c", "x y", "é.md", "[z]", "#h", "!n", "a\\b", "ab", "aXb"]
PIECES = [
    "a",
    "b",
    "foo",
    "bar",
    "*",
    "?",
    "**",
    "[a-c]",
    "[!a]",
    ".txt",
    ".log",
    ".c",
    "/",
    "/",
    "\\*",
    "[[:alpha:]]",
    "[a",
    "é",
    "#",
    "!",
    "[]a]",
    "[^b-]",
    "\\",
    "foo**",
    "**/",
    "/**",
    "X",
    "\\ ",
    " ",
    "x y",
]

names = st.sampled_from(NAMES)
patterns = st.builds(
    lambda before, pieces, after: before + "".join(pieces) + after,
    st.sampled_from(["", "", "", "!", "/"]),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5),
    st.sampled_from(["", "", "", "/"]),
)
ignore_files = st.lists(patterns, min_size=1, max_size=5).map("\n".join)
Tree = Mapping[str, object]
trees: st.SearchStrategy[Tree] = st.recursive(
    st.just({}),
    lambda below: st.dictionaries(names, st.one_of(st.none(), below), min_size=1, max_size=6).flatmap(
        lambda tree: st.one_of(st.just(tree), ignore_files.map(lambda text: {**tree, ".gitignore": text}))
    ),
    max_leaves=12,
)


def plant(folder: Path, tree: Tree) -> None:
    for name, below in tree.items():
        if isinstance(below, Mapping):
            (folder / name).mkdir()
            plant(folder / name, below)
        else:
            (folder / name).write_text(below or "x" if isinstance(below, str) else "x", encoding="utf-8")


def git(folder: Path, *arguments: str) -> bytes:
    environment = {**os.environ, "GIT_LITERAL_PATHSPECS": "1"}
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], env=environment, capture_output=True, check=True
    ).stdout


def files_by_git(folder: Path) -> set[str]:
    listed = git(folder, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    return {os.fsdecode(name) for name in listed.split(b"\0") if name}


def files_by_walk(folder: Path) -> set[str]:
    return {file.path for file in walk(folder).added}


@settings(max_examples=60, deadline=None)
@given(tree=trees, exclude=ignore_files, tracked=st.sets(st.integers(0, 30)), version=st.sampled_from("234"))
def test_the_walk_finds_what_git_lists(tree: Tree, exclude: str, tracked: set[int], version: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        plant(folder, tree)
        git(folder, "init", "-q")
        (folder / ".git/info/exclude").write_text(exclude, encoding="utf-8")
        everything = sorted(path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
        added = [str(path.relative_to(folder)) for at, path in enumerate(everything) if at in tracked]
        if added:
            git(folder, "add", "--force", "--", *added)
            git(folder, "update-index", f"--index-version={version}")
        assert files_by_walk(folder) == files_by_git(folder)


def test_a_nested_file_overrides_one_above(root: Path) -> None:
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    (root / "sub").mkdir()
    (root / "sub/.gitignore").write_text("!keep.log\n")
    for name in ("a.log", "sub/keep.log", "sub/other.log", "sub/x.py"):
        (root / name).write_text("x")
    git(root, "init", "-q")
    assert files_by_walk(root) == files_by_git(root) == {".gitignore", "sub/.gitignore", "sub/keep.log", "sub/x.py"}


def test_the_users_own_ignore_files(root: Path, no_settings_of_the_user: Path) -> None:
    home = no_settings_of_the_user
    git(root, "init", "-q")
    for name in ("a.mine", "b.other", "c.py"):
        (root / name).write_text("x")
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/ignore").write_text("*.mine\n")
    assert files_by_walk(root) == files_by_git(root) == {"b.other", "c.py"}
    (home / "elsewhere").write_text("*.other\n")
    (home / ".gitconfig").write_text('[user]\n\tname = x\n[core]\n\texcludesFile = "~/elsewhere"  ; mine\n')
    assert files_by_walk(root) == files_by_git(root) == {"a.mine", "c.py"}


def test_a_worktree(root: Path, tmp_path: Path) -> None:
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    git(root, "init", "-q")
    (root / ".gitignore").write_text("*.log\n")
    (root / "kept.log").write_text("x")
    git(root, "add", "--force", ".gitignore", "kept.log")
    git(root, *identity, "commit", "-q", "-m", "first")
    (root / ".git/info/exclude").write_text("*.tmp\n")
    tree = tmp_path / "tree"
    git(root, "worktree", "add", "-q", str(tree))
    (tree / "a.tmp").write_text("x")
    (tree / "b.log").write_text("x")
    assert files_by_walk(tree) == files_by_git(tree) == {".gitignore", "kept.log"}


def test_a_folder_of_a_repository(root: Path) -> None:
    git(root, "init", "-q")
    (root / ".gitignore").write_text("*.log\n/sub/deep/x.py\n")
    (root / "sub/deep").mkdir(parents=True)
    for name in ("sub/a.log", "sub/a.py", "sub/deep/x.py", "sub/deep/y.py"):
        (root / name).write_text("x")
    assert files_by_walk(root / "sub") == {"a.py", "deep/y.py"}
    assert files_by_walk(root / "sub/deep") == {"y.py"}
