"""Reads questions about prose with their evidence, and lays out their corpora."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from _metrics import Target

from training.corpora import prose_files

UNANSWERABLE = "unanswerable"


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
    for file in prose_files(name, checkout):
        copy = root / file.relative_to(checkout)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, copy)
    return root
