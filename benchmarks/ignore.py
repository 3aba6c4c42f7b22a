"""Matches ignore patterns against many names, ours beside pathspec's, and a pattern that is made to be slow.

    python benchmarks/ignore.py [--names 20000] [--stars 14]

``pip install pathspec`` installs the peer; without it, its column is empty. Both decide on the same names and must
agree; the fastest of five runs counts. The slow pattern, ``*a*a...*b``, could be in a hostile repository: it is matched
against one name of letters ``a``, in a separate process that is stopped after 20 seconds.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module

from quaestor.files.ignore import PatternSet

PATTERNS = [
    "*.pyc",
    "build/",
    "/dist",
    "docs/_build/",
    "**/node_modules/**",
    "*.log",
    "!keep.log",
    ".env*",
    "tmp-[0-9]*",
]
PATTERNS += [f"vendor/part_{number}/**/*.min.js" for number in range(40)]
LIMIT_SECONDS = 20.0
Matcher = Callable[[Iterable[str]], list[bool]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=int, default=20_000)
    parser.add_argument("--stars", type=int, default=14)
    options = parser.parse_args(arguments)
    names = made_names(options.names)
    slow = "*a" * options.stars + "*b"
    found = {}
    print(f"{'seconds':<12}{len(names):>12,} names{'slow pattern':>16}")
    for peer, make in (("quaestor", ours), ("pathspec", theirs)):
        try:
            matcher = make(PATTERNS)
        except ImportError:
            print(f"{peer:<12}{'not installed':>18}")
            continue
        found[peer] = matcher(names)
        print(f"{peer:<12}{least(lambda matcher=matcher: matcher(names)):>18.3f}{slow_seconds(make, slow):>16}")
    answers = list(found.values())
    differing = sum(one != other for one, other in zip(answers[0], answers[-1], strict=True))
    print(f"{differing} names are judged differently")
    return 0


def ours(patterns: Sequence[str]) -> Matcher:
    """Return our matcher, which is asked about each folder once, as the walk asks it."""
    known = PatternSet.parse("\n".join(patterns).encode())

    @cache
    def closed(folder: str) -> bool:
        above, _, name = folder.rpartition("/")
        return bool(above and closed(above)) or bool(known.decide(folder, name, folder=True))

    def ignored(path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return closed(folder) or bool(known.decide(path, name, folder=False))

    return lambda paths: [ignored(path) for path in paths]


def theirs(patterns: Sequence[str]) -> Matcher:
    """Return pathspec's."""
    spec = import_module("pathspec").GitIgnoreSpec.from_lines(patterns)
    return lambda paths: [spec.match_file(path) for path in paths]


def made_names(count: int) -> list[str]:
    """Return paths of files, some of which the patterns mean."""
    chance = random.Random(7)
    folders = ["src", "docs", "docs/_build", "build", "vendor/part_3/js", "web/node_modules/x", "tests/unit"]
    ends = [".py", ".pyc", ".md", ".log", ".min.js", ".txt"]
    return [f"{chance.choice(folders)}/name_{number}{chance.choice(ends)}" for number in range(count)]


def least(work: Callable[[], object]) -> float:
    """Return the least seconds of five runs."""
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)


def slow_seconds(make: Callable[[Sequence[str]], Matcher], pattern: str) -> str:
    """Return how long one name takes with one pattern, or that it took too long."""
    process = multiprocessing.Process(target=_match_one, args=(make, pattern))
    begun = time.perf_counter()
    process.start()
    process.join(LIMIT_SECONDS)
    if process.is_alive():
        process.kill()
        process.join()
        return f"over {LIMIT_SECONDS:.0f}"
    return f"{time.perf_counter() - begun:.3f}"


def _match_one(make: Callable[[Sequence[str]], Matcher], pattern: str) -> None:
    make([pattern])(["a" * 60])


if __name__ == "__main__":
    sys.exit(main())
