"""Which changelog tells the last release, and which of its sections is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor.answers.history.history_answer import HistoryAnswer
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_history
from quaestor.history.versions import prefix_of_tag, version_of_tag

QUESTION = "What changed in the last release?"


def release(number: str, said: str = "Rows faster.") -> str:
    return f"## {number}\n\n- {said}\n\n"


def answered(folder: Path, files: dict[str, str], question: str = QUESTION) -> HistoryAnswer:
    with index_of(folder / "ferry", {"ferry.py": "def row():\n    return 1\n", **files}) as index:
        found = answer_history(Question(question), index)
    assert isinstance(found, HistoryAnswer)
    return found


def first_place(found: HistoryAnswer) -> str:
    return f"{found.hits[0].path}:{found.hits[0].start_line}"


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"CHANGELOG.md": release("1.0.0"), "oars/CHANGELOG.md": release("2.0.0")}, "CHANGELOG.md:1"),
        ({"docs/changes.md": release("1.0.0"), "oars/CHANGELOG.md": release("2.0.0")}, "docs/changes.md:1"),
        ({"docs/changes.md": release("2.0.0b2"), "docs/changes_1.x.md": release("1.4.0")}, "docs/changes.md:1"),
        ({"docs/changes/2.0.md": release("2.0.0"), "CHANGES.md": release("2.1.0 (next)")}, "docs/changes/2.0.md:1"),
        ({"CHANGELOG.md": release("1.0.0", "Oars.\n\n### Upgrade to Wood 5.6\n\nIt floats.")}, "CHANGELOG.md:1"),
        ({"ferry/CHANGELOG.md": release("1.0.0"), "oars/CHANGELOG.md": release("2.0.0")}, "ferry/CHANGELOG.md:1"),
        ({"ChangeLog": "What's new in version 3.2.1\n\n* Oars\n\n* Support for 2.6 kernels\n"}, "ChangeLog:1"),
    ],
)
def test_changelog_of_the_whole(tmp_path: Path, files: dict[str, str], place: str) -> None:
    assert first_place(answered(tmp_path, files)) == place


@pytest.mark.parametrize(
    "above",
    [
        release("1.1.0 (unreleased)"),
        release("1.1.0 (pending)"),
        release("1.1.0 - 20XX-XX-XX"),
        release("1.1.0-dev"),
        "## Version 1.1.0\n\nUnreleased\n\n- Oars.\n\n",
        "## Version 1.1.0\n\nRelease date: TBD\n\n- Oars.\n\n",
    ],
)
def test_what_is_not_released_stands_above(tmp_path: Path, above: str) -> None:
    found = answered(tmp_path, {"CHANGELOG.md": above + release("1.0.0")})
    assert [hit.text.split("\n")[0] for hit in found.hits] == ["## 1.0.0", above.split("\n", maxsplit=1)[0]]
    assert "not released yet" in found.text([1, 2])


def test_nothing_is_released_yet(tmp_path: Path) -> None:
    found = answered(tmp_path, {"CHANGELOG.md": release("0.1.0 (unreleased)")})
    assert first_place(found) == "CHANGELOG.md:1"
    assert "nothing here names one that is" in found.text([1])


@pytest.mark.parametrize("question", [QUESTION, "When was the last release?"])
def test_nothing_names_a_release(tmp_path: Path, question: str) -> None:
    files = {"README.md": "# Ferry\n\nWhat changed since the last release is tested.\n"}
    found = answered(tmp_path, {**files, "third_party/oars/CHANGELOG.md": release("2.0.0")}, question)
    assert not found.known
    assert found.text([]).startswith("Nothing here names a release")


def test_a_date_is_one_version() -> None:
    version = version_of_tag("2025-11-05")
    assert version is not None
    assert version.numbers == (2025, 11, 5)
    assert prefix_of_tag("2025-11-05") == ""
    assert prefix_of_tag("ferry-2025-11-05") == "ferry-"
