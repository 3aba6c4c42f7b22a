r"""Checks whether names that are defined once, paths, and quoted lines that occur once come first.

    python benchmarks/names.py DIR... --systems quaestor quaestor:lexical semble:MODEL ripgrep \
        --peers-python PEERS/bin/python

Universal Ctags and a scan of every line decide what is right; see README.md here. Needs ``ctags`` and, for the system
of that name, ``rg``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import _machine
import _systems
from _metrics import Location
from _names_truth import KINDS, Asked, make

TEN = 10
RESULTS = Path(__file__).with_name("results")
DEFAULT_SYSTEMS = ("quaestor", "quaestor:lexical", "quaestor:dense", "ripgrep")


@dataclass(frozen=True, slots=True)
class Score:
    """One query on one system: whether the place came first, and whether it was among ten."""

    system: str
    repository: str
    kind: str
    query: str
    place: str
    first: bool
    ten: bool
    shown: str


class Ripgrep:
    """What ``rg`` prints, by path: words as a whole, quoted lines as they stand, paths out of its list of files."""

    name = "ripgrep"

    def index(self, root: Path) -> _systems.Indexed:
        self._root = root
        return _systems.Indexed(0.0, None)

    def search(self, query: str, k: int) -> _systems.Answer:
        started = time.perf_counter()
        quoted = query[0] == query[-1] and query[0] in "\"`'"
        if not quoted and ("/" in query or "." in query) and (hits := self._files(query)):
            return _systems.Answer(hits[:k], time.perf_counter() - started)
        options = ["-F"] if quoted else ["-F", "-w"]
        found = self._run(*options, "-n", "--no-heading", "--with-filename", "-e", query[1:-1] if quoted else query)
        parts = [line.split(":", 2) for line in found[:k]]
        return _systems.Answer([(path, int(line), int(line)) for path, line, _ in parts], time.perf_counter() - started)

    def close(self) -> None:
        return None

    def _files(self, query: str) -> list[Location]:
        return [(path, 1, 1) for path in self._run("--files") if query in path]

    def _run(self, *options: str) -> list[str]:
        done = subprocess.run(
            ["rg", "--hidden", "--sort", "path", *options], cwd=self._root, capture_output=True, text=True, check=False,
            errors="replace", stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return done.stdout.splitlines()


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    made = {folder: make(folder, options.seed) for folder in options.folders}
    settings = {"cache": str(options.cache.resolve()), "threads": 2}
    with _systems.keep_indexes_apart():
        systems = [
            Ripgrep() if name == "ripgrep" else _systems.make(name, options.peers_python, settings)
            for name in options.systems
        ]
        try:
            scores = [
                score for folder, asked in made.items() for system in systems for score in ask(system, folder, asked)
            ]
        finally:
            for system in systems:
                system.close()
    report = summary(scores, options)
    print(table(report))
    if options.details:
        options.details.write_text("".join(json.dumps(asdict(score)) + "\n" for score in scores), encoding="utf-8")
    path = options.out or RESULTS / "names.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Check whether names, paths and lines that occur once come first.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="a whole repository")
    parser.add_argument("--systems", nargs="+", default=DEFAULT_SYSTEMS, metavar="SYSTEM")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="JSON file (default: benchmarks/results/names.json)")
    parser.add_argument("--details", type=Path, help="also write every query's outcome, JSON lines")
    parser.add_argument("--peers-python", default=sys.executable, help="a Python with the peers installed")
    parser.add_argument("--cache", type=Path, default=Path(".benchmark-cache"), help="MiniLM's vectors")
    return parser.parse_args(arguments)


def ask(system: _systems.System, folder: Path, asked: Sequence[Asked]) -> list[Score]:
    """Index one repository and put every query to one system."""
    system.index(folder.resolve())
    scores = []
    for one in asked:
        hits = system.search(one.text, TEN).hits
        right = [_is(hit, one) for hit in hits]
        shown = f"{hits[0][0]}:{hits[0][1]}-{hits[0][2]}" if hits else ""
        place = f"{one.path}:{one.line}"
        found = (any(right[:1]), any(right), shown)
        scores.append(Score(system.name, folder.name, one.kind, one.text, place, *found))
    shares = [statistics.fmean(x.first for x in scores if x.kind == kind) for kind in {x.kind for x in scores}]
    print(f"{folder.name:<28} {system.name:<26} {min(shares, default=0):.3f} at least", file=sys.stderr, flush=True)
    return scores


def _is(hit: Location, asked: Asked) -> bool:
    path, start, end = hit
    return path == asked.path and (not asked.line or start <= asked.line <= end)


def summary(scores: Sequence[Score], options: argparse.Namespace) -> dict[str, Any]:
    """The document that is saved."""
    systems = list(dict.fromkeys(score.system for score in scores))
    folders = [folder.name for folder in options.folders]
    return {
        "benchmark": "names",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine.describe(),
        "seed": options.seed,
        "all": {system: _shares([x for x in scores if x.system == system]) for system in systems},
        "repositories": {
            folder: {
                system: _shares([x for x in scores if x.system == system and x.repository == folder])
                for system in systems
            }
            for folder in folders
        },
    }


def _shares(scores: Sequence[Score]) -> dict[str, dict[str, float]]:
    kinds = {kind: [score for score in scores if score.kind == kind] for kind in KINDS}
    return {
        kind: {
            "queries": len(own),
            "first": round(statistics.fmean(x.first for x in own), 4),
            "ten": round(statistics.fmean(x.ten for x in own), 4),
        }
        for kind, own in kinds.items()
        if own
    }


def table(report: dict[str, Any]) -> str:
    """One text table: names by repository and in all, then all kinds, for each system first / in ten."""
    systems = list(report["all"])
    widths = [max(13, len(system)) for system in systems]
    lines = []
    for kind in KINDS:
        lines.append(_row(f"{kind}: first / in ten", "queries", systems, widths))
        rows = {"all": report["all"], **report["repositories"]}
        for label, cells in rows.items():
            own = [cells[system].get(kind) for system in systems]
            if own[0] is not None:
                shown = [f"{cell['first']:.3f} / {cell['ten']:.3f}" for cell in own]
                lines.append(_row(f"  {label}", str(own[0]["queries"]), shown, widths))
    return "\n".join(lines)


def _row(label: str, second: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    shown = " ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
    return f"{label:<30} {second:>7} {shown}"


if __name__ == "__main__":
    main()
