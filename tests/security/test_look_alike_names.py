"""Edits of files whose names some file systems take for another name: git's folder, and what is run.

ext4 and F2FS in folders that ignore case, and HFS+, take names for one that differ in case, in form or by what nobody
sees; NTFS and FAT drop dots and blanks at the end; what NTFS finds behind a colon is the same file.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from quaestor.edits import Create, Journal, Plan, Proposal, Rename, apply, plan, undo
from quaestor.edits.apply_plan import ChangedError
from quaestor.edits.edit_paths import is_run
from quaestor.edits.plans import Change

CLOAKS: dict[str, Callable[[str], str]] = {
    "capitals": str.upper,
    "a blank at the end": lambda name: f"{name} ",
    "dots at the end": lambda name: f"{name}. .",
    "a blank of another kind at the end": lambda name: f"{name}\u3000",
    "a stream": lambda name: f"{name}:x",
    "its own folder's stream": lambda name: f"{name}::$INDEX_ALLOCATION",
    "a selector of forms": lambda name: f"{name[:2]}\ufe0f{name[2:]}",
    "a selector beyond 65,535": lambda name: f"{name[:2]}\U000e0100{name[2:]}",
    "a joiner of graphemes": lambda name: f"{name[:2]}\u034f{name[2:]}",
    "a filler of Hangul": lambda name: f"{name[:2]}\u115f{name[2:]}",
    "another filler of Hangul": lambda name: f"{name}\u3164",
    "wide letters": lambda name: "".join(chr(ord(letter) + 0xFEE0) for letter in name),
}


def made(root: Path, *changes: Change) -> Plan:
    return plan(root, Proposal(changes))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.txt").write_text("a\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("cloak", CLOAKS)
@pytest.mark.parametrize("name", [".git", ".hg", "cvs"])
def test_version_control_is_never_edited(root: Path, name: str, cloak: str) -> None:
    for path in (CLOAKS[cloak](name), f"{CLOAKS[cloak](name)}/hooks/x", f"sub/{CLOAKS[cloak](name)}/config"):
        for change in (Create(path, "x\n"), Rename("a.txt", path)):
            found = made(root, change)
            assert [refusal.kind for refusal in found.refusals] == ["forbidden"], ascii(path)


@pytest.mark.parametrize("cloak", CLOAKS)
@pytest.mark.parametrize("name", ["conftest.py", "makefile", "setup.py", "package.json"])
def test_what_is_run_needs_a_second_consent(root: Path, name: str, cloak: str) -> None:
    path = CLOAKS[cloak](name)
    [file] = made(root, Create(path, "x = 1\n")).files
    assert any("run it" in one for one in file.objections), ascii(path)


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\n", "\r"])
def test_no_name_ends_a_line(root: Path, end: str) -> None:
    assert [one.kind for one in made(root, Create(f"a{end}b.txt", "x\n")).refusals] == ["bad path"]


@pytest.mark.parametrize("name", ["café.py", "naïve/Ångström.md", "日本語.txt", "प्रार्थना.md", "한글.py", "v1.2: a.md"])
def test_names_of_people_are_names(root: Path, name: str) -> None:
    for form in ("NFC", "NFD"):
        path = unicodedata.normalize(form, name)
        [file] = made(root, Create(path, "x = 1\n")).files
        assert (file.path, file.objections) == (path, ())
        assert not is_run(path)


def test_names_that_differ_in_form_or_case_alone_are_told_apart_or_refused(root: Path, tmp_path: Path) -> None:
    """Where the disk tells them apart, each gets its own text; where it does not, nothing is done."""
    paths = ["é.txt", "e\u0301.txt", "É.txt", "straße.txt", "strasse.txt", "STRASSE.txt"]
    found = made(root, *(Create(path, f"{path!a}\n") for path in paths))
    journal = Journal(tmp_path / "journal")
    before = sorted(path.name for path in root.iterdir())
    try:
        apply(found, journal)
    except ChangedError:
        assert sorted(path.name for path in root.iterdir()) == before
        return
    assert {path: (root / path).read_text(encoding="utf-8") for path in paths} == {
        path: f"{path!a}\n" for path in paths
    }
    undo(journal)
    assert sorted(path.name for path in root.iterdir()) == before
