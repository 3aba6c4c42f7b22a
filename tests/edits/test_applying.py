"""An edit changes all files or none, against the bytes that were read; and undo restores them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_of_files import write_files
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.edits import (
    ChangedError,
    Create,
    Delete,
    Journal,
    JournalError,
    Proposal,
    Rename,
    Replace,
    Whole,
    apply,
    diff,
    patch,
    plan,
    recover,
    undo,
)
from quaestor.edits.plans import Change
from unprivileged import run_unprivileged


def state(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file with its bytes and permissions; temporary ones too."""
    return {
        str(place.relative_to(root)): (place.read_bytes(), place.stat().st_mode)
        for place in root.rglob("*")
        if place.is_file()
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.py").write_bytes(b"def f():\r\n    return 1\r\n")
    (folder / "b.txt").write_bytes(b"b\n")
    (folder / "run.sh").write_bytes(b"echo 1\n")
    (folder / "run.sh").chmod(0o755)
    return folder


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "home" / "edits")


def proposed(*changes: Change) -> Proposal:
    return Proposal(changes)


MANY = proposed(
    Replace("a.py", "    return 1\n", "    return 2\n"),
    Replace("run.sh", "echo 1\n", "echo 2\n"),
    Rename("b.txt", "deep/er/c.txt"),
    Create("new/d.md", "# D\n"),
)


def test_applied_and_undone_byte_for_byte(root: Path, journal: Journal) -> None:
    before = state(root)
    applied = apply(plan(root, MANY), journal)
    assert applied.paths == ("a.py", "b.txt", "deep/er/c.txt", "new/d.md", "run.sh")
    after = state(root)
    assert after["a.py"][0] == b"def f():\r\n    return 2\r\n"
    assert after["run.sh"] == (b"echo 2\n", before["run.sh"][1])
    assert (after["deep/er/c.txt"][0], after["new/d.md"][0], "b.txt" in after) == (b"b\n", b"# D\n", False)
    undo(journal)
    assert state(root) == before
    assert not (root / "deep").exists()
    with pytest.raises(NotFoundError):
        undo(journal)


def test_edits_are_undone_last_first(root: Path, journal: Journal) -> None:
    before = state(root)
    apply(plan(root, proposed(Whole("b.txt", "c\n"))), journal)
    middle = state(root)
    apply(plan(root, proposed(Whole("b.txt", "d\n"))), journal)
    undo(journal)
    assert state(root) == middle
    undo(journal)
    assert state(root) == before


def test_a_file_changed_since_it_was_read_stops_all(root: Path, journal: Journal) -> None:
    made = plan(root, MANY)
    (root / "run.sh").write_bytes(b"echo mine\n")
    before = state(root)
    with pytest.raises(ChangedError) as stopped:
        apply(made, journal)
    assert stopped.value.paths == ("run.sh",)
    assert state(root) == before


def test_a_file_that_appeared_meanwhile_is_not_written_over(root: Path, journal: Journal) -> None:
    made = plan(root, MANY)
    (root / "new").mkdir()
    (root / "new/d.md").write_bytes(b"mine\n")
    before = state(root)
    with pytest.raises(ChangedError):
        apply(made, journal)
    assert state(root) == before


def test_an_undo_names_what_was_changed_since_and_does_nothing(root: Path, journal: Journal) -> None:
    apply(plan(root, MANY), journal)
    (root / "a.py").write_bytes(b"mine\n")
    before = state(root)
    with pytest.raises(ChangedError, match=r"'a\.py'"):
        undo(journal)
    assert state(root) == before


def test_a_link_swapped_in_between_is_refused(root: Path, journal: Journal) -> None:
    outside = root.parent / "outside.txt"
    outside.write_bytes(b"b\n")  # the very bytes that were read
    made = plan(root, proposed(Whole("b.txt", "evil\n")))
    (root / "b.txt").unlink()
    (root / "b.txt").symlink_to(outside)
    with pytest.raises(ChangedError):
        apply(made, journal)
    assert outside.read_bytes() == b"b\n"


def test_a_folder_swapped_for_a_link_is_refused(root: Path, journal: Journal) -> None:
    elsewhere = root.parent / "elsewhere"
    (root / "sub").mkdir()
    (root / "sub/x.txt").write_bytes(b"x\n")
    shutil.copytree(root / "sub", elsewhere)
    made = plan(root, proposed(Whole("sub/x.txt", "evil\n"), Create("sub/new.txt", "evil\n")))
    shutil.rmtree(root / "sub")
    (root / "sub").symlink_to(elsewhere)
    with pytest.raises(ChangedError):
        apply(made, journal)
    assert [place.name for place in elsewhere.iterdir()] == ["x.txt"]
    assert (elsewhere / "x.txt").read_bytes() == b"x\n"


def test_a_hard_link_elsewhere_keeps_its_bytes(root: Path, journal: Journal) -> None:
    outside = root.parent / "outside.txt"
    os.link(root / "b.txt", outside)
    apply(plan(root, proposed(Whole("b.txt", "new\n"))), journal)
    assert outside.read_bytes() == b"b\n"


CHANGES_TWO_FILES = """
import sys
from pathlib import Path
from quaestor.edits import Journal, Proposal, Whole, apply, plan
root, home = map(Path, sys.argv[1:])
try:
    apply(plan(root, Proposal((Whole("b.txt", "new\\n"), Whole("sub/x.txt", "new\\n")))), Journal(home))
except PermissionError as error:
    print(type(error).__name__)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="modes of files are made to hold for root by a call of Linux")
def test_a_folder_that_cannot_be_written_leaves_all_as_it_was(root: Path, tmp_path: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub/x.txt").write_bytes(b"x\n")
    before = state(root)
    (root / "sub").chmod(0o555)
    try:
        done = run_unprivileged("-c", CHANGES_TWO_FILES, str(root), str(tmp_path / "home"))
    finally:
        (root / "sub").chmod(0o755)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"PermissionError\n", b"")
    assert state(root) == before


def test_refused_and_empty_plans_are_not_applied(root: Path, journal: Journal) -> None:
    for proposal in (proposed(Delete("no.txt")), proposed(Whole("b.txt", "b\n")), proposed()):
        with pytest.raises(UsageError):
            apply(plan(root, proposal), journal)


def test_two_at_once_wait_for_each_other(root: Path, journal: Journal) -> None:
    with journal.lock(), pytest.raises(JournalError):
        apply(plan(root, MANY), journal)


def test_nothing_to_recover(root: Path, journal: Journal) -> None:
    assert recover(journal) == ()
    apply(plan(root, MANY), journal)
    after = state(root)
    assert recover(journal) == ()
    assert state(root) == after


def test_the_record_is_for_nobody_else(root: Path, journal: Journal) -> None:
    apply(plan(root, MANY), journal)
    for place in (journal.folder.parent, journal.folder, *journal.folder.rglob("*")):
        assert place.stat().st_mode & 0o077 == 0 or place.name == "lock"


def test_git_applies_the_patch(root: Path) -> None:
    (root / "old.txt").write_bytes("grüße\nx".encode("cp1252"))
    made = plan(root, proposed(*MANY.changes, Replace("old.txt", "grüße\n", "süße\n")))
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    done = subprocess.run(["git", "apply", "-"], cwd=root, input=patch(made), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    for file in made.files:
        place = root / file.path
        assert (place.read_bytes() if place.exists() else None) == file.after
    assert "rename from b.txt" in diff(made)


def test_the_patch_of_a_change_in_the_middle_of_a_long_file(root: Path) -> None:
    lines = [f"line {number}\n" for number in range(3000)]
    (root / "long.txt").write_text("".join(lines), encoding="utf-8")
    made = plan(root, proposed(Replace("long.txt", lines[1500], "new\nlines\n"), Replace("long.txt", lines[2999], "")))
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    done = subprocess.run(["git", "apply", "-v", "-"], cwd=root, input=patch(made), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (root / "long.txt").read_bytes() == made.files[0].after
    assert b"offset" not in done.stderr


CONTENT = st.lists(st.sampled_from(["a", "b", "", "  c", "\u00e9"]), max_size=6).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(lines))
)
PATHS = st.sampled_from(["a.txt", "b.txt", "sub/c.txt", "x/y/d.txt"])
CHANGES = st.lists(
    st.one_of(
        st.builds(Whole, PATHS, CONTENT),
        st.builds(Create, PATHS, CONTENT),
        st.builds(Delete, PATHS),
        st.builds(Rename, PATHS, PATHS),
        st.builds(Replace, PATHS, st.just("a\n"), st.just("z\nz\n")),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(PATHS, CONTENT, min_size=1), CHANGES)
def test_undone_means_as_if_nothing_had_been(files: dict[str, str], changes: list[Change]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, journal = Path(folder, "root"), Journal(Path(folder, "home"))
        before = state(write_files(root, files))
        made = plan(root, Proposal(tuple(changes)))
        if made.refusals:
            assert made.files == ()
            return
        apply(made, journal)
        present = state(root)
        for file in made.files:
            assert (present[file.path][0] if file.path in present else None) == file.after
        assert not [name for name in present if ".quaestor-" in name]
        undo(journal)
        assert state(root) == before
