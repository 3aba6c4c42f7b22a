"""The features of a project, how a bug is reported and where CI is configured: told by a section or by the files."""

from __future__ import annotations

from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor.answers.project.named_documents import answer_with_own_section
from quaestor.answers.way import Question

OWN_SECTIONS = {
    "README.md": "# Shop\n\nSells bread.\n\n## Key Features\n\n- Fresh bread every day of the week\n- Old bread\n",
    "CONTRIBUTING.md": "# Helping\n\n## Reporting a bug\n\nWrite to the miller and say what was wrong with it.\n",
    ".github/workflows/ci.yml": "name: bake\non: push\n",
    ".github/workflows/apples.yml": "name: apples\non: push\n",
    "shop.py": "def features():\n    return 'a bug in CI'\n",
}


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("What are the main features?", ["README.md:7"]),
        ("which features does the shop have", ["README.md:7"]),
        ("How do I report a bug?", ["CONTRIBUTING.md:5"]),
        ("Where can I file an issue?", ["CONTRIBUTING.md:5"]),
        ("Where is CI configured?", [".github/workflows/ci.yml:1", ".github/workflows/apples.yml:1"]),
        ("Which CI does it use?", [".github/workflows/ci.yml:1", ".github/workflows/apples.yml:1"]),
        ("what features does the till have", None),
        ("How do I report a sale?", None),
        ("Where is the price configured?", None),
    ],
)
def test_a_section_of_its_own_or_the_files_of_ci_answer(
    tmp_path: Path, question: str, places: list[str] | None
) -> None:
    with index_of(tmp_path / "shop", OWN_SECTIONS) as index:
        answer = answer_with_own_section(Question(question), index)
        assert (None if answer is None else [f"{hit.path}:{hit.start_line}" for hit in answer.hits]) == places
    with index_of(tmp_path / "other", {"shop.py": "x = 1\n"}) as index:
        assert answer_with_own_section(Question(question), index) is None
