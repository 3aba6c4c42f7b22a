"""Measures how fast we are beside semble: indexing, searching, starting, refreshing, and memory.

    python benchmarks/speed.py DIR... --refresh DIR --peers-python PEERS/bin/python --peer-model MODEL

Both systems take turns within every round, so that other work on the machine affects both; every figure is the median
of the rounds. See README.md here for what exactly is timed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import _machine
from _chunks import LARGEST_FILE, SKIPPED_FOLDERS, SUFFIXES
from _query_kinds_made import make
from _speed_system import Server, System, quaestor, semble

RESULTS = Path(__file__).with_name("results")
QUERY = "where is a failed request sent again"
WARM_UP = 20
CHECKED = 60

Figures = dict[str, float]


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    systems = [quaestor()]
    if options.peer_model:
        systems.append(semble(options.peers_python, options.peer_model))
    report: dict[str, Any] = {
        "benchmark": "speed",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine.describe(),
        "rounds": options.rounds,
        "load_before": os.getloadavg(),
        "folders": {},
    }
    with TemporaryDirectory(prefix="speed-") as place:
        for folder in options.folders:
            report["folders"][folder.name] = measure(folder, systems, options.rounds, Path(place))
        if options.refresh:
            report["refresh"] = {options.refresh.name: refreshes(options.refresh, systems, options.rounds, Path(place))}
    report["load_after"] = os.getloadavg()
    print(table(report))
    path = options.out or RESULTS / "speed.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure speed beside semble.")
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR", help="index and search the code in it")
    parser.add_argument("--refresh", type=Path, metavar="DIR", help="a large repository: refresh after one change")
    parser.add_argument("--peers-python", default=sys.executable, help="a Python with semble installed")
    parser.add_argument("--peer-model", type=Path, help="a model2vec folder for semble; without it, ours alone")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="JSON file (default: benchmarks/results/speed.json)")
    return parser.parse_args(arguments)


def measure(folder: Path, systems: Sequence[System], rounds: int, place: Path) -> dict[str, Any]:
    """Index and search one folder's code in turns; the medians of the rounds."""
    root = place / folder.name
    size = copy_code(folder, root)
    queries = [one.text for one in make(root, 40)]
    found: dict[str, list[Figures]] = {system.label: [] for system in systems}
    for number in range(rounds):
        for system in systems:
            with TemporaryDirectory(prefix="home-") as home:
                found[system.label].append(one_round(system, root, Path(home), queries, size))
        say(f"{folder.name}: round {number + 1} of {rounds}")
    shutil.rmtree(root)
    return {"bytes": size, "queries": len(queries), "systems": {label: medians(own) for label, own in found.items()}}


def one_round(system: System, root: Path, home: Path, queries: Sequence[str], size: int) -> Figures:
    """Index from nothing in one process, search in another, then run the command."""
    with Server(system, home) as server:
        indexed = server.ask(do="index", root=str(root))
    indexing_peak = server.peak
    with Server(system, home) as server:
        server.ask(do="open", root=str(root))
        server.ask(do="search", queries=queries[:WARM_UP], check=False)
        plain = sorted(server.ask(do="search", queries=queries, check=False)["seconds"])
        checked = sorted(server.ask(do="search", queries=queries[-CHECKED:], check=True)["seconds"])
    return {
        "files": indexed["files"],
        "chunks": indexed["chunks"],
        "index_seconds": indexed["seconds"],
        "index_mb_per_second": size / 1e6 / indexed["seconds"],
        "index_peak_mb": indexing_peak / 1e6,
        "query_p50_ms": 1000 * quantile(plain, 0.5),
        "query_p95_ms": 1000 * quantile(plain, 0.95),
        "checked_p50_ms": 1000 * quantile(checked, 0.5),
        "checked_p95_ms": 1000 * quantile(checked, 0.95),
        "search_peak_mb": server.peak / 1e6,
        "command_seconds": system.search(QUERY, root, home),
    }


def refreshes(folder: Path, systems: Sequence[System], rounds: int, place: Path) -> dict[str, Any]:
    """Change one file in a large repository again and again, and see what the next search costs."""
    root = place / f"{folder.name}-whole"
    shutil.copytree(folder, root, symlinks=True)
    file = median_file(root)
    found: dict[str, list[Figures]] = {system.label: [] for system in systems}
    with TemporaryDirectory(prefix="homes-") as homes:
        for system in systems:
            system.search(QUERY, root, Path(homes, system.server.partition(":")[0]))
        for number in range(rounds):
            for system in systems:
                home = Path(homes, system.server.partition(":")[0])
                found[system.label].append(one_refresh(system, root, home, file))
            say(f"refresh: round {number + 1} of {rounds}")
    held = sum(1 for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    size = file.stat().st_size
    shutil.rmtree(root)
    return {
        "files_in_folder": held,
        "changed_file_bytes": size,
        "systems": {label: medians(own) for label, own in found.items()},
    }


def one_refresh(system: System, root: Path, home: Path, file: Path) -> Figures:
    """Time the command without and after a change, then a refresh inside a process, new and warm."""
    system.search(QUERY, root, home)  # takes in what the other system's turn changed
    unchanged = system.search(QUERY, root, home)
    touch(file)
    changed = system.search(QUERY, root, home)
    with Server(system, home) as server:
        opened = server.ask(do="open", root=str(root))["seconds"]
        idle = server.ask(do="refresh")["seconds"]
        touch(file)
        warm = server.ask(do="refresh")["seconds"]
        still = server.ask(do="refresh")["seconds"]
    return {
        "command_unchanged_seconds": unchanged,
        "command_changed_seconds": changed,
        "added_seconds": changed - unchanged,
        "open_seconds": opened,
        "first_check_seconds": idle,
        "refresh_seconds": warm,
        "check_seconds": still,
    }


def copy_code(folder: Path, target: Path) -> int:
    """Copy the source files that every system takes, and nothing else; return their bytes."""
    total = 0
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        wanted = path.suffix.lower() in SUFFIXES and not SKIPPED_FOLDERS.intersection(inside.parts)
        if wanted and path.is_file() and not path.is_symlink() and 0 < path.stat().st_size <= LARGEST_FILE:
            (target / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target / inside)
            total += path.stat().st_size
    return total


def median_file(root: Path) -> Path:
    """Return the source file of middling size, tests apart."""
    files = [
        path
        for path in sorted(root.rglob("*"))
        if path.suffix in SUFFIXES and "test" not in str(path.relative_to(root)) and path.is_file()
    ]
    return sorted(files, key=lambda path: path.stat().st_size)[len(files) // 2]


def touch(file: Path) -> None:
    """Change one file: one more empty line."""
    with file.open("ab") as opened:
        opened.write(b"\n")


def quantile(ascending: Sequence[float], share: float) -> float:
    return ascending[min(len(ascending) - 1, round(share * (len(ascending) - 1)))]


def medians(rounds: Sequence[Figures]) -> Figures:
    """Return the median of each figure."""
    return {name: round(statistics.median(one[name] for one in rounds), 5) for name in rounds[0]}


ROWS = (
    ("files / chunks", "{files:.0f} / {chunks:.0f}"),
    ("index, s", "{index_seconds:.2f}"),
    ("index, MB/s", "{index_mb_per_second:.2f}"),
    ("peak memory, indexing, MB", "{index_peak_mb:.0f}"),
    ("peak memory, searching, MB", "{search_peak_mb:.0f}"),
    ("query p50 / p95, ms", "{query_p50_ms:.2f} / {query_p95_ms:.2f}"),
    ("the same, with a check, ms", "{checked_p50_ms:.2f} / {checked_p95_ms:.2f}"),
    ("search command, s", "{command_seconds:.3f}"),
)
REFRESH_ROWS = (
    ("search command, unchanged, s", "{command_unchanged_seconds:.3f}"),
    ("search command, one change, s", "{command_changed_seconds:.3f}"),
    ("  the difference, s", "{added_seconds:.3f}"),
    ("open in a new process, s", "{open_seconds:.3f}"),
    ("  first check, no change, s", "{first_check_seconds:.3f}"),
    ("  refresh of one change, s", "{refresh_seconds:.3f}"),
    ("  check, no change, s", "{check_seconds:.3f}"),
)


def table(report: Mapping[str, Any]) -> str:
    """Return everything as one text table."""
    lines: list[str] = []
    for name, part in report["folders"].items():
        title = f"{name}: {part['bytes'] / 1e6:.1f} MB of code, {part['queries']} queries"
        lines += rows(title, ROWS, part["systems"])
    for name, part in report.get("refresh", {}).items():
        lines += rows(f"{name}: {part['files_in_folder']:,} files, one changed", REFRESH_ROWS, part["systems"])
    machine = report["machine"]
    lines.append(
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, "
        f"commit {machine['commit'][:10]}, load {report['load_before'][0]:.1f} to {report['load_after'][0]:.1f}, "
        f"median of {report['rounds']}"
    )
    return "\n".join(lines)


def rows(title: str, shown: Sequence[tuple[str, str]], systems: Mapping[str, Figures]) -> list[str]:
    """Return one folder's part of the table."""
    width = max(24, *(len(label) for label in systems))
    lines = [f"{title:<48}" + "".join(f"{label:>{width + 2}}" for label in systems)]
    for label, form in shown:
        lines.append(f"  {label:<46}" + "".join(f"{form.format(**own):>{width + 2}}" for own in systems.values()))
    return lines


def say(line: str) -> None:
    """Progress, kept off stdout."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
