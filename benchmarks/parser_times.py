"""Doubles inputs of every parser again and again, and measures whether time grows faster than the input.

    python benchmarks/parser_times.py [--only WORDS] [--family NAME] [--shapes FILE] [--details] [--out FILE]

Every parser gets each mark that means something to it: repeated alone, followed by letters and by line ends, and before
a long run of letters and of blanks. A shape is doubled until it takes SLOW seconds or is LARGEST characters long; times
are the processor's, the least of some runs. Growth is the exponent of time over the last two doublings: 1 is linear, 2
is quadratic. A shape that takes half of SLOW by then and grows faster than FASTEST is named, with exit code 1. With
``--shapes`` every parser gets the texts that ``pattern_times.py --out FILE`` found.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import _machine
from _parser_table import PARSERS

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

SMALLEST, LARGEST = 1 << 12, 1 << 20
ENOUGH, SLOW = 0.006, 1.0
FASTEST = 1.4
RUNS = 3
GENERIC = (
    *"a0 \n\t\r.,;:!?'\"`~-_=+*/\\|()[]{}<>@#$%^&é漢\0",
    *(
        "ab ",
        "aB",
        "a_",
        "a.",
        "a/",
        "a:",
        "a@",
        "a-",
        "1.",
        "1-",
        "1,",
        '"a" ',
        "(a",
        "[a",
        "{a",
        "<a",
        "a\n\n",
        "\n a",
    ),
    *(
        "**a",
        "``",
        "```",
        "~~~\n",
        "- a\n",
        "> a\n",
        "| a ",
        "# a\n",
        "# a",
        "A. ",
        "/*",
        "*/",
        "//",
        "<!--",
        "-->",
        "&a",
        "\\a",
    ),
)


class Slowest(NamedTuple):
    """The shape over which a parser takes longest for its length.

    Attributes:
        shape: what was repeated.
        characters: how long it became.
        seconds: what that took.
        growth: the exponent of time over length.
    """

    shape: str
    characters: int
    seconds: float
    growth: float


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a part of a parser's name")
    parser.add_argument("--family", default="", help="as in tests/fuzz")
    parser.add_argument("--shapes", type=Path, default=None, help="what pattern_times.py has saved")
    parser.add_argument("--details", action="store_true", help="print every shape that grows too fast")
    parser.add_argument("--out", type=Path, default=None, help="a JSON file; what it holds of other parsers stays")
    options = parser.parse_args(arguments)
    found, worst = {}, {}
    for name, one in PARSERS.items():
        if options.only in name and options.family in one.family:
            given = _saved_shapes(options.shapes) if options.shapes else _shapes(one.family)
            shapes = [grown for shape in given if (grown := _grown(one.read, *shape))]
            found[name] = max(shapes, key=_badness)
            worst[name] = [shape for shape in shapes if _is_bad(shape)]
            _print(name, found[name])
            for shape in sorted(worst[name], key=_badness)[-8:] if options.details else ():
                _print("", shape)
    bad = sorted(name for name, shapes in worst.items() if shapes)
    print(f"{len(found)} parsers; growing faster than {FASTEST}: {', '.join(bad) or 'none'}")
    if options.out:
        before = json.loads(options.out.read_text(encoding="utf-8"))["parsers"] if options.out.exists() else {}
        now = {name: one._asdict() for name, one in found.items()}
        report = {"machine": _machine.describe(), "parsers": {**before, **now}}
        options.out.write_text(json.dumps(report, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")
    return 1 if bad else 0


def _shapes(family: str) -> Iterator[tuple[str, Callable[[int], str]]]:
    """Yield the shapes for a family: each with what it is called, and as a function of its length."""
    module = import_module(f"fuzz.test_fuzz_{family}")
    targets = [test.target for test in vars(module).values() if hasattr(test, "target")]
    marks = dict.fromkeys(mark for one in targets for mark in one.marks if mark)
    for mark in dict.fromkeys([*GENERIC, *marks]):
        for tail in ("", "a", "\n") if mark in marks else ("",):
            yield f"{mark + tail!r} repeated", _repeated(mark + tail)
        yield f"{mark!r} before letters", lambda n, mark=mark: mark + "a" * n  # type: ignore[misc]
        yield f"{mark!r} before blanks", lambda n, mark=mark: mark + " " * n + "a"  # type: ignore[misc]
    for one in targets:
        for seed in one.seeds:
            yield f"{seed[:40]!r} repeated", _repeated(seed)


def _saved_shapes(file: Path) -> Iterator[tuple[str, Callable[[int], str]]]:
    """Yield what patterns take longest for: each with what it is called, and as a function of its length."""
    for one in json.loads(file.read_text(encoding="utf-8"))["growing"].values():
        start, piece, end = one["shape"]
        yield f"{start!r} + {piece!r} * n + {end!r}", _enclosed(start, piece, end)


def _enclosed(start: str, piece: str, end: str) -> Callable[[int], str]:
    return lambda n: start + piece * max(1, n // len(piece)) + end


def _repeated(piece: str) -> Callable[[int], str]:
    return lambda n: piece * max(1, n // len(piece))


def _grown(read: Callable[[str], object], shape: str, make: Callable[[int], str]) -> Slowest:
    """Double a shape until its time can be told, and where that grows too fast, until it is slow or long."""
    size = SMALLEST
    while _least(read, make(size), runs=1) < ENOUGH and size < LARGEST:
        size *= 4
    found = _measured(read, shape, make, size, runs=1)
    while found.growth > FASTEST and found.seconds < SLOW:
        found = _measured(read, shape, make, size, RUNS)
        if size == LARGEST:
            break
        size *= 2
    return found


def _measured(read: Callable[[str], object], shape: str, make: Callable[[int], str], size: int, runs: int) -> Slowest:
    """Return the time over a shape, and the exponent over the last two doublings; 1 where time is too short to tell."""
    text = make(size)
    seconds = _least(read, text, runs)
    growth = 1.0 if seconds < ENOUGH / 2 else math.log2(seconds / max(_least(read, make(size // 4), runs), 1e-6)) / 2
    return Slowest(shape, len(text), seconds, growth)


def _least(read: Callable[[str], object], text: str, runs: int) -> float:
    """Return the least time of some runs; one run of what takes long."""
    least = math.inf
    for _ in range(runs):
        began = time.process_time()
        read(text)
        least = min(least, time.process_time() - began)
        if least > SLOW:
            break
    return least


def _badness(one: Slowest) -> tuple[bool, float]:
    return _is_bad(one), one.seconds / one.characters


def _is_bad(one: Slowest) -> bool:
    return one.growth > FASTEST and one.seconds > SLOW / 2


def _print(name: str, one: Slowest) -> None:
    rate = one.characters / one.seconds / 1e6
    print(
        f"{name:28} {one.characters:>9,} characters {1000 * one.seconds:>8.1f} ms {rate:>8.1f} MB/s"
        f"  growth {one.growth:.2f}  {one.shape}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
