"""The files of the package and of its tests, and their syntax trees, for the rules that are held against them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import quaestor

ROOT = Path(quaestor.__file__).parent
HOME = ROOT.parents[1]
FILES = sorted(ROOT.rglob("*.py"))
TESTS = sorted(Path(__file__).parent.rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def where(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


def naming(*words: str) -> Iterator[Path]:
    """Yield the files of tests in which one of some words stands anywhere."""
    for path in TESTS:
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words):
            yield path
