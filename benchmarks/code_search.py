"""Code search quality, ours and peers' side by side: NDCG@10 over annotated queries.

    python benchmarks/code_search.py --annotations DIR --repos DIR

``--annotations`` holds ``repos.json`` and ``annotations/NAME.json``; ``--repos`` holds one checkout for
each repository, in a folder of its name. Progress goes to stderr, the table to stdout, and everything
to a JSON file under ``benchmarks/results``. See README.md here for the systems and the metric.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import _machine
import _systems
from _annotations import Query, Repository, load
from _metrics import Location, each_file_once, ndcg
from _report import Scored, summary, table

TEN = 10
DEEP = 50
RESULTS = Path(__file__).with_name("results")
DEFAULT_SYSTEMS = ("bm25", "quaestor:lexical", "quaestor:dense", "quaestor:fusion", "quaestor")


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    repositories = present(load(options.annotations, options.only), options.repos)
    settings = {"cache": str(options.cache.resolve()), "threads": options.threads}
    with _systems.keep_indexes_apart():
        systems = [_systems.make(name, options.peers_python, settings) for name in options.systems]
        try:
            report = run(systems, repositories, options.repos, options.details)
        finally:
            for system in systems:
                system.close()
    print(table(report))
    save(report, options.out)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Code search quality, ours and peers' side by side.")
    parser.add_argument("--annotations", type=Path, required=True, help="has repos.json and annotations/")
    parser.add_argument("--repos", type=Path, required=True, help="has a checkout for each repository")
    parser.add_argument("--systems", nargs="+", default=DEFAULT_SYSTEMS, metavar="SYSTEM")
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="these repositories only")
    parser.add_argument("--out", type=Path, help="JSON file (default: benchmarks/results/, named by commit)")
    parser.add_argument("--details", type=Path, help="also write every query's ten best chunks, JSON lines")
    parser.add_argument("--peers-python", default=sys.executable, help="a Python with the peers installed")
    parser.add_argument("--cache", type=Path, default=Path(".benchmark-cache"), help="MiniLM's vectors")
    parser.add_argument("--threads", type=int, default=2, help="threads for MiniLM")
    return parser.parse_args(arguments)


def present(repositories: list[Repository], folder: Path) -> list[Repository]:
    """The repositories that are checked out; the others are named on stderr."""
    for repository in repositories:
        if not (folder / repository.name / repository.root).is_dir():
            say(f"missing, left out: {repository.name}")
    return [item for item in repositories if (folder / item.name / item.root).is_dir()]


def run(
    systems: Sequence[_systems.System], repositories: Sequence[Repository], folder: Path, details: Path | None
) -> dict[str, Any]:
    """Index and query everything; the document that is saved."""
    scores: list[Scored] = []
    found: list[dict[str, Any]] = []
    costs = {system.name: {"index_seconds": 0.0, "chunks": 0.0} for system in systems}
    for repository in repositories:
        for system in systems:
            own, hits = evaluate(system, repository, folder / repository.name, costs[system.name])
            scores += own
            found += hits
    if details:
        details.write_text("".join(json.dumps(line) + "\n" for line in found), encoding="utf-8")
    return {
        "benchmark": "code_search",
        "metric": "NDCG@10, binary gain; raw: chunks, by_file: each file once",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine.describe(),
        "commits": {repository.name: checkout(repository, folder) for repository in repositories},
        "systems": summary(scores),
        "costs": costs,
        "queries": per_query(scores),
    }


def evaluate(
    system: _systems.System, repository: Repository, checkout: Path, cost: dict[str, float]
) -> tuple[list[Scored], list[dict[str, Any]]]:
    """Every query of one repository on one system: its scores, and its ten best chunks."""
    indexed = system.index((checkout / repository.root).resolve())
    cost["index_seconds"] += indexed.seconds
    cost["chunks"] += indexed.chunks or 0
    scores: list[Scored] = []
    found: list[dict[str, Any]] = []
    for query in repository.queries:
        score, hits = ask(system, repository, query)
        scores.append(score)
        targets = [asdict(target) for target in query.targets]
        found.append({**asdict(score), "hits": hits, "targets": targets})
    mean = sum(score.raw for score in scores) / len(scores)
    say(f"{repository.name:<18} {system.name:<26} {mean:.3f}  indexed in {indexed.seconds:.1f} s")
    return scores, found


def ask(system: _systems.System, repository: Repository, query: Query) -> tuple[Scored, list[Location]]:
    """Score one query, as chunks and with each file once."""
    answer = system.search(query.text, TEN)
    hits = under(repository.root, answer.hits)
    files = each_file_once(under(repository.root, system.search(query.text, DEEP).hits))
    score = Scored(
        system=system.name,
        repository=repository.name,
        language=repository.language,
        category=query.category,
        query=query.text,
        raw=ndcg(hits, query.targets),
        by_file=ndcg(files, query.targets),
        seconds=answer.seconds,
    )
    return score, hits[:TEN]


def under(root: str, hits: Sequence[Location]) -> list[Location]:
    """Paths relative to the checkout, as the annotations have them.

    A bare ``__init__.py`` would match that name in every folder; with its full path it matches only itself.
    """
    return [(f"{root}/{path}" if root else path, start, end) for path, start, end in hits]


def checkout(repository: Repository, folder: Path) -> dict[str, Any]:
    """Which commit was searched, and whether it is the one that was annotated."""
    commit, date, subject = _machine.head(folder / repository.name)
    return {"commit": commit, "pinned": commit == repository.revision, "date": date, "subject": subject}


def per_query(scores: Sequence[Scored]) -> list[dict[str, Any]]:
    """One entry a query, with ``[raw, by file]`` for each system."""
    entries: dict[tuple[str, str, str], dict[str, Any]] = {}
    for score in scores:
        key = (score.repository, score.query, score.category)
        entry = entries.setdefault(key, dict(zip(("repository", "query", "category"), key, strict=True)))
        entry[score.system] = [round(score.raw, 4), round(score.by_file, 4)]
    return list(entries.values())


def save(report: dict[str, Any], out: Path | None) -> None:
    """Write the JSON document."""
    path = out or RESULTS / f"code_search-{report['machine']['commit'][:12]}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    say(f"saved {path}")


def say(line: str) -> None:
    """Progress, kept off stdout."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
