"""Measures how everything grows with the corpus, from ten thousand chunks of real code to a million.

    python benchmarks/scale.py DIR... --sizes 10000 100000 1000000 --minutes 20

The source files of all folders form one pool, shuffled by a fixed seed. Each size is a folder of its own with as much
of the pool as is needed, indexed from nothing. See README.md here.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import _machine
from _chunks import LARGEST_FILE, SKIPPED_FOLDERS, SUFFIXES
from _query_kinds_made import make
from _scale_plot import draw
from _speed_system import Server, ServerEndedError, quaestor

HERE = Path(__file__).parent
SERVER = HERE / "_scale_server.py"
BYTES_A_CHUNK = 686.0
WARM_UP = 20
CHECKED = 4  # of so many queries, one
PRUDENCE = 0.7

File = tuple[Path, str, int]
"""A file, its path in the pool, and its bytes."""


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    end = time.monotonic() + 60 * options.minutes
    pool = gather(options.folders)
    say(f"{len(pool):,} files, {sum(size for *_, size in pool) / 1e6:.0f} MB")
    report: dict[str, Any] = {
        "benchmark": "scale",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine.describe(),
        "load_before": os.getloadavg(),
        "pool": {"files": len(pool), "bytes": sum(size for *_, size in pool)},
        "repositories": sorted(folder.name for folder in options.folders),
        "sizes": [],
        "stopped": "",
    }
    queries = [one.text for folder in options.query_folders or options.folders[:4] for one in make(folder, 12)]
    with TemporaryDirectory(prefix="scale-", dir=options.place) as place:
        grow(pool, queries, options.sizes, end, Path(place), report)
    report["load_after"] = os.getloadavg()
    print(table(report))
    out = options.out or HERE / "results" / "scale.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if options.plot and len(report["sizes"]) > 1:
        options.plot.write_text(draw(report["sizes"]), encoding="utf-8")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure how everything grows with the corpus.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="a repository")
    parser.add_argument("--sizes", nargs="+", type=int, default=[10_000, 100_000, 1_000_000], help="chunks, about")
    parser.add_argument("--minutes", type=float, default=20, help="stop after this time")
    parser.add_argument("--query-folders", nargs="*", type=Path, help="make queries from these (default: the first 4)")
    parser.add_argument("--place", type=Path, help="a folder with room for the files and their index: 3 GB a million")
    parser.add_argument("--plot", type=Path, help="also draw it, as SVG")
    parser.add_argument("--out", type=Path, help="JSON file (default: benchmarks/results/scale.json)")
    return parser.parse_args(arguments)


def gather(folders: Sequence[Path]) -> list[File]:
    """Return every source file of the folders, mixed by a fixed seed."""
    pool: list[File] = []
    for folder in folders:
        for place, subfolders, names in os.walk(folder):
            subfolders[:] = [name for name in subfolders if name not in SKIPPED_FOLDERS]
            for name in names:
                path = Path(place, name)
                if path.suffix.lower() in SUFFIXES and path.is_file() and not path.is_symlink():
                    size = path.stat().st_size
                    if 0 < size <= LARGEST_FILE:
                        pool.append((path, f"{folder.name}/{path.relative_to(folder).as_posix()}", size))
    pool.sort(key=lambda file: file[1])
    random.Random(0).shuffle(pool)
    return pool


def grow(
    pool: Sequence[File], queries: Sequence[str], sizes: Sequence[int], end: float, place: Path, report: dict[str, Any]
) -> None:
    """Measure one size after the other, until the time is up; the report has the sizes that were measured.

    Where the time is too short for a size by what the one before took, a smaller one takes its place.
    """
    a_chunk, a_second = BYTES_A_CHUNK, float("inf")
    for wanted in sizes:
        started = time.monotonic()
        size = min(wanted, int(PRUDENCE * a_second * max(end - started, 0)) if report["sizes"] else wanted)
        if size < wanted:
            report["stopped"] = f"no time for {wanted:,} chunks; {size:,} in their place"
            say(report["stopped"])
        if report["sizes"] and size < 1.5 * report["sizes"][-1]["chunks"]:
            return
        root = place / f"corpus-{size}"
        files = take(pool, int(size * a_chunk), root)
        try:
            measured = measure(root, files, queries, end)
        except ServerEndedError as error:
            report["stopped"] = f"stopped at {size:,} chunks: {error if time.monotonic() < end else 'the time was up'}"
            say(report["stopped"])
            return
        finally:
            shutil.rmtree(root)
        report["sizes"].append(measured)
        a_chunk = measured["bytes"] / measured["chunks"]
        a_second = measured["chunks"] / (time.monotonic() - started)
        say(f"{measured['chunks']:,} chunks: indexed in {measured['index_seconds']:.0f} s")


def take(pool: Sequence[File], wanted: int, root: Path) -> list[Path]:
    """Copy the first files of the pool up to so many bytes; returns where they lie.

    Links would take no room, but a file with several names can be changed where no notice reaches: every check for
    changes would be a walk, as it is in nobody's folder.
    """
    files, total = [], 0
    for path, name, size in pool:
        if total >= wanted:
            break
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
        files.append(target)
        total += size
    return files


def measure(root: Path, files: Sequence[Path], queries: Sequence[str], end: float) -> dict[str, Any]:
    """Index one size in one process, open and search it in another."""
    system = quaestor()
    warm, fresh = queries[:WARM_UP], queries[WARM_UP:]
    with TemporaryDirectory(prefix="home-", dir=root.parent) as home:
        with Server(system, Path(home), SERVER, end - time.monotonic()) as server:
            indexed = server.ask(do="index", root=str(root))
        indexing_peak = server.peak
        with Server(system, Path(home), SERVER, end - time.monotonic()) as server:
            opened = server.ask(do="open", root=str(root))["seconds"]
            first = server.ask(do="search", queries=warm[:1])["seconds"]
            server.ask(do="look_up", queries=warm)
            # No query twice: what chunks say is kept for the next.
            checked = sorted(server.ask(do="search", queries=fresh[::CHECKED])["times"])
            others = [query for place, query in enumerate(fresh) if place % CHECKED]
            plain = sorted(server.ask(do="look_up", queries=others)["times"])
            dense = server.ask(do="dense", queries=queries)
            with median_file(files).open("ab") as changed:
                changed.write(b"\n")
            refreshed = server.ask(do="refresh")
            checks = server.ask(do="refresh")
        return {
            "chunks": indexed["chunks"],
            "documents": indexed["documents"],
            "bytes": indexed["bytes"],
            "index_seconds": indexed["seconds"],
            "mb_per_second": indexed["bytes"] / 1e6 / indexed["seconds"],
            "index_peak_mb": indexing_peak / 1e6,
            "search_peak_mb": server.peak / 1e6,
            "disk_mb": indexed["disk"] / 1e6,
            "open_seconds": opened,
            "first_query_seconds": first,
            "query_p50_ms": 1000 * quantile(plain, 0.5),
            "query_p95_ms": 1000 * quantile(plain, 0.95),
            "checked_p50_ms": 1000 * quantile(checked, 0.5),
            "checked_p95_ms": 1000 * quantile(checked, 0.95),
            "dense_p50_ms": 1000 * quantile(sorted(dense["times"]), 0.5),
            "exact_p50_ms": 1000 * quantile(sorted(dense["exact_times"]), 0.5),
            "recall": dense["recall"],
            "refresh_seconds": refreshed["seconds"],
            "refreshed_files": refreshed["changed"],
            "check_seconds": checks["seconds"],
        }


def median_file(files: Sequence[Path]) -> Path:
    """Return the file of middling size among some."""
    return sorted(files[:1000], key=lambda path: path.stat().st_size)[min(len(files), 1000) // 2]


def quantile(ascending: Sequence[float], share: float) -> float:
    return ascending[min(len(ascending) - 1, round(share * (len(ascending) - 1)))]


ROWS = (
    ("chunks", "{chunks:,}"),
    ("files", "{documents:,}"),
    ("code, MB", "{code:.0f}"),
    ("index from nothing, s", "{index_seconds:.0f}"),
    ("  MB/s", "{mb_per_second:.1f}"),
    ("index on disk, MB", "{disk_mb:.0f}"),
    ("peak memory, indexing, MB", "{index_peak_mb:.0f}"),
    ("peak memory, searching, MB", "{search_peak_mb:.0f}"),
    ("open, s", "{open_seconds:.2f}"),
    ("first query in a process, s", "{first_query_seconds:.2f}"),
    ("query p50 / p95, ms, with the check", "{checked_p50_ms:.1f} / {checked_p95_ms:.1f}"),
    ("query p50 / p95, ms, without it", "{query_p50_ms:.1f} / {query_p95_ms:.1f}"),
    ("dense alone, p50, ms", "{dense_p50_ms:.1f}"),
    ("  the same, exact, ms", "{exact_p50_ms:.1f}"),
    ("recall@10 of it against the exact", "{recall:.3f}"),
    ("check alone, s", "{check_seconds:.3f}"),
    ("refresh of one changed file, s", "{refresh_seconds:.3f}"),
)


def table(report: dict[str, Any]) -> str:
    """Return everything as one text table, a column for each size."""
    sizes = [{**size, "code": size["bytes"] / 1e6} for size in report["sizes"]]
    lines = [f"{label:<38}" + "".join(f"{form.format(**size):>18}" for size in sizes) for label, form in ROWS]
    machine = report["machine"]
    lines.append(
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, "
        f"commit {machine['commit'][:10]}, load {report['load_before'][0]:.1f} to {report['load_after'][0]:.1f}"
    )
    return "\n".join([*lines, *([report["stopped"]] if report["stopped"] else [])])


def say(line: str) -> None:
    """Progress, kept off stdout."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
