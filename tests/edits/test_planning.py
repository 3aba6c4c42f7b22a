"""The plan of a proposal: confined, placed, checked, all or none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quaestor.edits import Create, Delete, Plan, Problem, Proposal, Rename, Replace, Whole, plan
from quaestor.edits.edit_paths import confine, objections
from quaestor.edits.plans import Change


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    (tmp_path / "outside.py").write_text("x = 1\n", encoding="utf-8")
    return folder


def made(root: Path, *changes: Change) -> Plan:
    return plan(root, Proposal(changes))


def kind(root: Path, *changes: Change) -> str:
    found = made(root, *changes)
    assert found.files == ()
    return found.refusals[0].kind


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("../outside.py", "outside"),
        ("a/../../outside.py", "outside"),
        ("/etc/passwd", "outside"),
        ("~/x", "outside"),
        ("./~/x", "outside"),
        (".//C:x", "outside"),
        ("C:/x", "outside"),
        (".git/hooks/post-commit", "forbidden"),
        ("sub/.GIT/config", "forbidden"),
        (".git./config", "forbidden"),
        ("git~1/config", "forbidden"),
        (".svn/x", "forbidden"),
        ("", "bad path"),
        ("a/", "bad path"),
        ("a\\b", "bad path"),
        ("a\0b", "bad path"),
        ("a\nb", "bad path"),
        (".g\u200cit/config", "bad path"),
        ("\u202ea.py", "bad path"),
    ],
)
def test_paths_that_no_change_may_name(root: Path, path: str, expected: str) -> None:
    for change in (Create(path, "x\n"), Whole(path, "x\n"), Replace(path, "x\n", "y\n"), Delete(path)):
        assert kind(root, change) == expected
    assert kind(root, Rename("a.py", path)) == expected


def test_a_path_is_brought_into_its_plain_form() -> None:
    assert confine("./a//b/./c.py") == "a/b/c.py"


@pytest.mark.parametrize("change", [Replace("l.py", "x = 1\n", "x = 2\n"), Whole("l.py", "x\n"), Delete("l.py")])
def test_a_link_is_refused_wherever_it_leads(root: Path, change: Change) -> None:
    (root / "l.py").symlink_to(root.parent / "outside.py")
    assert kind(root, change) == "link"
    (root / "l.py").unlink()
    (root / "l.py").symlink_to(root / "a.py")
    assert kind(root, change) == "link"


def test_a_link_on_the_way_is_refused(root: Path) -> None:
    (root / "way").symlink_to(root.parent)
    assert kind(root, Replace("way/outside.py", "x = 1\n", "x = 2\n")) == "link"
    assert kind(root, Create("way/new.py", "x\n")) == "link"


def test_what_is_no_file_is_refused(root: Path) -> None:
    os.mkfifo(root / "pipe")
    (root / "folder").mkdir()
    assert kind(root, Whole("pipe", "x\n")) == "not a file"
    assert kind(root, Whole("folder", "x\n")) == "not a file"
    assert kind(root, Create("a.py/b", "x\n")) == "not a file"


def test_missing_existing_read_only_and_binary_files(root: Path) -> None:
    (root / "b.bin").write_bytes(b"a\0b\n")
    (root / "locked.py").write_text("x = 1\n", encoding="utf-8")
    (root / "locked.py").chmod(0o444)
    assert kind(root, Replace("no.py", "x\n", "y\n")) == "missing"
    assert kind(root, Delete("no.py")) == "missing"
    assert kind(root, Create("a.py", "x\n")) == "exists"
    assert kind(root, Rename("a.py", "b.bin")) == "exists"
    assert kind(root, Replace("locked.py", "x = 1\n", "x = 2\n")) == "read-only"
    assert kind(root, Replace("b.bin", "a\n", "b\n")) == "not text"
    assert kind(root, Whole("a.py", "def f():\n    # ... rest of the code ...\n")) == "elided"


@pytest.mark.parametrize("content", ["a\0b\n", "a\ud800b\n"])
def test_what_is_no_text_is_written_to_no_file(root: Path, content: str) -> None:
    for change in (Create("new.txt", content), Whole("a.py", content), Replace("a.py", "x = 1\n", content)):
        assert kind(root, change) == "not text"


def test_a_character_that_the_files_encoding_lacks_is_refused(root: Path) -> None:
    (root / "old.txt").write_bytes("grüße\n".encode("cp1252"))
    assert kind(root, Replace("old.txt", "grüße\n", "→\n")) == "encoding"
    assert made(root, Replace("old.txt", "grüße\n", "süße\n")).files[0].after == "süße\n".encode("cp1252")


def test_a_file_that_parsed_must_parse(root: Path) -> None:
    change = Replace("a.py", "    return 1\n", "    return (1\n")
    assert kind(root, change) == "syntax"
    assert plan(root, Proposal((change,)), check_syntax=False).files[0].after == b"def f():\n    return (1\n"
    (root / "a.py").write_text("def f(:\n    return 1\n", encoding="utf-8")
    assert made(root, change).refusals == ()


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("a.go", "package a\n\nfunc f() int {\n\treturn 1\n}\n", "package a\n\nfunc f() int {\n\treturn 1\n"),
        ("a.ts", "const a = { b: 1 };\n", "const a = { b: 1 ;\n"),
        ("a.json", '{"a": 1}\n', '{"a": 1,}\n'),
        ("a.toml", "a = 1\n", "a = \n"),
    ],
)
def test_syntax_is_told_in_many_languages(root: Path, name: str, good: str, bad: str) -> None:
    (root / name).write_text(good, encoding="utf-8")
    assert kind(root, Whole(name, bad)) == "syntax"


def test_one_refusal_refuses_all(root: Path) -> None:
    found = made(root, Create("new.py", "x = 1\n"), Delete("no.py"))
    assert found.files == ()
    assert [refusal.kind for refusal in found.refusals] == ["missing"]
    unreadable = plan(root, Proposal((Create("new.py", "x = 1\n"),), (Problem(3, "not closed"),)))
    assert (unreadable.files, unreadable.refusals[0].kind) == ((), "unreadable reply")


def test_several_changes_of_a_file_follow_each_other(root: Path) -> None:
    found = made(
        root,
        Replace("a.py", "    return 1\n", "    x = 2\n    return x\n"),
        Replace("a.py", "    x = 2\n", "    x = 3\n"),
        Rename("a.py", "b/c.py"),
    )
    assert [(file.path, file.after, file.renamed_from) for file in found.files] == [
        ("a.py", None, None),
        ("b/c.py", b"def f():\n    x = 3\n    return x\n", "a.py"),
    ]


def test_a_whole_file_keeps_its_manner(root: Path) -> None:
    (root / "w.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\nthree")
    (file,) = made(root, Whole("w.txt", "one\ntwo\nthree\nfour\n")).files
    assert file.after == b"\xef\xbb\xbfone\r\ntwo\nthree\r\nfour"


def test_hidden_and_build_files_need_a_second_consent(root: Path) -> None:
    found = plan(
        root,
        Proposal(
            (Create(".github/workflows/ci.yml", "a: 1\n"), Create("Jenkinsfile", "x\n"), Create("b.py", "x = 1\n"))
        ),
        objection=lambda path: "ignored" if path == "b.py" else None,
    )
    assert [file.path for file in found.sensitive] == [".github/workflows/ci.yml", "Jenkinsfile", "b.py"]
    assert "build machine" in found.files[0].objections[1]


@pytest.mark.parametrize(
    "path",
    """src/app.py docs/guide.md tests/test_conftest.py src/setup/__init__.py makefiles/readme.md src/tasks.py
    build/main.c src/hooks/use_cart.ts package.md data/config.json src/cmake.py lock.py src/update.py""".split(),
)
def test_ordinary_files_need_one_consent(path: str) -> None:
    assert objections(path) == ()


def test_characters_that_turn_the_direction_of_writing_need_a_second_consent(root: Path) -> None:
    (file,) = made(root, Create("t.py", "x = 'a\u202eb'\n")).files
    assert "direction" in file.objections[0]
