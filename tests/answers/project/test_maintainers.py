"""Who maintains a project, and who owns one of its paths."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from overview_parts import Make

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.citations.verify import verify
from quaestor.answers.project.maintainers import answer_maintainers
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way, answer_with_maintainers
from quaestor.llm.prompts.numbered_passages import number

OWNED = {
    "OWNERS": "# See the docs\n\napprovers:\n  - ann\n",
    ".github/CODEOWNERS": "# Owners\n*            @all\n/src/pay/    @pay\n*.md         @docs\nsrc/pay/till @till\n",
    "README.md": "# Shop\n\nPackages are maintained by third parties.\n\nThis project is maintained by Ann Lee.\n",
    "pyproject.toml": '[project]\nname = "shop"\nauthors = [\n  { name = "Ann" },\n]\n',
    "src/pay/cash.py": "def pay():\n    maintainer = 1\n",
    "src/pay/till/open.py": "def open_till():\n    return 1\n",
    "lib/a.py": "A = 1\n",
    "lib/OWNERS": "approvers:\n  - bo\n",
    "docs/a.md": "# Keep\n\nWho maintains this project maintains the docs.\n",
}


def places(index: Index, question: str) -> list[tuple[str, int, int]]:
    found = answer_maintainers(Question(question), index)
    if found is None:
        return []
    checked = verify(found.text(range(1, len(found.hits) + 1)), number(found.hits), index.read)
    assert [one.status for one in checked.citations] == ["verified"] * len(found.hits)
    return [(hit.path, hit.start_line, hit.end_line) for hit in found.hits]


@pytest.mark.parametrize(
    "question",
    ["Who maintains this project?", "who are the maintainers", "Who owns the code?", "By whom is it maintained?"],
)
def test_files_tell_who_maintains_the_project(tmp_path: Path, question: str) -> None:
    with index_of(tmp_path / "shop", OWNED) as index:
        assert places(index, question) == [
            (".github/CODEOWNERS", 2, 5),
            ("OWNERS", 3, 4),
            ("README.md", 5, 5),
            ("pyproject.toml", 3, 5),
        ]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("src/pay", [(".github/CODEOWNERS", 3, 3)]),
        ("src/pay/cash.py", [(".github/CODEOWNERS", 3, 3)]),
        ("`src/pay/till/`", [(".github/CODEOWNERS", 5, 5)]),
        ("docs/a.md", [(".github/CODEOWNERS", 4, 4)]),
        ("src/nothing", []),
    ],
)
def test_the_last_rule_for_a_path_names_its_owner(tmp_path: Path, path: str, found: list[tuple[str, int, int]]) -> None:
    with index_of(tmp_path / "shop", OWNED) as index:
        assert places(index, f"Who owns {path}?") == found


def test_without_rules_the_nearest_file_of_owners_tells(tmp_path: Path) -> None:
    files = {path: text for path, text in OWNED.items() if path != ".github/CODEOWNERS"}
    with index_of(tmp_path / "shop", files) as index:
        assert places(index, "Who maintains lib/a.py?") == [("lib/OWNERS", 1, 2)]
        assert places(index, "Who maintains src/pay?") == [("OWNERS", 3, 4)]
        assert places(index, "Who maintains the oars?") == []


def test_a_maintainer_on_one_line_is_quoted_and_without_history_nothing_stands_below(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", {"MAINTAINERS": "\nAna Ruiz\n", "a.py": "A = 1\n"}) as index:
        assert places(index, "Who maintains this?") == [("MAINTAINERS", 2, 2)]
        found = answer_with_maintainers(Question("Who maintains this?"), index)
    assert found is not None
    assert found.text([1]).rstrip().endswith("[1]")


def test_below_what_files_say_of_maintainers_stands_what_git_tells(made: Make) -> None:
    index = made({"OWNERS": "approvers:\n  - ann\n", "a.py": "A = 1\n"}, git=True)
    root = str(index.root)
    subprocess.run(["git", "-C", root, "add", "."], check=True)
    who = ["-c", "user.name=Bo Ek", "-c", "user.email=bo@a.example"]
    subprocess.run(["git", "-C", root, *who, "commit", "-qm", "Begin"], check=True)
    found = answer_by_way(Question("Who maintains this project?"), index)
    assert found is not None
    assert [hit.path.partition(" ")[0] for hit in found.hits] == ["OWNERS", "commit"]
    text = found.text([1, 2])
    assert 0 < text.index("approvers") < text.index("1 commit, by 1 author") < text.index("Bo Ek")


def test_the_heading_of_a_list_of_maintainers_is_quoted_in_markdown_alone(tmp_path: Path) -> None:
    with index_of(tmp_path / "one", {"MAINTAINERS.md": "# The crew\n\n- Ann Lee\n"}) as index:
        assert places(index, "Who maintains it?") == [("MAINTAINERS.md", 1, 3)]
    with index_of(tmp_path / "two", {"MAINTAINERS": "# The crew\nAnn Lee <ann@shop.example>\n"}) as index:
        assert places(index, "Who maintains it?") == [("MAINTAINERS", 2, 2)]
