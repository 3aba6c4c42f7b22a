"""Checks whether a question finds the same where the folder changes in ways that do not matter to it.

    python benchmarks/invariances.py QUESTIONS DIR...

``QUESTIONS`` holds files of questions named after the folders (``OWNER__NAME.json``). See README.md here.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import _machine
from _invariances_changes import CHANGES, Given
from _metrics import Location, Target, covers
from _systems import Quaestor, keep_indexes_apart

TEN = 10
RESULTS = Path(__file__).with_name("results")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its evidence."""

    text: str
    evidence: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question after a change: whether the first place is as before, and where its evidence stands."""

    repository: str
    change: str
    question: str
    same: bool
    first: bool
    ten: bool
    before: str
    now: str


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    outcomes = []
    for number, folder in enumerate(options.folders):
        asked = read(options.questions / f"{folder.name}.json", options.count)
        others = [*options.folders[number + 1 :], *options.folders[:number]]
        outcomes += compare(Given(folder, [one.text for one in asked], others), asked, options.changes)
        print(f"{folder.name} is done", file=sys.stderr, flush=True)
    report = summary(outcomes, options)
    print(table(report))
    if options.details:
        options.details.write_text("".join(json.dumps(asdict(one)) + "\n" for one in outcomes), encoding="utf-8")
    path = options.out or RESULTS / "invariances.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Check whether questions find the same in changed folders.")
    parser.add_argument("questions", type=Path, metavar="QUESTIONS", help="a folder of questions")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="a whole repository; two or more")
    parser.add_argument("--count", type=int, default=20, help="questions of each repository")
    parser.add_argument("--changes", nargs="+", default=list(CHANGES)[1:], choices=list(CHANGES)[1:])
    parser.add_argument("--out", type=Path, help="JSON file (default: benchmarks/results/invariances.json)")
    parser.add_argument("--details", type=Path, help="also write every question's outcome, JSON lines")
    return parser.parse_args(arguments)


def read(path: Path, count: int) -> list[Asked]:
    """Return the first questions of a file that have evidence."""
    read = json.loads(path.read_text(encoding="utf-8"))["questions"]
    asked = [
        Asked(one["question"], tuple(Target(x["path"], x["start_line"], x["end_line"]) for x in one["evidence"]))
        for one in read
    ]
    return [one for one in asked if one.evidence][:count]


def compare(given: Given, asked: Sequence[Asked], changes: Sequence[str]) -> list[Outcome]:
    """Ask the questions of the folder as it is, and of each changed copy."""
    before = found(given, "as it is")
    outcomes = []
    for change in ("as it is", *changes):
        after = before if change == "as it is" else found(given, change)
        for one, old, new in zip(asked, before, after, strict=True):
            right = [any(hit[0] == target.path and covers(hit, target) for target in one.evidence) for hit in new]
            shares = (_same(old, new), any(right[:1]), any(right))
            outcomes.append(Outcome(given.folder.name, change, one.text, *shares, _shown(old), _shown(new)))
    return outcomes


def found(given: Given, change: str) -> list[list[Location]]:
    """Return the hits of each question in a changed copy, by the paths of the original."""
    with TemporaryDirectory(prefix="quaestor-invariances-") as place, keep_indexes_apart():
        laid = CHANGES[change](given, Path(place))
        system = Quaestor()
        system.index(laid.root)
        hits = [system.search(question, TEN).hits for question in given.questions]
        system.close()
    return [[(path.removeprefix(laid.prefix), start, end) for path, start, end in own] for own in hits]


def _same(old: Sequence[Location], new: Sequence[Location]) -> bool:
    """Whether both begin with the same place: lines of one file that overlap."""
    if not old or not new:
        return not old and not new
    return old[0][0] == new[0][0] and covers(new[0], Target(*old[0]))


def _shown(hits: Sequence[Location]) -> str:
    return f"{hits[0][0]}:{hits[0][1]}-{hits[0][2]}" if hits else ""


def summary(outcomes: Sequence[Outcome], options: argparse.Namespace) -> dict[str, Any]:
    """The document that is saved."""
    changes = dict.fromkeys(one.change for one in outcomes)
    return {
        "benchmark": "invariances",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine.describe(),
        "repositories": [folder.name for folder in options.folders],
        "changes": {change: _means([one for one in outcomes if one.change == change]) for change in changes},
    }


def _means(outcomes: Sequence[Outcome]) -> dict[str, float]:
    return {
        "questions": len(outcomes),
        "same": round(fmean(one.same for one in outcomes), 4),
        "first": round(fmean(one.first for one in outcomes), 4),
        "ten": round(fmean(one.ten for one in outcomes), 4),
    }


def table(report: dict[str, Any]) -> str:
    """One text table: a row for each change."""
    lines = [f"{'':<28} {'questions':>9} {'same first':>11} {'evidence first':>15} {'in ten':>8}"]
    for change, cell in report["changes"].items():
        lines.append(
            f"{change:<28} {cell['questions']:>9} {cell['same']:>11.3f} {cell['first']:>15.3f} {cell['ten']:>8.3f}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
