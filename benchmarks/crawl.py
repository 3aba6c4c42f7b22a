"""Measures a crawl of a site full of traps: pages fetched, missed and wrongly kept, time and memory.

    python benchmarks/crawl.py [--rounds 3] [--out FILE]

A separate process serves the site (``tests/servers/trapped_site.py``: 2,000 pages worth having, and every trap) on
loopback. Each round crawls it, crawls it again to bring it up to date, and indexes the pages. Each crawl is a process
of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import _machine

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from servers.trapped_site import CHAIN, TrappedSite, word  # noqa: E402

DEPTH = 16
SERVE = """
import sys; sys.path.insert(0, sys.argv[1])
from servers.site import SiteServer
from servers.trapped_site import TrappedSite
with SiteServer(TrappedSite()) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""
CRAWL = """
import json, resource, sys, time
from dataclasses import asdict
from pathlib import Path
from quaestor.crawl.crawler import Crawl
from quaestor.crawl.crawl_settings import CrawlSettings
settings = CrawlSettings(exclude=("/drafts/*",), depth=int(sys.argv[3]), delay=0, seconds=1.5, page_bytes=3_000_000,
    allow_private=True, tries=2)
report = asdict(Crawl(sys.argv[1], Path(sys.argv[2]), settings).run())
report["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
report["processor"] = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
print(json.dumps(report))
"""
INDEX = """
import json, sys, time
from pathlib import Path
from quaestor import Index
started = time.perf_counter()
with Index.build(Path(sys.argv[1])) as index:
    print(json.dumps({"seconds": time.perf_counter() - started, "documents": index.stats().documents}))
"""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "crawl.json")
    options = parser.parse_args(arguments)
    rounds = [measured() for _ in range(options.rounds)]
    print(table(rounds))
    options.out.write_text(json.dumps({"machine": _machine.describe(), "rounds": rounds}, indent=1) + "\n")


def measured() -> dict[str, dict[str, object]]:
    """Return what one round gave: the first crawl, the update, and the indexing."""
    with (
        TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, "-c", SERVE, str(TESTS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server,
    ):
        assert server.stdout is not None
        assert server.stdin is not None
        url = server.stdout.readline().strip()
        site = Path(folder) / "site"
        first = {**run(CRAWL, url, str(site), str(DEPTH)), **judged(site)}
        update = run(CRAWL, url, str(site), str(DEPTH))
        server.stdin.close()
        index = run(INDEX, str(next(path for path in site.iterdir() if path.is_dir())), home=folder)
    return {"first": first, "update": update, "index": index}


def run(program: str, *arguments: str, home: str = "") -> dict[str, object]:
    import os  # noqa: PLC0415

    environment = {**os.environ, **({"QUAESTOR_HOME": home} if home else {})}
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], check=True, stdout=subprocess.PIPE, text=True, env=environment
    )
    return json.loads(done.stdout)


def judged(folder: Path) -> dict[str, object]:
    """Hold the pages on disk against those worth having, by the word that each of these holds."""
    texts = {file: file.read_text(encoding="utf-8") for file in folder.rglob("*.md")}
    beyond = {word("chain", number) for number in range(DEPTH + 1, CHAIN + 1)}
    worth = {key for key in TrappedSite().expected if key not in beyond}
    by_word = {found for text in texts.values() for found in re.findall(r"\w+", text)}
    right = sum(any(key in worth for key in re.findall(r"\w+", text)) for text in texts.values())
    return {"worth": len(worth), "kept": len(texts), "missed": sorted(worth - by_word), "wrong": len(texts) - right}


def table(rounds: Sequence[dict[str, dict[str, object]]]) -> str:
    first = rounds[0]["first"]
    lines = [f"pages worth having {first['worth']}"]
    for name, label in (("kept", "pages kept"), ("wrong", "of them wrongly")):
        lines.append(f"{label:18} {', '.join(str(one['first'][name]) for one in rounds)}")
    lines.append(f"{'missed':18} {', '.join(str(len(one['first']['missed'])) for one in rounds)}")  # type: ignore[arg-type]
    for part in ("first", "update"):
        for name in ("requests", "seconds", "processor", "peak_mb"):
            lines.append(f"{part + ' ' + name:18} {median(rounds, part, name):.1f}")
    lines.append(f"{'index seconds':18} {median(rounds, 'index', 'seconds'):.1f}")
    return "\n".join(lines)


def median(rounds: Sequence[dict[str, dict[str, object]]], part: str, name: str) -> float:
    return statistics.median(float(one[part][name]) for one in rounds)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
