"""Counts questions whose evidence is first, among ten, or among a hundred hits, in whole repositories and documents.

    python benchmarks/lines.py DATA --checkouts DIR [--part choose] [--systems quaestor ...]

``DATA`` is a JSON list of questions with ``repo``, ``question`` and ``evidence``, or a folder of questions as
``asked/WRITING.md`` describes; of such a folder one part is asked. ``--checkouts`` has a checkout ``OWNER__NAME``
of each repository. See README.md here for the measures.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import _machine
import _systems
from _metrics import Location, Target, covers, path_matches

from quaestor.llm.tokens import Tokenizer, tokenizer_for
from training.asked_questions import FITTED, SHORT, read_asked
from training.judged_searches import documents_of

TEN, HUNDRED = 10, 100
SHORT_CORPORA = ("short_code", "short_prose")
DEFAULT_SYSTEMS = ("quaestor:lexical", "quaestor:dense", "quaestor:fusion", "quaestor")


@dataclass(frozen=True, slots=True)
class Question:
    """One question about one repository; any of ``evidence`` answers."""

    repository: str
    corpus: str
    kind: str
    text: str
    evidence: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """How one system answered one question.

    Attributes:
        first, three, ten, hundred: whether evidence is among so many hits.
        share: of all the evidence, the share that the first ten hits touch.
        file: whether a file with evidence is among the first ten hits.
        tokens: of the lines of the first ten hits, as o200k counts them.
    """

    system: str
    repository: str
    corpus: str
    kind: str
    first: bool
    three: bool
    ten: bool
    hundred: bool
    share: float
    file: bool
    tokens: int


def main() -> None:
    """Measure every system on every repository, and print the means."""
    options = parse()
    with TemporaryDirectory(prefix="quaestor-lines-") as folder, _systems.keep_indexes_apart():
        corpora = list(present(options, Path(folder)))
        systems = [_systems.make(name, options.peers_python, {}) for name in options.systems]
        scores = list(run(systems, corpora))
        for system in systems:
            system.close()
    print(table(scores, options.kinds))
    if options.out:
        rows = [asdict(score) for score in scores]
        told = {"machine": _machine.describe(), "part": options.part, "scores": summaries(rows)}
        options.out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Count the questions whose lines are found.")
    parser.add_argument("data", type=Path, help="a file of questions, or a folder with code/ and prose/")
    parser.add_argument("--checkouts", type=Path, required=True, help="has a checkout OWNER__NAME of each repository")
    parser.add_argument("--part", default="choose", choices=["learn", "choose", "report"], help="of a folder")
    parser.add_argument("--corpora", nargs="+", default=FITTED, choices=(*FITTED, *SHORT_CORPORA), help="of a folder")
    parser.add_argument("--systems", nargs="+", default=DEFAULT_SYSTEMS, metavar="SYSTEM")
    parser.add_argument("--peers-python", default=sys.executable, help="a Python with the peers installed")
    parser.add_argument("--kinds", action="store_true", help="also print each kind of question")
    parser.add_argument("--out", type=Path, help="JSON file for the means")
    return parser.parse_args()


def present(options: argparse.Namespace, folder: Path) -> Iterator[tuple[Path, list[Question]]]:
    """Yield each corpus that has a checkout: its folder, and what is asked about it."""
    data, checkouts = options.data, options.checkouts
    if data.is_dir():
        for asked in read_asked(data, (*FITTED, SHORT)):
            root = checkouts / asked.folder
            if asked.part == options.part and asked.corpus in options.corpora and root.is_dir():
                root = documents_of(root, asked.files, folder / asked.folder) if asked.files else root
                yield (
                    root,
                    [
                        Question(asked.repository, asked.corpus, one.kind, one.text, tuple(map(target, one.targets)))
                        for one in asked.questions
                    ],
                )
        return
    rows = json.loads(data.read_text(encoding="utf-8"))
    for repository in sorted({row["repo"] for row in rows}):
        root = checkouts / repository.replace("/", "__")
        if root.is_dir():
            yield (
                root,
                [
                    Question(
                        repository, "code", "public", row["question"], tuple(Target(**one) for one in row["evidence"])
                    )
                    for row in rows
                    if row["repo"] == repository
                ],
            )


def target(place: Any) -> Target:
    """Return a place as the metric takes it."""
    return Target(place.path, place.start_line, place.end_line)


def run(systems: Sequence[_systems.System], corpora: Iterable[tuple[Path, Sequence[Question]]]) -> Iterator[Score]:
    """Yield each system's score on each question."""
    tokenizer = tokenizer_for("gpt-4o")
    for root, questions in corpora:
        for system in systems:
            system.index(root)
            print(f"{root.name:40} {system.name}", file=sys.stderr)
            for question in questions:
                ten = system.search(question.text, TEN).hits
                hundred = system.search(question.text, HUNDRED).hits
                yield scored(system.name, question, ten, hundred, tokens_of(root, ten, tokenizer))


def scored(system: str, question: Question, ten: Sequence[Location], hundred: Sequence[Location], tokens: int) -> Score:
    """Return how hits answer a question."""
    found = [any(covers(hit, place) for place in question.evidence) for hit in ten]
    touched = [any(covers(hit, place) for hit in ten) for place in question.evidence]
    files = any(path_matches(hit[0], place.path) for hit in ten for place in question.evidence)
    return Score(
        system,
        question.repository,
        question.corpus,
        question.kind,
        any(found[:1]),
        any(found[:3]),
        any(found),
        any(covers(hit, place) for hit in hundred for place in question.evidence),
        statistics.mean(touched),
        files,
        tokens,
    )


def tokens_of(root: Path, hits: Iterable[Location], tokenizer: Tokenizer) -> int:
    """Return the tokens of the lines that hits point at, as they are on disk."""
    total = 0
    for path, start, end in hits:
        lines = (root / path).read_text(encoding="utf-8", errors="replace").split("\n")
        total += tokenizer.count("\n".join(lines[start - 1 : end]))
    return total


MEASURES = ("first", "three", "ten", "hundred", "share", "file", "tokens")


def summaries(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the means by system and corpus."""
    groups = sorted({(row["system"], row["corpus"]) for row in rows})
    found = []
    for system, corpus in groups:
        own = [row for row in rows if (row["system"], row["corpus"]) == (system, corpus)]
        means = {name: round(statistics.mean(row[name] for row in own), 4) for name in MEASURES}
        found.append({"system": system, "corpus": corpus, "questions": len(own), **means})
    return found


def table(scores: Sequence[Score], kinds: bool) -> str:
    """Return the means as text, by corpus and system, and by kind where that is asked for."""
    lines = [f"{'':34}{'n':>5}  first   in 3  in 10 in 100  share   file  tokens"]
    for corpus in sorted({score.corpus for score in scores}):
        for system in dict.fromkeys(score.system for score in scores):
            own = [score for score in scores if (score.corpus, score.system) == (corpus, system)]
            lines.append(_line(f"{corpus} {system}", own))
            for kind in sorted({score.kind for score in own}) if kinds else ():
                lines.append(_line(f"  {kind}", [score for score in own if score.kind == kind]))
    return "\n".join(lines)


def _line(label: str, scores: Sequence[Score]) -> str:
    means = [statistics.mean(getattr(score, name) for score in scores) for name in MEASURES]
    return f"{label:34}{len(scores):5}" + "".join(f"  {mean:5.3f}" for mean in means[:-1]) + f"  {means[-1]:6.0f}"


if __name__ == "__main__":
    main()
