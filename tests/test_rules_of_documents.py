"""Names in the documents, and what pyproject.toml puts into the wheel, held against the files that are there."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable

import pytest

from source_trees import HOME, TESTS

NAMED_IN = ("README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/internals.md", "docs/decisions.md")
_OF_USERS = {"config.toml", "quaestor.toml", "tokenizer.json"}  # files that users have


@pytest.mark.parametrize("document", NAMED_IN)
def test_files_that_documents_name_are_there(document: str) -> None:
    """A name in backticks, ``search/query.py`` or ``cli/commands/``, is a file or a folder, or the end of a path."""
    ours = (HOME / name for name in ("src", "tests", "training", "benchmarks", ".ci"))
    there = {f"/{path.relative_to(HOME).as_posix()}" for folder in ours for path in folder.rglob("*")}
    there |= {f"/{path.name}" for path in HOME.iterdir()}
    text = (HOME / document).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./-]+\.(?:css|js|json|lock|py|sql|toml))`|`([\w-]+(?:/[\w-]+)*)/`", text))
    missing = {one for file, folder in named for one in [file or folder] if not any(map(_ends(one), there))}
    assert missing <= _OF_USERS


def _ends(name: str) -> Callable[[str], bool]:
    return lambda path: path.endswith(f"/{name}")


def test_the_targets_of_make_are_those_that_contributing_lists() -> None:
    makefile = (HOME / "Makefile").read_text(encoding="utf-8")
    [targets] = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    text = (HOME / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = re.findall(r"^make (\w+)", text, re.MULTILINE)
    assert sorted(listed) == sorted(set(targets.split()) - {"demo", "clean"})
    documents = [HOME / "README.md", HOME / "CONTRIBUTING.md", *(HOME / "docs").glob("*.md")]
    named = {name for path in documents for name in re.findall(r"`make (\w+)", path.read_text(encoding="utf-8"))}
    assert named <= set(targets.split())


def test_variables_that_contributing_names_are_read() -> None:
    """Of make or of tests: QUAESTOR_ROUNDS, WRITE_README, MINUTES."""
    text = (HOME / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\b([A-Z_]{4,})=", text))
    read = (HOME / "Makefile").read_text(encoding="utf-8") + "".join(p.read_text(encoding="utf-8") for p in TESTS)
    assert named
    assert [name for name in named if not re.search(rf"\$\({name}\)|\"{name}\"", read)] == []


def test_what_is_not_in_the_wheel() -> None:
    """Only the package is: neither ``training`` nor ``benchmarks`` nor the tests."""
    build = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    assert build["targets"]["wheel"]["packages"] == ["src/quaestor"]
