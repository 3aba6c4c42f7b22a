"""Measures the share of the annotated files that an agent has seen after a number of tokens of output.

    python benchmarks/agent_cost.py --annotations DIR --repos DIR --peers-python PEERS/bin/python --peer-model MODEL

Data and checkouts are those of ``code_search.py``. Tokens are counted as o200k does. See README.md here.
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
from _agent_cost_outputs import Block, Grep, Output, Quaestor, Semble
from _annotations import Query, Repository, load
from _metrics import path_matches

from quaestor.llm.tokens import tokenizer_for

RESULTS = Path(__file__).with_name("results")
BUDGETS = (500, 1000, 2000, 4000)
COUNT = 50


@dataclass(frozen=True, slots=True)
class Score:
    """One query in one form of output: the share of its files within each budget."""

    form: str
    repository: str
    category: str
    query: str
    recall: tuple[float, ...]


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    repositories = [
        one for one in load(options.annotations, options.only) if (options.repos / one.name / one.root).is_dir()
    ]
    with _systems.keep_indexes_apart():
        outputs: list[Output] = [Quaestor(), Grep()]
        if options.peer_model:
            outputs.insert(1, Semble(options.peer_model, options.peers_python))
        scores = [score for one in repositories for score in measure(one, options.repos / one.name, outputs)]
    report = summary(scores, repositories, options.repos)
    print(table(report))
    if options.details:
        options.details.write_text("".join(json.dumps(asdict(score)) + "\n" for score in scores), encoding="utf-8")
    path = options.out or RESULTS / "agent_cost.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Recall of the annotated files within so many tokens of output.")
    parser.add_argument("--annotations", type=Path, required=True, help="has repos.json and annotations/")
    parser.add_argument("--repos", type=Path, required=True, help="has a checkout for each repository")
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="these repositories only")
    parser.add_argument("--peers-python", default=sys.executable, help="a Python with semble installed")
    parser.add_argument("--peer-model", type=Path, help="a model2vec folder for semble")
    parser.add_argument("--out", type=Path, help="JSON file (default: benchmarks/results/agent_cost.json)")
    parser.add_argument("--details", type=Path, help="also write every query's recall, JSON lines")
    return parser.parse_args(arguments)


def measure(repository: Repository, checkout: Path, outputs: Sequence[Output]) -> list[Score]:
    """Put every query of one repository to every system."""
    root = (checkout / repository.root).resolve()
    scores = []
    for output in outputs:
        output.open(root)
        for query in repository.queries:
            forms = output.forms(query.text, COUNT)
            scores += [scored(form, repository, query, blocks) for form, blocks in forms.items()]
    print(f"{repository.name}: {len(repository.queries)} queries", file=sys.stderr, flush=True)
    return scores


def scored(form: str, repository: Repository, query: Query, blocks: Sequence[Block]) -> Score:
    """Read blocks until the largest budget is spent."""
    prefix = f"{repository.root}/" if repository.root else ""
    wanted = {target.path for target in query.targets}
    seen: dict[str, int] = {}
    spent = 0
    count = tokenizer_for("gpt-4o").count
    for block in blocks:
        spent += count(block.text)
        if spent > BUDGETS[-1]:
            break
        for path in wanted:
            if path not in seen and path_matches(prefix + block.path, path):
                seen[path] = spent
    recall = tuple(sum(at <= budget for at in seen.values()) / len(wanted) for budget in BUDGETS)
    return Score(form, repository.name, query.category, query.text, recall)


def summary(scores: Sequence[Score], repositories: Sequence[Repository], folder: Path) -> dict[str, Any]:
    """The document that is saved."""
    forms = list(dict.fromkeys(score.form for score in scores))
    categories = sorted({score.category for score in scores})
    return {
        "benchmark": "agent_cost",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine.describe(),
        "commits": {one.name: _machine.head(folder / one.name)[0] for one in repositories},
        "budgets": BUDGETS,
        "results_asked_for": COUNT,
        "queries": len(scores) // max(1, len(forms)),
        "forms": {
            form: {
                "all": means([score for score in scores if score.form == form]),
                **{
                    category: means([x for x in scores if x.form == form and x.category == category])
                    for category in categories
                },
            }
            for form in forms
        },
    }


def means(scores: Sequence[Score]) -> list[float]:
    """Mean recall within each budget."""
    return [round(statistics.fmean(column), 4) for column in zip(*(score.recall for score in scores), strict=True)]


def table(report: dict[str, Any]) -> str:
    """One text table: a row for each form of output, for all queries and then for each category."""
    head = "".join(f"{budget:>8,}" for budget in report["budgets"])
    lines = [f"{'recall of files within tokens':<34}{head}   ({report['queries']} queries)"]
    for group in next(iter(report["forms"].values())):
        lines.append(group)
        for form, own in report["forms"].items():
            lines.append(f"  {form:<32}" + "".join(f"{value:>8.3f}" for value in own[group]))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
