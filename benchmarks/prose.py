"""Measures search in prose: recall@10 of the evidence, how much of it is quoted, and what is refused.

    python benchmarks/prose.py DATA --corpora DIR

``DATA`` is a JSON file of questions or a folder of them; ``--corpora`` has a checkout ``OWNER__NAME`` for each corpus.
See README.md here for the measures.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import _machine
import _systems
from _metrics import Location, Target, covers, path_matches
from _prose_corpora import UNANSWERABLE, Question, lay_out, load

from quaestor import Index
from quaestor.answers.quotes.pick_quotes import answer as extract
from quaestor.chat.chat_settings import ConversationSettings
from quaestor.llm.prompts.numbered_passages import number

TEN = 10
HERE = Path(__file__).parent
SERVER = HERE / "_prose_server.py"
DEFAULT_SYSTEMS = ("quaestor:lexical", "quaestor:dense", "quaestor:fusion", "quaestor")


class ProsePeer(_systems.PeerProcess):
    """A peer over prose in its own Python environment."""

    def __init__(self, name: str, python: str, settings: dict[str, Any]) -> None:
        kind, _, argument = name.partition(":")
        self.name = f"{kind}:{Path(argument).name}" if argument else kind
        command = [python, "-u", str(SERVER), name, json.dumps(settings)]
        environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )


@dataclass(frozen=True, slots=True)
class Score:
    """One answerable question on one system.

    Attributes:
        file: whether a file with evidence is among the ten best hits.
        lines: whether a hit shares a line with some evidence.
        all: whether every piece of evidence shares a line with a hit.
    """

    system: str
    corpus: str
    category: str
    question: str
    file: bool
    lines: bool
    all: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What ``ask`` without a model makes of one question.

    Attributes:
        refused: whether it says that the corpus holds no answer.
        coverage: share of the question's meaning in the quotes.
        quoted: whether a quote shares a line with some evidence.
        first: whether the first quote does.
        characters: of all quotes together.
    """

    corpus: str
    category: str
    question: str
    refused: bool
    coverage: float
    quoted: bool
    first: bool
    characters: int


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    questions = load(options.data)
    settings = {"cache": str(options.cache.resolve()), "threads": options.threads}
    scores: list[Score] = []
    answers: list[Answer] = []
    with _systems.keep_indexes_apart(), TemporaryDirectory(prefix="prose-") as place:
        systems = [make(name, options.peers_python, settings) for name in options.systems]
        corpora = dict.fromkeys(question.corpus for question in questions)
        try:
            for corpus in corpora:
                own = [question for question in questions if question.corpus == corpus]
                root = lay_out(corpus, options.corpora, Path(place)).resolve()
                scores += [score for system in systems for score in ask(system, root, own)]
                answers += answer(root, own)
        finally:
            for system in systems:
                system.close()
        commits = {corpus: commit_of(options.corpora, corpus, questions) for corpus in corpora}
    report = summary(scores, answers, commits)
    print(table(report))
    if options.details:
        found = [asdict(one) for one in (*scores, *answers)]
        options.details.write_text("".join(json.dumps(one) + "\n" for one in found), encoding="utf-8")
    path = options.out or HERE / "results" / "prose.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure search in prose: recall@10 and refusals.")
    parser.add_argument("data", type=Path, metavar="DATA", help="a JSON file of questions, or a folder of them")
    parser.add_argument("--corpora", type=Path, required=True, help="has a checkout OWNER__NAME for each corpus")
    parser.add_argument("--systems", nargs="+", default=DEFAULT_SYSTEMS, metavar="SYSTEM")
    parser.add_argument("--out", type=Path, help="JSON file (default: benchmarks/results/prose.json)")
    parser.add_argument("--details", type=Path, help="also write what became of every question, JSON lines")
    parser.add_argument("--peers-python", default=sys.executable, help="a Python with the peers installed")
    parser.add_argument("--cache", type=Path, default=Path(".benchmark-cache"), help="MiniLM's vectors")
    parser.add_argument("--threads", type=int, default=2, help="threads for MiniLM")
    return parser.parse_args(arguments)


def make(name: str, python: str, settings: dict[str, Any]) -> _systems.System:
    """The system of that name."""
    kind, _, mode = name.partition(":")
    return _systems.quaestor(mode) if kind == "quaestor" else ProsePeer(name, python, settings)


def ask(system: _systems.System, root: Path, questions: Sequence[Question]) -> list[Score]:
    """Put every answerable question about one corpus to one system."""
    system.index(root)
    scores = []
    for question in questions:
        if question.category == UNANSWERABLE:
            continue
        hits = system.search(question.text, TEN).hits
        found = [met(hits, one) for one in question.evidence]
        files = [any(path_matches(path, one.path) for path, *_ in hits) for one in question.evidence]
        scores.append(
            Score(system.name, question.corpus, question.category, question.text, any(files), any(found), all(found))
        )
    mean = statistics.fmean(score.lines for score in scores)
    print(f"{root.name:<20} {system.name:<24} lines {mean:.3f}", file=sys.stderr, flush=True)
    return scores


def met(hits: Sequence[Location], evidence: Target) -> bool:
    return any(covers(hit, evidence) for hit in hits)


def answer(root: Path, questions: Sequence[Question]) -> list[Answer]:
    """Tell for each question about one corpus what ``ask`` without a model answers."""
    with Index.build(root) as index:
        return [_answered(index, question) for question in questions]


def _answered(index: Index, question: Question) -> Answer:
    hits = index.search(question.text, ConversationSettings().passages)
    doubt, encode = index.doubt(question.text, hits), index.meaning.local_embedder.encode
    made = extract(question.text, number(hits), encode, missing=doubt.names, refused=doubt.refuses, hits=hits)
    places = [(quote.path, quote.start_line, quote.end_line) for quote in made.quotes]
    right = [any(covers(place, one) for one in question.evidence) for place in places]
    return Answer(
        question.corpus,
        question.category,
        question.text,
        refused=not made.known,
        coverage=round(made.coverage, 4),
        quoted=any(right),
        first=right[:1] == [True],
        characters=sum(len(quote.text) for quote in made.quotes),
    )


def commit_of(checkouts: Path, corpus: str, questions: Sequence[Question]) -> dict[str, Any]:
    """Which commit was searched, and whether it is the one that the questions are about."""
    commit = _machine.head(checkouts / corpus.replace("/", "__"))[0]
    meant = next(question.commit for question in questions if question.corpus == corpus)
    return {"commit": commit, "pinned": commit == meant}


def summary(scores: Sequence[Score], answers: Sequence[Answer], commits: dict[str, Any]) -> dict[str, Any]:
    """The document that is saved."""
    systems = list(dict.fromkeys(score.system for score in scores))
    return {
        "benchmark": "prose",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine.describe(),
        "embedder": _embedder(),
        "commits": commits,
        "systems": {system: means([score for score in scores if score.system == system]) for system in systems},
        "refused": {
            "unanswerable": share([x for x in answers if x.category == UNANSWERABLE]),
            "answerable": share([x for x in answers if x.category != UNANSWERABLE]),
        },
        "quoted": quoted([x for x in answers if x.category != UNANSWERABLE]),
    }


def _embedder() -> str:
    from quaestor.embedding.static import StaticEmbedder  # noqa: PLC0415

    return StaticEmbedder.bundled().name


def means(scores: Sequence[Score]) -> dict[str, Any]:
    """For one system: over all, and for each corpus and category."""
    groups: dict[str, Callable[[Score], str]] = {
        "corpus": lambda score: score.corpus,
        "category": lambda score: score.category,
    }
    found: dict[str, Any] = {"all": mean(scores)}
    for name, group in groups.items():
        labels = dict.fromkeys(group(score) for score in scores)
        found[name] = {label: mean([score for score in scores if group(score) == label]) for label in labels}
    return found


def mean(scores: Sequence[Score]) -> dict[str, float]:
    return {
        "questions": len(scores),
        "file": round(statistics.fmean(score.file for score in scores), 4),
        "lines": round(statistics.fmean(score.lines for score in scores), 4),
        "all": round(statistics.fmean(score.all for score in scores), 4),
    }


def share(answers: Sequence[Answer]) -> dict[str, float]:
    refused = statistics.fmean(one.refused for one in answers) if answers else 0.0
    return {"questions": len(answers), "refused": round(refused, 4)}


def quoted(answers: Sequence[Answer]) -> dict[str, float]:
    """How often what is quoted is evidence; an answer that is refused quotes nothing."""
    return {
        "any": round(statistics.fmean(one.quoted for one in answers), 4),
        "first": round(statistics.fmean(one.first for one in answers), 4),
        "characters": round(statistics.fmean(one.characters for one in answers)),
    }


def table(report: dict[str, Any]) -> str:
    """One text table: for each group and system, recall@10 of the file, of lines, and of all the evidence."""
    systems = report["systems"]
    widths = [max(20, len(system) + 1) for system in systems]
    lines = [_line("file / lines / all the evidence", "", list(systems), widths)]
    first = next(iter(systems.values()))
    lines.append(_line("all", first["all"]["questions"], [_cell(one["all"]) for one in systems.values()], widths))
    for group in ("corpus", "category"):
        for label, own in first[group].items():
            cells = [_cell(one[group][label]) for one in systems.values()]
            lines.append(_line(f"  {label}", own["questions"], cells, widths))
    for label, own in report["refused"].items():
        lines.append(f"refused of the {label}: {own['refused']:.3f} of {own['questions']}")
    of = report["quoted"]
    lines.append(
        f"evidence quoted: {of['any']:.3f}, in the first quote {of['first']:.3f}, {of['characters']} characters"
    )
    return "\n".join(lines)


def _line(label: str, count: object, cells: Sequence[str], widths: Sequence[int]) -> str:
    shown = "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
    return f"{label:<32} {count!s:>4} {shown}"


def _cell(own: dict[str, float]) -> str:
    return f"{own['file']:.2f} / {own['lines']:.2f} / {own['all']:.2f}"


if __name__ == "__main__":
    main()
