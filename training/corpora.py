"""Reads evaluation corpora for an embedder alone: texts with their places, and questions with the places to find.

No embedder is ever trained on any of these corpora (see ``refused_repositories``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quaestor.chunking import cut
from quaestor.chunking.languages import PROSE, recognise
from quaestor.indexing.prepare import embedded_text

_LARGEST = 1_000_000
_DATA = frozenset({"json", "xml", "csv", "yaml", "toml", "ini", "properties", "jupyter", "html", "css", "scss", "less"})
_PROSE_FILES = {
    "fish-shell/fish-shell": (r"doc_src/.*\.rst", ""),
    "git/git": (r"Documentation/.*\.adoc", r".*/RelNotes/.*"),
    "golang/proposal": (r"design/.*\.md", ""),
    "jbranchaud/til": (r".*\.md", r"README\.md"),
    "jj-vcs/jj": (r"docs/.*\.md", ""),
    "kubernetes/community": (r"contributors/.*\.md", ""),
    "letsencrypt/website": (r"content/en/.*\.md", ""),
    "prometheus/docs": (r".*\.md", ""),
    "pypa/pip": (r"docs/.*\.(?:md|rst)", ""),
    "python/devguide": (r".*\.rst", ""),
    "python/peps": (r"peps/.*\.rst", ""),
    "rust-lang/book": (r"src/[^/]*\.md", ""),
    "rust-lang/cargo": (r"doc/book/src/.*\.md", ""),
    "rust-lang/rfcs": (r"text/.*\.md", ""),
    "simonw/til": (r".*\.md", r"README\.md"),
    "swiftlang/swift-evolution": (r"proposals/.*\.md", ""),
    "vuejs/docs": (r"src/guide/.*\.md", ""),
}
"""For each corpus of prose the paths that belong to it, and of those the ones that do not."""


@dataclass(frozen=True, slots=True)
class Place:
    """A path and lines in it, 1-based and inclusive; a target without lines has ``end`` 0."""

    path: str
    start: int
    end: int

    def covers(self, target: Place) -> bool:
        """Whether a result here finds ``target``."""
        one, other = f"/{self.path}", f"/{target.path}"
        if not (one.endswith(other) or other.endswith(one)):
            return False
        return not target.end or (self.start <= target.end and self.end >= target.start)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, its category, and what should be found."""

    text: str
    category: str
    targets: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Collection:
    """Texts that are searched together; ``texts``, ``plain`` (without paths) and ``places`` have one length."""

    name: str
    texts: list[str]
    plain: list[str]
    places: list[Place]
    questions: list[Question]


def code_collections(annotations: Path, checkouts: Path) -> Iterator[Collection]:
    """Yield each checked-out repository of a code-search benchmark (``repos.json``, ``annotations/NAME.json``)."""
    for entry in json.loads((annotations / "repos.json").read_text("utf-8")):
        root, inner = checkouts / entry["name"], entry.get("benchmark_root") or ""
        if not (root / inner).is_dir():
            continue
        files = [file for file in sorted((root / inner).rglob("*")) if _is_code(file, root)]
        rows = json.loads((annotations / "annotations" / f"{entry['name']}.json").read_text("utf-8"))
        questions = [
            Question(row["query"], row["category"], _targets([*row["relevant"], *row.get("secondary", [])]))
            for row in rows
        ]
        yield _collection(entry["name"], root, files, questions)


def prose_collections(questions: Path, checkouts: Path) -> Iterator[Collection]:
    """Yield each prose corpus with its answerable questions; folders are named ``OWNER__NAME``."""
    for corpus, asked in prose_questions(questions):
        root = checkouts / corpus.replace("/", "__")
        yield _collection(corpus, root, prose_files(corpus, root), asked)


def prose_questions(data: Path) -> Iterator[tuple[str, list[Question]]]:
    """Yield the name of each prose corpus that answerable questions are about, with the questions.

    Args:
        data: a JSON file of questions with their evidence, or a folder of such files.
    """
    files = sorted(data.glob("*.json")) if data.is_dir() else [data]
    rows = [row for file in files for row in json.loads(file.read_text("utf-8"))]
    for corpus in _PROSE_FILES:
        asked = [row for row in rows if row["corpus"] == corpus and row["evidence"]]
        if asked:
            yield corpus, [Question(row["question"], row["category"], _targets(row["evidence"])) for row in asked]


def prose_files(corpus: str, root: Path) -> list[Path]:
    """Return the files of a checkout that belong to a prose corpus, sorted; no links."""
    wanted, unwanted = (re.compile(pattern) for pattern in _PROSE_FILES[corpus])
    found = []
    for file in sorted(root.rglob("*")):
        inside = file.relative_to(root).as_posix()
        if inside.startswith(".git/") or file.is_symlink() or not file.is_file():
            continue
        if wanted.fullmatch(inside) and not unwanted.fullmatch(inside):
            found.append(file)
    return found


def memory_collections(file: Path) -> Iterator[Collection]:
    """Yield each conversation of LoCoMo (Maharana et al. 2024) with its answerable questions; places are messages."""
    for sample in json.loads(file.read_text("utf-8")):
        talk = sample["conversation"]
        sessions = [talk[key] for key in talk if re.fullmatch(r"session_\d+", key)]
        turns = [turn for session in sessions for turn in session]
        texts = [f"{turn['speaker']}: {turn['text']}" for turn in turns]
        places = [Place(turn["dia_id"], 1, 1) for turn in turns]
        questions = [
            Question(row["question"], str(row["category"]), tuple(Place(name, 0, 0) for name in row["evidence"]))
            for row in sample["qa"]
            if row["category"] != 5 and row["evidence"]
        ]
        yield Collection(sample["sample_id"], texts, texts, places, questions)


def _collection(name: str, root: Path, files: list[Path], questions: list[Question]) -> Collection:
    texts: list[str] = []
    plain: list[str] = []
    places: list[Place] = []
    for file in files:
        path = file.relative_to(root).as_posix()
        parts = cut(file.read_bytes(), path)
        for chunk in parts.chunks:
            texts.append(embedded_text(chunk, path, parts.title))
            plain.append(chunk.text)
            places.append(Place(path, chunk.span.start_line, chunk.span.end_line))
    return Collection(name, texts, plain, places, questions)


def _is_code(file: Path, root: Path) -> bool:
    inner = file.relative_to(root).as_posix()
    if not file.is_file() or file.stat().st_size > _LARGEST or re.search(r"(?:^|/)(?:\.git|node_modules)/", inner):
        return False
    language = recognise(b"", inner)
    return "." in file.name and language not in PROSE and language not in _DATA


def _targets(rows: list[Any]) -> tuple[Place, ...]:
    return tuple(
        Place(row, 0, 0)
        if isinstance(row, str)
        else Place(row["path"], row.get("start_line") or 0, row.get("end_line") or 0)
        for row in rows
    )
