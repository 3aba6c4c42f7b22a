"""Measures `quaestor related` on Python repositories: definitions and callers, beside a search for the word.

    python benchmarks/related.py DIR... [--names 150] [--out FILE]

Python's own parser and scope rules decide what is right (`_python_truth.py`), for names that are defined exactly once
in a repository and called at least once. A call is right if its file and line are. `grep -w` finds every line that
holds the word, except the line of the definition, as an agent would without us.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import _machine
from _python_truth import Place, Symbol, parsed, symbols

SEED = 7
EVERYTHING = 100_000
RESULT = Path(__file__).parent / "results" / "related.json"


@dataclass(frozen=True, slots=True)
class Score:
    """One symbol in one repository.

    Attributes:
        truth: number of true calls.
        calls: places that we call a call; right_calls: those that are.
        uses: places of any role that we list; right_uses: those that are calls.
        grep: lines that hold the word; right_grep: those that are calls.
        first: places among the ten listed by default; right_first: those that are calls.
        defined: whether the one definition that we list is the true one.
        cpu_ms: processor time of one default request, milliseconds.
    """

    repository: str
    name: str
    member: bool
    truth: int
    calls: int
    right_calls: int
    uses: int
    right_uses: int
    grep: int
    right_grep: int
    first: int
    right_first: int
    defined: bool
    cpu_ms: float


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure `quaestor related` against Python's own parser.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--names", type=int, default=150, help="symbols of each repository")
    parser.add_argument("--out", type=Path, default=RESULT)
    options = parser.parse_args(arguments)
    scores: list[Score] = []
    with TemporaryDirectory() as home:
        os.environ["QUAESTOR_HOME"] = home
        for folder in options.folders:
            print(folder.name, file=sys.stderr)
            scores += measured(folder.resolve(), options.names)
    print(table(scores))
    commits = {folder.name: _machine.commit(folder) for folder in options.folders}
    about = {"machine": _machine.describe(), "repositories": commits, "seed": SEED, "table": table(scores).split("\n")}
    lines = ",\n".join(json.dumps(asdict(one)) for one in scores)
    options.out.write_text(f'{json.dumps(about, indent=1)[:-2]},\n "scores": [\n{lines}\n]\n}}\n', encoding="utf-8")


def measured(folder: Path, names: int) -> list[Score]:
    from quaestor import Index  # noqa: PLC0415 - reads QUAESTOR_HOME

    with Index.build(folder) as index:
        indexed = [path for path, document in index.store.documents().items() if document.language == "python"]
        paths = [path for path, _ in parsed(folder, indexed)]
        known = [symbol for symbol in symbols(folder, paths) if symbol.calls]
        chosen = sorted(random.Random(SEED).sample(known, min(names, len(known))), key=lambda symbol: symbol.name)
        return [score(index, folder, paths, symbol) for symbol in chosen]


def score(index: object, folder: Path, paths: Sequence[str], symbol: Symbol) -> Score:
    from quaestor import Index  # noqa: PLC0415

    assert isinstance(index, Index)
    python = set(paths)
    found = index.related(symbol.name, ("definitions", "callers", "tests"), EVERYTHING)
    listed = [one for one in (*found.of("callers"), *found.of("tests")) if one.path in python]
    uses = {(one.path, one.start_line) for one in listed if one.role not in ("mention", "named alike")}
    calls = {(one.path, one.start_line) for one in listed if one.role == "call"}
    definitions = {(one.path, one.start_line) for one in found.of("definitions") if one.path in python}
    started = time.process_time()
    short = index.related(symbol.name)
    cpu = (time.process_time() - started) * 1000
    first = {(one.path, one.start_line) for one in (*short.of("callers"), *short.of("tests")) if one.path in python}
    lines = grep(folder, symbol.name, paths) - {symbol.place}
    return Score(
        repository=folder.name,
        name=symbol.name,
        member=symbol.member,
        truth=len(symbol.calls),
        calls=len(calls),
        right_calls=len(calls & symbol.calls),
        uses=len(uses),
        right_uses=len(uses & symbol.calls),
        grep=len(lines),
        right_grep=len(lines & symbol.calls),
        first=len(first),
        right_first=len(first & symbol.calls),
        defined=definitions == {symbol.place},
        cpu_ms=round(cpu, 2),
    )


def grep(folder: Path, name: str, paths: Iterable[str]) -> set[Place]:
    """Return the lines of Python files that hold a word, by grep itself."""
    done = subprocess.run(
        ["grep", "-nwF", "-H", "-a", "--null", "--", name, *paths], cwd=folder, capture_output=True, check=False
    )
    places = (line.split(b"\0") for line in done.stdout.split(b"\n") if b"\0" in line)
    return {(path.decode(), int(rest.split(b":")[0])) for path, rest in places}


def table(scores: Sequence[Score]) -> str:
    """Return precision and recall, all calls of all symbols taken together, by repository."""
    head = ["repository", "symbols", "calls", "defined", "calls P", "calls R", "uses P", "uses R", "grep P", "grep R"]
    rows = [[*head, "first 10 P", "CPU p50", "p90"]]
    repositories = list(dict.fromkeys(one.repository for one in scores))
    for name in [*repositories, "all"]:
        part = [one for one in scores if name in (one.repository, "all")]
        truth = sum(one.truth for one in part)
        times = sorted(one.cpu_ms for one in part)
        row = [name, str(len(part)), str(truth), f"{statistics.mean(one.defined for one in part):.3f}"]
        for listed, right in (("calls", "right_calls"), ("uses", "right_uses"), ("grep", "right_grep")):
            hits = sum(getattr(one, right) for one in part)
            row += [_share(hits, sum(getattr(one, listed) for one in part)), _share(hits, truth)]
        row.append(_share(sum(one.right_first for one in part), sum(one.first for one in part)))
        row += [f"{statistics.median(times):.0f} ms", f"{times[int(len(times) * 0.9)]:.0f} ms"]
        rows.append(row)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


if __name__ == "__main__":
    main()
