"""Checks whether questions made from a repository rank configurations as questions by people do.

    python benchmarks/made_questions.py --annotations DIR --repos DIR [--only NAME...]

Every configuration (three chunkers, four ways of searching) is asked both: the annotated questions of the code-search
benchmark, and up to 100 of each kind that ``quaestor eval --self`` makes from the same folder. It prints mean NDCG@10
over repositories; how well each kind's order of the configurations agrees with the annotated one, as Spearman's rank
correlation of the means; and the annotated NDCG@10 if each repository's configuration is chosen by that kind.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import _machine
import numpy as np

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.evaluation.datasets import DataSet
from quaestor.evaluation.datasets.judged_questions import read_code_search
from quaestor.evaluation.grid import Configuration, grid
from quaestor.evaluation.made_questions import KINDS
from quaestor.evaluation.metric_scores import MAIN, measures, score
from quaestor.evaluation.own_questions import own_data_set
from quaestor.evaluation.run import Place, Run

GRID = grid(["static"], ["auto", "auto:500", "lines:40"], ["hybrid", "lexical", "dense"], [True, False])
ANNOTATED, ALL_MADE = "annotated", "all made"
RESULTS = Path(__file__).with_name("results")

Values = Mapping[Configuration, float]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Check whether made questions rank configurations as people's do.")
    parser.add_argument("--annotations", type=Path, required=True, help="has repos.json and annotations/")
    parser.add_argument("--repos", type=Path, required=True, help="has a checkout for each repository")
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="these repositories only")
    parser.add_argument("--out", type=Path, help="JSON file (default: benchmarks/results/, named by commit)")
    options = parser.parse_args(arguments)
    found: dict[str, dict[str, Values]] = {}
    with tempfile.TemporaryDirectory(prefix="quaestor-benchmark-") as home:
        for part in read_code_search(options.annotations, options.repos, options.only).parts:
            found[part.name] = dict(judged(DataSet(part.name, "code-search", "chunks", (part,)), part.root, home))
            print(f"{part.name}: {', '.join(found[part.name])}", file=sys.stderr, flush=True)
    print(table(found))
    save(found, options.out)


def judged(annotated: DataSet, root: Path, home: str) -> Iterator[tuple[str, Values]]:
    """Yield what each kind of questions says of every configuration."""
    place = Place(Path(home) / "evaluations")
    settings = Settings(home=home)
    with Index.build(root, settings=settings) as index:
        made = own_data_set(index, place.copies, kinds=KINDS)
    for name, data_set in ((ANNOTATED, annotated), (ALL_MADE, made)):
        ignore = ("!*",) if data_set.parts[0].copied else ()
        run = Run(place, lambda part, ignore=ignore: Settings(home=home, ignore=ignore))  # type: ignore[misc]
        scored = score(run.of(data_set, GRID).cells, measures("chunks", [10]))
        yield name, {one.configuration: float(np.mean(one.values[MAIN])) for one in scored}
        for kind in KINDS:
            parts = {one.configuration: one.within(kind)[MAIN] for one in scored}
            if all(parts.values()):
                yield kind, {configuration: float(np.mean(values)) for configuration, values in parts.items()}


def table(found: Mapping[str, Mapping[str, Values]]) -> str:
    """A row for each configuration, a column for each kind of questions; what they agree on below."""
    kinds = [kind for kind in (ANNOTATED, ALL_MADE, *KINDS) if any(kind in own for own in found.values())]
    of_kind = {kind: [name for name, own in found.items() if kind in own] for kind in kinds}
    means = {
        kind: [float(np.mean([found[name][kind][one] for name in names])) for one in GRID]
        for kind, names in of_kind.items()
    }
    agreement = {kind: spearman(means[kind], means[ANNOTATED]) for kind in kinds}
    chosen = {kind: float(np.mean([chosen_by(found[name], kind) for name in of_kind[kind]])) for kind in kinds}
    lines = [f"{'mean NDCG@10':<28}" + "".join(f"{kind:>11}" for kind in kinds)]
    lines += [f"{'repositories':<28}" + "".join(f"{len(of_kind[kind]):>11}" for kind in kinds)]
    for number, one in enumerate(GRID):
        lines.append(f"{one!s:<28}" + "".join(f"{means[kind][number]:>11.3f}" for kind in kinds))
    lines.append(f"{'rank correlation':<28}" + "".join(f"{agreement[kind]:>11.2f}" for kind in kinds))
    lines.append(f"{'annotated, if chosen by it':<28}" + "".join(f"{chosen[kind]:>11.3f}" for kind in kinds))
    return "\n".join(lines)


def chosen_by(own: Mapping[str, Values], kind: str) -> float:
    """What the configuration that a kind of questions likes best is worth by the annotations."""
    return own[ANNOTATED][max(own[kind], key=own[kind].__getitem__)]


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's rank correlation; ties as they come."""
    ranks = [np.argsort(np.argsort(values)) for values in (one, other)]
    return float(np.corrcoef(*ranks)[0, 1])


def save(found: Mapping[str, Mapping[str, Values]], out: Path | None) -> None:
    """Write the JSON document."""
    machine = _machine.describe()
    path = out or RESULTS / f"made_questions-{machine['commit'][:12]}.json"
    values: dict[str, Any] = {
        name: {kind: {str(one): round(value, 4) for one, value in own.items()} for kind, own in kinds.items()}
        for name, kinds in found.items()
    }
    report = {
        "benchmark": "made_questions",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine,
        "values": values,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(f"saved {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
