"""Reads questions about prose with their evidence, and lays out the corpora that they are about."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from _metrics import Target

UNANSWERABLE = "unanswerable"
FILES: dict[str, tuple[str, str]] = {
    "simonw/til": (r".*\.md", r"README\.md"),
    "python/peps": (r"peps/.*\.rst", ""),
    "rust-lang/book": (r"src/[^/]*\.md", ""),
    "git/git": (r"Documentation/.*\.adoc", r".*/RelNotes/.*"),
}
"""For each corpus the paths that belong to it, and of those the ones that do not, as the data set says."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question; all of ``evidence`` is needed, none where the corpus does not say."""

    text: str
    corpus: str
    category: str
    commit: str
    evidence: tuple[Target, ...]


def load(data: Path) -> list[Question]:
    """Return the questions of a JSON file, or of every JSON file in a folder."""
    files = sorted(data.glob("*.json")) if data.is_dir() else [data]
    return [
        Question(
            raw["question"],
            raw["corpus"],
            raw["category"],
            raw["commit"],
            tuple(Target(one["path"], one["start_line"], one["end_line"]) for one in raw["evidence"]),
        )
        for file in files
        for raw in json.loads(file.read_text(encoding="utf-8"))
    ]


def lay_out(name: str, checkouts: Path, place: Path) -> Path:
    """Copy the files that belong to a corpus, and nothing else; returns the folder."""
    checkout = checkouts / name.replace("/", "__")
    if not checkout.is_dir():
        raise SystemExit(f"there is no checkout of {name}: {checkout.name} is missing")
    root = place / checkout.name
    for path in _belonging(name, checkout):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(checkout / path, root / path)
    return root


def _belonging(name: str, checkout: Path) -> Iterator[str]:
    wanted, unwanted = FILES[name]
    for path in sorted(checkout.rglob("*")):
        inside = path.relative_to(checkout).as_posix()
        if inside.startswith(".git/") or path.is_symlink() or not path.is_file():
            continue
        if re.fullmatch(wanted, inside) and not re.fullmatch(unwanted, inside):
            yield inside
