"""Measures search for each kind of query, on queries made from repositories by rules.

    python benchmarks/query_kinds.py DIR... --systems bm25 semble:MODEL quaestor --peers-python PEERS/bin/python

Nobody judged these queries: the target of each is what it was made from. See README.md here for the rules.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import _machine
import _systems
from _metrics import covers, ndcg
from _query_kinds_made import KINDS, Made, make

TEN = 10
RESULTS = Path(__file__).with_name("results")
DEFAULT_SYSTEMS = ("bm25", "quaestor:lexical", "quaestor:dense", "quaestor")


@dataclass(frozen=True, slots=True)
class Score:
    """One query on one system; ``first`` tells whether the best chunk is one that was meant."""

    system: str
    repository: str
    kind: str
    query: str
    ndcg: float
    first: float


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    made = {folder: make(folder, options.count, options.seed) for folder in options.folders}
    settings = {"cache": str(options.cache.resolve()), "threads": options.threads}
    with _systems.keep_indexes_apart():
        systems = [_systems.make(name, options.peers_python, settings) for name in options.systems]
        try:
            scores = [
                score
                for folder, queries in made.items()
                for system in systems
                for score in ask(system, folder, queries)
            ]
        finally:
            for system in systems:
                system.close()
    report = summary(scores, options)
    print(table(report))
    if options.details:
        options.details.write_text("".join(json.dumps(asdict(score)) + "\n" for score in scores), encoding="utf-8")
    save(report, options.out)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure search for each kind of query.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="a repository")
    parser.add_argument("--systems", nargs="+", default=DEFAULT_SYSTEMS, metavar="SYSTEM")
    parser.add_argument("--count", type=int, default=10, help="queries of each kind and repository")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="JSON file (default: benchmarks/results/query_kinds.json)")
    parser.add_argument("--details", type=Path, help="also write every query's score, JSON lines")
    parser.add_argument("--peers-python", default=sys.executable, help="a Python with the peers installed")
    parser.add_argument("--cache", type=Path, default=Path(".benchmark-cache"), help="MiniLM's vectors")
    parser.add_argument("--threads", type=int, default=2, help="threads for MiniLM")
    return parser.parse_args(arguments)


def ask(system: _systems.System, folder: Path, queries: Sequence[Made]) -> list[Score]:
    """Index one repository and put every query to one system."""
    system.index(folder.resolve())
    scores = []
    for query in queries:
        hits = system.search(query.text, TEN).hits
        first = bool(hits) and any(covers(hits[0], target) for target in query.targets)
        scores.append(Score(system.name, folder.name, query.kind, query.text, ndcg(hits, query.targets), float(first)))
    mean = statistics.fmean(score.ndcg for score in scores) if scores else 0.0
    print(f"{folder.name:<24} {system.name:<26} {mean:.3f}  {len(scores)} queries", file=sys.stderr, flush=True)
    return scores


def summary(scores: Sequence[Score], options: argparse.Namespace) -> dict[str, Any]:
    """The document that is saved."""
    systems = list(dict.fromkeys(score.system for score in scores))
    return {
        "benchmark": "query_kinds",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine.describe(),
        "commits": {folder.name: _machine.head(folder)[0] for folder in options.folders},
        "count": options.count,
        "seed": options.seed,
        "kinds": {
            kind: {system: _means([x for x in scores if x.system == system and x.kind == kind]) for system in systems}
            for kind in KINDS
        },
    }


def _means(scores: Sequence[Score]) -> dict[str, float]:
    if not scores:
        return {"queries": 0, "first": 0.0, "ndcg": 0.0}
    return {
        "queries": len(scores),
        "first": round(statistics.fmean(score.first for score in scores), 4),
        "ndcg": round(statistics.fmean(score.ndcg for score in scores), 4),
    }


def table(report: dict[str, Any]) -> str:
    """One text table: a row for each kind, for each system the share of best chunks that are right, and NDCG@10."""
    systems = list(next(iter(report["kinds"].values())))
    widths = [max(15, len(system)) for system in systems]
    head = " ".join(f"{system:>{width}}" for system, width in zip(systems, widths, strict=True))
    lines = [f"{'first / NDCG@10':<18} {'queries':>7} {head}"]
    for kind, cells in report["kinds"].items():
        shown = [f"{cell['first']:.3f} / {cell['ndcg']:.3f}" for cell in cells.values()]
        row = " ".join(f"{cell:>{width}}" for cell, width in zip(shown, widths, strict=True))
        lines.append(f"{kind:<18} {next(iter(cells.values()))['queries']:>7} {row}")
    return "\n".join(lines)


def save(report: dict[str, Any], out: Path | None) -> None:
    """Write the JSON document."""
    path = out or RESULTS / "query_kinds.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
