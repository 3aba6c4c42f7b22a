"""What is begun in the home folder or at the root of the disk does not index all of it unless that is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_parts import Run, write

COMMANDS = [
    ["index"],
    ["search", "dough"],
    ["search", "dough", "-k", "3"],
    ["ask", "how long does the dough rest?"],
    ["chat"],
    ["edit", "rename it"],
    ["overview"],
    ["related", "bake"],
    ["stats"],
    ["tune"],
    ["serve"],
]


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder, which holds a document and is the current folder."""
    folder = write(tmp_path / "anna", {"notes/bread.md": "# Bread\n\nThe dough rests for two hours.\n"})
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_folder_must_be_named(quaestor: Run, user: Path, home: Path, arguments: list[str]) -> None:
    done = quaestor(*arguments)
    assert done.code == 2
    assert done.sentence.endswith(
        "is your home folder, which would be indexed. Change to another folder, or name one; '.' means all of it."
    )
    assert not (home / "indexes").exists()


def test_at_the_root_of_the_disk_too(quaestor: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path.cwd().anchor)
    assert "is the whole disk, which would be indexed" in quaestor("search", "dough").sentence


def test_what_is_named_or_indexed_already_is_searched(
    quaestor: Run, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert quaestor("search", "dough", "notes").code == 0
    assert quaestor("index", ".").code == 0
    assert "bread.md" in quaestor("search", "dough").out
    monkeypatch.chdir(user / "notes")
    assert quaestor("search", "dough").code == 0


def test_a_repository_may_lie_there(quaestor: Run, user: Path) -> None:
    (user / ".git").mkdir()
    assert quaestor("search", "dough").code == 0


def test_what_indexes_nothing_needs_no_folder(quaestor: Run, user: Path) -> None:
    assert quaestor("config", "show").code == 0
    assert "is your home folder" not in quaestor("undo").sentence
