"""Measures search in public collections of prose: NDCG@10 and recall@10 beside BM25 and all-MiniLM-L6-v2.

    python benchmarks/public_prose.py --squad FILE... --cranfield DIR

Nothing of Quaestor was trained or tuned on them. See README.md here for the measures.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import _machine
import _systems
import prose
from _public_prose_sets import CRANFIELD, write_cranfield, write_squad

from quaestor.embedding.static import StaticEmbedder
from quaestor.evaluation.datasets import DataSet, read_data_set
from quaestor.evaluation.metric_scores import MAIN, measures, metric_name
from quaestor.evaluation.statistics import difference, estimate

CHUNKS = 50
"""Asked for in each search; a document counts once, at its first chunk, and ten documents are scored."""
OURS = "quaestor"
DEFAULT_SYSTEMS = ("bm25", "minilm", "quaestor:fusion", OURS)
MEASURES = {name: measure for name, measure in measures("documents", [10]).items() if name != "mrr@10"}
HERE = Path(__file__).parent

Values = Mapping[str, Sequence[float]]
"""Of each measure, one for each question in the set's order."""


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    settings = {"cache": str(options.cache.resolve()), "threads": options.threads}
    with _systems.keep_indexes_apart(), TemporaryDirectory(prefix="public-prose-") as place:
        sets = list(read_sets(options, Path(place)))
        systems = [prose.make(name, options.peers_python, settings) for name in options.systems]
        try:
            found = {one.name: {system.name: ask(system, one) for system in systems} for one in sets}
        finally:
            for system in systems:
                system.close()
    report = summary(sets, found, files_of(options))
    print(table(report))
    path = options.out or HERE / "results" / "public_prose.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure search in public collections of prose.")
    parser.add_argument("--squad", type=Path, nargs="+", default=[], metavar="FILE", help="JSON files of SQuAD")
    parser.add_argument("--sample", type=int, default=1000, help="how many of SQuAD's questions are asked")
    parser.add_argument("--cranfield", type=Path, metavar="DIR", help=f"has {', '.join(CRANFIELD)}")
    parser.add_argument("--systems", nargs="+", default=DEFAULT_SYSTEMS, metavar="SYSTEM")
    parser.add_argument("--out", type=Path, help="JSON file (default: benchmarks/results/public_prose.json)")
    parser.add_argument("--peers-python", default=sys.executable, help="a Python with the peers installed")
    parser.add_argument("--cache", type=Path, default=Path(".benchmark-cache"), help="MiniLM's vectors")
    parser.add_argument("--threads", type=int, default=1, help="threads for MiniLM")
    options = parser.parse_args(arguments)
    if not options.squad and not options.cranfield:
        parser.error("give --squad, --cranfield or both")
    return options


def read_sets(options: argparse.Namespace, place: Path) -> Iterator[DataSet]:
    """Lay out each collection that was given below ``place``."""
    if options.squad:
        write_squad(options.squad, place / "squad", options.sample)
        yield read_data_set(place / "squad", place, copies=place / "copies")
    if options.cranfield:
        write_cranfield(options.cranfield, place / "cranfield")
        yield read_data_set(place / "cranfield", place, copies=place / "copies")


def files_of(options: argparse.Namespace) -> dict[str, str]:
    """The SHA-256 of every file that was read, by name: which version of a collection it was."""
    read = [*options.squad, *(options.cranfield / name for name in CRANFIELD if options.cranfield)]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in read}


def ask(system: _systems.System, data: DataSet) -> Values:
    """Put every question of a set to one system."""
    part = data.parts[0]
    system.index(part.root)
    hits = [system.search(question.text, CHUNKS).hits for question in part.questions]
    values = {
        name: [measure(found, question.targets) for found, question in zip(hits, part.questions, strict=True)]
        for name, measure in MEASURES.items()
    }
    print(f"{data.name:<12} {system.name:<18} {estimate(values[MAIN]).mean:.3f}", file=sys.stderr, flush=True)
    return values


def summary(
    sets: Sequence[DataSet], found: Mapping[str, Mapping[str, Values]], files: Mapping[str, str]
) -> dict[str, Any]:
    """The document that is saved."""
    return {
        "benchmark": "public_prose",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine.describe(),
        "embedder": StaticEmbedder.bundled().name,
        "files": files,
        "sets": {
            one.name: {
                "documents": len(one.parts[0].names),
                "questions": len(one.questions),
                "left_out": one.problems,
                "systems": {name: means(values) for name, values in found[one.name].items()},
                "ours_less_theirs": differences(found[one.name]),
            }
            for one in sets
        },
    }


def means(values: Values) -> dict[str, Any]:
    return {name: rounded(asdict(estimate(own))) for name, own in values.items()}


def differences(found: Mapping[str, Values]) -> dict[str, Any]:
    """How much our NDCG@10 is above each other system's, question by question."""
    if OURS not in found:
        return {}
    gaps = {name: difference(values[MAIN], found[OURS][MAIN]) for name, values in found.items() if name != OURS}
    return {name: rounded({**asdict(gap.estimate), "p": gap.p}) for name, gap in gaps.items()}


def rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}


def table(report: Mapping[str, Any]) -> str:
    """A row for each system on each set, means with their 95% intervals."""
    lines = []
    for name, own in report["sets"].items():
        heads = "".join(f"{metric_name(measure):>24}" for measure in MEASURES)
        title = f"{name}: {own['questions']:,} questions, {own['documents']:,} documents"
        lines.append(f"{title:<44}{heads}{'quaestor less it, NDCG@10':>36}")
        for system, values in own["systems"].items():
            cells = "".join(f"{_interval(values[measure]):>24}" for measure in MEASURES)
            gap = own["ours_less_theirs"].get(system)
            lines.append(f"  {system:<42}{cells}{_gap(gap) if gap else '':>36}".rstrip())
    return "\n".join(lines)


def _interval(one: Mapping[str, float], sign: str = "") -> str:
    return f"{one['mean']:{sign}.3f} [{one['low']:{sign}.3f}, {one['high']:{sign}.3f}]"


def _gap(one: Mapping[str, float]) -> str:
    return f"{_interval(one, '+')} p {one['p']:.4f}"


if __name__ == "__main__":
    main()
