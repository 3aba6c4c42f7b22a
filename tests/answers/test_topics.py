"""A topic of every project that is typed alone, as "tests", is answered like the question that it stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor.answers.ask_back import questions_on_topic
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way

SHOP = {
    "README.md": "# Shop\n\nThe shop sells bread to everybody who is hungry in this town.\n\n"
    "## Reporting bugs\n\nTell the miller what was wrong with the bread.\n",
    "CONTRIBUTING.md": "# Helping\n\n## Releasing\n\nRaise the version, bake a tag, and push it to the oven.\n",
    "CHANGELOG.md": "# Changelog\n\n## 1.2\n\n- Bread\n",
    "LICENSE": "MIT License\n",
    ".editorconfig": "[*]\nindent_style = tab\n",
    "Makefile": "test:\n\tpytest\n",
    "pyproject.toml": '[project]\nname = "shop"\nauthors = [{ name = "Ada" }]\n'
    'dependencies = [\n  "flour>=2",\n  "salt",\n]\n',
    "shop.py": "".join(f"def sell_{n}(bread):\n    return bread * {n}\n\n\n" for n in range(40)),
}


@pytest.mark.parametrize(
    ("topic", "place"),
    [
        ("tests", "Makefile:1"),
        ("unit tests", "Makefile:1"),
        ("How to test", "Makefile:1"),
        ("Release process", "CONTRIBUTING.md:5"),
        ("releasing?", "CONTRIBUTING.md:5"),
        ("bugs", "README.md:7"),
        ("issue tracker", "README.md:7"),
        ("which license?", "LICENSE:1"),
        ("licensing", "LICENSE:1"),
        ("deps", "pyproject.toml:4"),
        ("authors", "pyproject.toml:3"),
        ("changelog", "CHANGELOG.md:1"),
        ("latest version", "CHANGELOG.md:3"),
        ("coding style", ".editorconfig:1"),
        ("linting", ".editorconfig:1"),
        ("architecture", "README.md:3"),
        ("project structure", "README.md:3"),
        ("bread", ""),
        ("bread tests", ""),
        ("test the release", ""),
        ("ci", ""),
    ],
)
def test_a_topic_alone_is_the_question_that_it_stands_for(tmp_path: Path, topic: str, place: str) -> None:
    with index_of(tmp_path / "shop", SHOP) as index:
        answer = answer_by_way(Question(topic), index)
        hits = () if answer is None else answer.hits[:1]
        assert [f"{hit.path}:{hit.start_line}" for hit in hits] == ([place] if place else [])


def test_later_in_a_conversation_a_topic_may_be_about_what_was_said_before(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", SHOP) as index:
        assert answer_by_way(Question("tests", ("How is bread sold?",)), index) is None


def test_among_documents_a_topic_is_searched(tmp_path: Path) -> None:
    pages = {f"page{n}.md": f"# Page {n}\n\nThe {n}th rule on tests and releases.\n" for n in range(6)}
    with index_of(tmp_path / "rules", pages) as index:
        assert answer_by_way(Question("tests"), index) is None


@pytest.mark.parametrize("text", ["", "the", "new version", "tests " * 6, "why tests fail", "?!"])
def test_texts_that_are_no_topic(text: str) -> None:
    assert questions_on_topic(text) == ()
