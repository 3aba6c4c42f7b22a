"""The features of a project, how a bug is reported, how a release is made, where CI is configured: what tells them."""

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
    ".rubocop.yml": "AllCops:\n  NewCops: enable\n",
    "docs/dev/developing.md": "# Work\n\n## Release notes\n\nThey are read by the guests of the shop each week.\n\n"
    "## Release process\n\nRaise the version, bake a tag, and push it to the oven.\n",
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
        ("how do I make a release?", ["docs/dev/developing.md:9"]),
        ("How to cut a new release", ["docs/dev/developing.md:9"]),
        ("How is the shop released?", ["docs/dev/developing.md:9"]),
        ("how do I release a prisoner?", None),
        ("How do I publish a version of the menu?", None),
        ("What code style is used?", [".rubocop.yml:1"]),
        ("how is the code linted?", [".rubocop.yml:1"]),
        ("Which linters does the shop use?", [".rubocop.yml:1"]),
        ("how do I format a date?", None),
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


@pytest.mark.parametrize(
    ("files", "place"),
    [
        (
            {"package.json": '{\n "name": "shop",\n "bugs": {\n  "url": "https://example.org/b"\n }\n}\n'},
            "package.json:3-5",
        ),
        (
            {"pyproject.toml": '[project.urls]\nHome = "https://a.org"\n"Bug Tracker" = "https://a.org/b"\n'},
            "pyproject.toml:3-3",
        ),
        ({"shop.gemspec": "x = 1\ns.metadata['bug_tracker_uri'] = 'https://a.org'\n"}, "shop.gemspec:2-2"),
        (
            {"README.md": "# Shop\n\nSee https://h.org/a/oven/issues and\n[ours](https://h.org/a/shop/issues/new).\n"},
            "README.md:4-4",
        ),
        ({"README.md": "# Shop\n\nFixed https://h.org/a/shop/issues/12 and https://h.org/a/shop/issues?q=1\n"}, None),
    ],
)
def test_without_a_section_the_address_of_the_issue_tracker_answers(
    tmp_path: Path, files: dict[str, str], place: str | None
) -> None:
    with index_of(tmp_path / "shop", {**files, "shop.py": "x = 1\n"}) as index:
        answer = answer_with_own_section(Question("Where do I report bugs?"), index)
        hits = answer.hits if answer is not None else ()
        assert [f"{hit.path}:{hit.start_line}-{hit.end_line}" for hit in hits] == ([place] if place else [])
