"""Checks the questions of ``answers/``: their form, and that their evidence is where it is said to be.

    python benchmarks/asked/check_answers.py --checkouts DIR [FILE...]

A clone with its history is in ``DIR/OWNER__NAME``, at the file's commit. It checks that each quote is in its lines, the
required words in the evidence or in the commits that answer, commits in the history, parts somewhere in the corpus, and
the words of ``absent`` nowhere in it.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from check import _trouble as quote_trouble

HERE = Path(__file__).parent
NEW_KINDS = frozenset("overview history name fact near_miss nothing".split())
# What a quote of a whole paragraph or list would hold besides the lines that were given as evidence.
NEAR = 8


@dataclass(frozen=True, slots=True)
class Corpus:
    """A clone, and those of its files that are asked about."""

    root: Path
    files: tuple[str, ...]

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file."""
        return (self.root / path).read_text(encoding="utf-8", errors="replace").split("\n")

    def git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run git in the clone."""
        command = ["git", "-C", str(self.root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)


def main() -> int:
    """Check the files that are named, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkouts", type=Path, required=True, help="folder with one clone OWNER__NAME")
    parser.add_argument("files", type=Path, nargs="*")
    options = parser.parse_args()
    wrong = 0
    for file in options.files or sorted((HERE / "answers").glob("*__*.json")):
        found = list(problems(file, options.checkouts / file.stem))
        wrong += len(found)
        print("\n".join([f"{file.stem}: {len(found)} problems", *(f"  {problem}" for problem in found)]))
    return 1 if wrong else 0


def problems(file: Path, checkout: Path) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong with a file of questions."""
    data = json.loads(file.read_text("utf-8"))
    place = HERE / data["corpus"] / file.name
    older = json.loads(place.read_text("utf-8")) if place.exists() else {**data, "questions": []}
    by_id = {row["id"]: row for row in older["questions"]}
    if any(data[name] != older[name] for name in ("repository", "commit", "files")):
        yield "repository, commit or files are not those of the older questions"
    listed = subprocess.run(["git", "-C", str(checkout), "ls-files"], capture_output=True, text=True, check=True)
    names = listed.stdout.split("\n")
    corpus = Corpus(checkout, tuple(name for name in names if name and re.fullmatch(data["files"] or ".*", name)))
    for thing, count in Counter(row["id"] for row in data["questions"]).items():
        if count > 1:
            yield f"{thing!r} stands {count} times"
    for row in data["questions"]:
        whole = {**by_id[row["of"]], **row} if "of" in row else row
        whole = {**whole, "evidence": [*whole["evidence"], *whole.get("further", ())]}
        yield from (f"{row['id']}: {problem}" for problem in question_problems(whole, corpus))


def question_problems(row: Mapping[str, Any], corpus: Corpus) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong with a question."""
    if "of" not in row and row["kind"] not in NEW_KINDS:
        yield f"kind {row['kind']!r} is none of {sorted(NEW_KINDS)}"
    if row.get("answerable", True) != bool(row["requires"] or row.get("parts")):
        yield "an answerable question needs required words or parts, another has none"
    for place in row["evidence"]:
        if trouble := quote_trouble(place, corpus.root):
            yield trouble
    yield from (f"{commit} is not in the history" for commit in row.get("commits", ()) if _is_strange(commit, corpus))
    said = _plain(evidence_text(row, corpus))
    yield from (f"{group} does not stand in the evidence" for group in _missing(row["requires"], said))
    if parts := row.get("parts", ()):
        yield from (f"{group} stands nowhere" for group in _missing(parts, _plain(corpus_text(corpus))))
    if absent := row.get("absent"):
        held = set(corpus.git("grep", "-I", "-i", "-E", "-l", absent).stdout.split("\n")) & set(corpus.files)
        if held:
            yield f"{absent!r} stands in {sorted(held)[:3]}"


def evidence_text(row: Mapping[str, Any], corpus: Corpus) -> str:
    """Return what the evidence says: its lines, its paths, and the messages, authors and dates of its commits."""
    places = [
        "\n".join([place["path"], *corpus.lines(place["path"])[place["start_line"] - 1 : place["end_line"] + NEAR]])
        for place in row["evidence"]
    ]
    shown = [
        corpus.git("log", "-1", "--date=short", "--format=%an%n%ad%n%B", one).stdout for one in row.get("commits", ())
    ]
    return "\n".join([*places, *shown])


def corpus_text(corpus: Corpus) -> str:
    """Return the paths of a corpus and the text of its documents."""
    documents = [
        name for name in corpus.files if re.search(r"(?i)\.(md|rst|txt|adoc|asc)$|(^|/)(readme|news|install)", name)
    ]
    return "\n".join([*corpus.files, *("\n".join(corpus.lines(name)) for name in documents)])


def _missing(groups: Sequence[Sequence[str]], text: str) -> Iterator[Sequence[str]]:
    yield from (group for group in groups if not any(_plain(word) in text for word in group))


def _is_strange(commit: str, corpus: Corpus) -> bool:
    return corpus.git("merge-base", "--is-ancestor", commit, "HEAD").returncode != 0


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


if __name__ == "__main__":
    sys.exit(main())
