from __future__ import annotations

import os
import shutil
import socket
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ingest_parts import LONG_AGO_NS, set_age, write

from moments import calls_of
from quaestor.core.documents import Document
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.files.ignore import Level
from quaestor.files.indexing_values import IngestSettings
from quaestor.files.walk import WalkResult, walk
from quaestor.files.walk_rules import Decisions


def paths(found: WalkResult) -> set[str]:
    return {file.path for file in found.added}


def reasons(found: WalkResult) -> dict[str, str]:
    return {skipped.path: skipped.reason for skipped in found.skipped}


def test_links_are_never_followed(root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside/secret.txt": "x"})
    write(root, {"src/a.py": "x"})
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "up").symlink_to("..")
    (root / "again").symlink_to("src")
    (root / "a.py").symlink_to("src/a.py")
    (root / "src/loop").symlink_to("../src")
    (root / "self").symlink_to("self")
    found = walk(root)
    assert paths(found) == {"src/a.py"}
    assert set(reasons(found).values()) == {"link"}
    details = {skipped.path: skipped.detail for skipped in found.skipped}
    assert details["out"] == details["up"] == "leads out of the root"
    assert details["again"] == details["src/loop"] == "what it leads to has its own place"
    assert details["self"] == "leads nowhere"


def test_the_root_itself_may_be_a_link(root: Path, tmp_path: Path) -> None:
    write(root, {"a.py": "x"})
    (tmp_path / "link").symlink_to(root)
    assert paths(walk(tmp_path / "link")) == {"a.py"}


def test_pipes_and_sockets_are_left_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, {"a.py": "x"})
    os.mkfifo(root / "pipe")
    monkeypatch.chdir(root)  # a socket's path may be 100 bytes long
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.py")
        assert reasons(walk(root)) == {"pipe": "special", "socket.py": "special"}


@pytest.mark.parametrize(
    "name", ["with space.py", "new\nline.py", "tab\t.py", "été.py", "日本.md", "-rf.py", "a\\b.py"]
)
def test_odd_names(root: Path, name: str) -> None:
    write(root, {name: "x"})
    assert paths(walk(root)) == {name}


def test_a_name_that_is_no_text(root: Path) -> None:
    Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9.py")).write_text("x")
    found = walk(root)
    assert paths(found) == {r"caf\xe9.py"}
    (root / r"caf\xe9.py").write_text("y")
    found = walk(root)
    assert paths(found) == {r"caf\xe9.py"}
    assert reasons(found) == {r"caf\xe9.py": "name"}


def test_a_folder_named_like_a_file(root: Path) -> None:
    write(root, {"main.py/real.py": "x"})
    assert paths(walk(root)) == {"main.py/real.py"}


def test_a_very_deep_folder_costs_only_itself(root: Path) -> None:
    write(root, {"a.py": "x"})
    here = os.open(root, os.O_RDONLY)
    for _ in range(30):
        os.mkdir("d" * 200, dir_fd=here)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    found = walk(root)
    assert paths(found) == {"a.py"}
    assert list(reasons(found).values()) == ["unreadable"]
    shutil.rmtree(root)


def test_sizes(root: Path) -> None:
    write(root, {"big.py": "x" * 2000, "book.md": "x" * 2000, "small.py": "x"})
    found = walk(root, IngestSettings(max_file_bytes=1000))
    assert paths(found) == {"book.md", "small.py"}
    assert reasons(found) == {"big.py": "too large"}
    assert "2,000 bytes" in found.skipped[0].detail


def test_patterns_from_the_settings_win(root: Path) -> None:
    write(root, {".gitignore": "*.log\n", "a.log": "x", "b.py": "x", "docs/c.py": "x"})
    found = walk(root, IngestSettings(ignore=("!a.log", "/docs/", "b.*")))
    assert paths(found) == {".gitignore", "a.log"}


def test_our_ignore_files_win_over_gits(root: Path) -> None:
    write(
        root,
        {
            ".gitignore": "*.log\n",
            ".ignore": "!*.log\n*.tmp\n",
            ".quaestorignore": "a.log\n!b.tmp\n",
            **dict.fromkeys(("a.log", "b.log", "a.tmp", "b.tmp"), "x"),
        },
    )
    assert paths(walk(root)) == {".gitignore", ".ignore", ".quaestorignore", "b.log", "b.tmp"}


def test_a_repository_inside(root: Path) -> None:
    write(root, {"inner/.git/info/exclude": "*.mine\n", "inner/a.mine": "x", "a.mine": "x", "inner/a.py": "x"})
    assert paths(walk(root)) == {"a.mine", "inner/a.py"}


def test_a_hostile_pointer_is_harmless(root: Path) -> None:
    write(root, {".git": "gitdir: /proc/self/mem\n", "a.py": "x", "sub/.git": "gitdir: \0\n", "sub/b.py": "x"})
    assert paths(walk(root)) == {"a.py", "sub/b.py"}


def test_a_single_file(root: Path) -> None:
    write(root, {"a.py": "x", "b.py": "x", ".env": "x"})
    assert paths(walk(root / "a.py")) == {"a.py"}
    assert reasons(walk(root / ".env")) == {".env": "secret"}


def test_roots_that_cannot_be(root: Path) -> None:
    with pytest.raises(NotFoundError, match="does not exist"):
        walk(root / "missing")
    os.mkfifo(root / "pipe")
    with pytest.raises(UsageError, match="neither a folder nor a file"):
        walk(root / "pipe")
    (root / "loop").symlink_to("loop")
    with pytest.raises(UsageError):
        walk(root / "loop")
    with pytest.raises(UsageError):
        walk(Path("nul\0byte"))


def known(found: WalkResult, now: dict[str, Document]) -> dict[str, Document]:
    """Return the documents that an index would hold after a walk."""
    kept = {path: document for path, document in now.items() if path not in found.removed}
    for file in (*found.added, *found.suspects):
        kept[file.path] = Document(file.path, "", file.size, file.stamp, "text")
    return kept


NAMES = st.sampled_from(["a.py", "b.log", "c.tmp", "d/a.py", "d/b.log", "d/e/c.tmp", "e/a.py", "e/b.log", "build/x.py"])
IGNORES = st.sampled_from([".gitignore", "d/.gitignore", "d/.ignore", "e/.quaestorignore"])
LINES = st.sampled_from(["*.log", "*.tmp", "!b.log", "d/", "/e", "build/", "!build/", "a.py", ""])
steps = st.one_of(
    st.tuples(st.just("write"), NAMES, st.just("")),
    st.tuples(st.just("ignore"), IGNORES, LINES),
    st.tuples(st.just("delete"), st.one_of(NAMES, IGNORES), st.just("")),
    st.tuples(st.just("rename"), st.sampled_from(["d", "e", "build"]), st.sampled_from(["d", "e", "moved"])),
)


def take(root: Path, at: int, step: tuple[str, str, str]) -> None:
    kind, name, text = step
    path = root / name
    if kind == "rename":
        if path.exists() and not (root / text).exists():
            path.rename(root / text)
    elif kind == "delete":
        path.unlink(missing_ok=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        set_age(path, at)


@settings(max_examples=100, deadline=None)
@given(rounds=st.lists(st.lists(steps, min_size=1, max_size=3), min_size=1, max_size=6))
def test_remembered_decisions_change_nothing(rounds: list[list[tuple[str, str, str]]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve()
        documents: dict[str, Document] = {}
        decisions = Decisions()
        for number, round_ in enumerate(rounds):
            for step in round_:
                take(root, number + 1, step)
            found = walk(root, None, documents, decisions)
            documents = known(found, documents)
            decisions = Decisions.from_text(found.decisions.to_text())
            assert decisions == found.decisions
            afresh = walk(root)
            assert set(documents) == paths(afresh)
            assert set(reasons(found)) == set(reasons(afresh))


def test_known_files_need_no_patterns(root: Path) -> None:
    write(root, {".gitignore": "*.log\n", "a.py": "x", "a.log": "x", "d/b.py": "x"})
    first = walk(root)
    with calls_of(Level.decide) as decided:
        second = walk(root, None, known(first, {}), first.decisions)
    assert not decided
    assert (second.unchanged, second.added, second.suspects) == (3, [], [])
    assert reasons(second) == {"a.log": "ignored"}


def test_damaged_decisions_are_made_again() -> None:
    for text in (None, "", "{}", "[]", '{"version": 99}', "null", '{"version": 1, "rules": 3}'):
        assert Decisions.from_text(text) == Decisions()


def test_long_ago_is_trusted(root: Path) -> None:
    write(root, {"a.py": "x"})
    assert walk(root).added[0].mtime_ns == LONG_AGO_NS
