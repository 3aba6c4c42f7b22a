"""Doubles texts for every regular expression of src, and measures whether time grows faster than the text.

    python benchmarks/pattern_times.py [--only WORDS] [--most SHAPES] [--out FILE]

The texts should make a pattern backtrack: a beginning that matches, then the part that it repeats, many times over,
then an end that cannot match; and the beginning alone, many times over. A pattern is used as src uses it: from one
place on (``match``), or from each place on (``search``, ``sub`` and the like). A text of SMALLEST characters that takes
ENOUGH seconds is doubled until it takes SLOW seconds or is LARGEST characters long; times are the processor's. Growth
is the exponent of time over the last two doublings: 1 is linear, 2 is quadratic. Patterns that grow faster than FASTEST
are named. That is no fault where a pattern never sees a long text: ``parser_times.py --shapes FILE`` gives the texts to
whole parsers.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import pkgutil
import re
import re._compiler as compiler  # type: ignore[import-not-found]
import re._constants as codes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import _machine

import quaestor
from quaestor.core import light_imports

SOURCE = Path(quaestor.__file__).parent
SMALLEST, LARGEST = 1 << 13, 1 << 16
ENOUGH, SLOW = 0.004, 0.25
FASTEST = 1.4
LONGEST = 20
"""Seconds after which a pattern is given up, as one that takes exponential time."""
MOST_SAMPLES = 6
PROBES = " a0\n.-A_*`\"'(,:/<[{\t\\#=|éZ;!"
TAILS = ("", "\n", "\0", " \0")
_SETS: dict[str, list[str]] = {}


class Found(NamedTuple):
    """A pattern of ours.

    Attributes:
        place: the file below src/quaestor and the name that it is bound to, or the line.
        pattern: compiled.
        whole: whether it is only tried at one place of a text.
    """

    place: str
    pattern: re.Pattern[Any]
    whole: bool


class Grown(NamedTuple):
    """The text that a pattern takes longest for.

    Attributes:
        shape: its beginning, what is repeated, and its end.
        characters: how long it became.
        seconds: what that took.
        growth: the exponent of time over length.
    """

    shape: tuple[str, str, str]
    characters: int
    seconds: float
    growth: float


def main(arguments: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="", help="a part of a pattern's place")
    options.add_argument("--most", type=int, default=10**6, help="shapes of a pattern, spread evenly; default: all")
    options.add_argument("--out", type=Path, default=None, help="a JSON file")
    given = options.parse_args(arguments)
    signal.signal(signal.SIGALRM, _give_up)
    patterns = [one for one in _patterns() if given.only in one.place]
    shapes, bad = 0, {}
    for one in patterns:
        every = [*_shapes(one.pattern)]
        for shape in every[:: math.ceil(len(every) / given.most) or 1]:
            shapes += 1
            if _is_bad(grown := _grown(one, *shape)):
                bad[one.place] = grown
                _print(one, grown)
                break
    print(f"{len(patterns)} patterns, {shapes:,} shapes; growing faster than {FASTEST}: {len(bad)}")
    if given.out:
        growing = {place: one._asdict() for place, one in bad.items()}
        report = {"machine": _machine.describe(), "patterns": len(patterns), "shapes": shapes, "growing": growing}
        given.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


# --- what patterns there are ----------------------------------------------------------------------------------------


def _patterns() -> list[Found]:
    """Return every pattern that our modules make when they are imported, or name in a call as a literal."""
    made: dict[tuple[str, int], list[re.Pattern[Any]]] = {}
    whole = re.compile

    def noted(pattern: Any, flags: Any = 0) -> re.Pattern[Any]:
        compiled = whole(pattern, flags)
        frame = sys._getframe(1)
        made.setdefault((frame.f_code.co_filename, frame.f_lineno), []).append(compiled)
        return compiled

    re.compile = light_imports.lazy_regex = noted
    for module in pkgutil.walk_packages([str(SOURCE)], "quaestor."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    re.compile = whole
    trees = {file: ast.parse(file.read_text(encoding="utf-8")) for file in sorted(SOURCE.rglob("*.py"))}
    methods = _methods(trees)
    return [*_bound(made, trees, methods), *_literal(trees)]


def _methods(trees: dict[Path, ast.Module]) -> dict[tuple[Path, str], set[str]]:
    """Return which methods are called of each name; of one that other files may use, in all of them."""
    methods: dict[tuple[Path, str], set[str]] = {}
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                methods.setdefault(_key(file, node.value.id), set()).add(node.attr)
            elif isinstance(node, ast.Call):  # a pattern that is passed on is tried anywhere
                for argument in node.args:
                    if isinstance(argument, ast.Name):
                        methods.setdefault(_key(file, argument.id), set()).add("passed")
    return methods


def _key(file: Path, name: str) -> tuple[Path, str]:
    return (file if name.startswith("_") else SOURCE), name


def _bound(made: Any, trees: dict[Path, ast.Module], methods: dict[tuple[Path, str], set[str]]) -> Iterator[Found]:
    for (name, line), patterns in sorted(made.items()):
        file = Path(name)
        if file not in trees:
            continue
        names = [
            target.id
            for node in ast.walk(trees[file])
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.lineno <= line <= (node.end_lineno or 0)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        ]
        used = methods.get(_key(file, names[0]), {"passed"}) if names else {"passed"}
        for number, pattern in enumerate(dict.fromkeys(patterns)):
            place = f"{file.relative_to(SOURCE)}:{names[0] if names else line}{f' {number}' * (len(patterns) > 1)}"
            yield Found(place, pattern, used <= {"match", "fullmatch", "pattern", "flags", "groupindex"})


def _literal(trees: dict[Path, ast.Module]) -> Iterator[Found]:
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            is_ours = (
                isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.func.attr != "escape"
            )
            if is_ours and node.func.attr != "compile" and isinstance(node.args[0], ast.Constant):
                whole = node.func.attr in ("match", "fullmatch")
                place = f"{file.relative_to(SOURCE)}:{node.lineno}"
                yield Found(place, re.compile(node.args[0].value, _flags(node)), whole)


def _flags(call: ast.Call) -> int:
    """Return the flags that a call names, ``re.MULTILINE | re.IGNORECASE``."""
    given = map(ast.unparse, [*call.args[1:], *(one.value for one in call.keywords)])
    names = {name for one in given if re.fullmatch(r"re\.[A-Z]+(?: \| re\.[A-Z]+)*", one) for name in one.split(" | ")}
    return sum(getattr(re, name.removeprefix("re.")) for name in names)


# --- texts for one pattern ------------------------------------------------------------------------------------------


def _shapes(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """Yield beginnings, what is repeated, and ends."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = parser.parse(source, pattern.flags & ~re.UNICODE & ~re.DEBUG)
    seen = set()
    for before, body in _repeats(list(tree), ("",)):
        for start, piece in product(before[:3], body):
            shapes = [(start, piece, tail) for tail in TAILS]
            if start:
                shapes += [("", start, ""), ("", start + piece, "")]
            for shape in shapes:
                if shape[1] and shape not in seen:
                    seen.add(shape)
                    yield shape


def _repeats(nodes: list[Any], before: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield what may stand before everything that is repeated without a bound, and samples of it."""
    for at, (code, value) in enumerate(nodes):
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            _, most, body = value
            if most > 9:
                follow = _sample(nodes[at + 1 :])[:1]
                samples = _sample(list(body))
                yield before, [*samples, *(one + end for one in samples[:2] for end in follow if end)]
            yield from _repeats(list(body), before)
        for inner in _inner(code, value):
            yield from _repeats(inner, before)
        here = _sample([(code, value)])
        before = tuple(start + end for start, end in product(before, here))[:MOST_SAMPLES]


def _inner(code: Any, value: Any) -> list[list[Any]]:
    """Return the sequences within a group, a choice or a look-around."""
    if code is codes.SUBPATTERN:
        return [list(value[3])]
    if code is codes.BRANCH:
        return [list(one) for one in value[1]]
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [list(value[1])]
    if code is codes.ATOMIC_GROUP:
        return [list(value)]
    return []


def _sample(nodes: list[Any]) -> list[str]:
    """Return some texts that a sequence matches, look-arounds and references aside."""
    found = [""]
    for code, value in nodes:
        found = [start + end for start, end in product(found, _sample_one(code, value) or [""])][:MOST_SAMPLES]
    return found


def _sample_one(code: Any, value: Any) -> list[str]:
    if code is codes.LITERAL:
        return [chr(value)]
    if code in (codes.IN, codes.ANY, codes.NOT_LITERAL):
        return _of_set(code, value)
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        least, _, body = value
        return [one * max(least, 1) for one in _sample(list(body))]
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [""]
    inner = _inner(code, value)
    return [one for some in inner for one in _sample(some)[: max(1, MOST_SAMPLES // len(inner))]]


def _of_set(code: Any, value: Any) -> list[str]:
    """Return some characters that a set holds, those that mean something to most texts first."""
    key = f"{code} {value}"
    if key not in _SETS:
        tree = parser.parse("x")
        tree.data = [(code, value)]
        pattern = compiler.compile(tree, 0)
        fits = [one for one in PROBES if pattern.fullmatch(one)]
        first = [chr(item[1]) for item in (value if code is codes.IN else ()) if item[0] is codes.LITERAL]
        _SETS[key] = list(dict.fromkeys([*fits[:4], *first[:3]]))
    return _SETS[key]


# --- times ----------------------------------------------------------------------------------------------------------


def _grown(one: Found, start: str, piece: str, end: str) -> Grown:
    """Double a text until its time can be told, and where that grows too fast, until it is slow or long."""

    def text(size: int) -> Any:
        made = start + piece * max(1, size // len(piece)) + end
        return made if isinstance(one.pattern.pattern, str) else made.encode("utf-8")

    size = SMALLEST
    seconds = _seconds(one, text(size))
    growth = _growth(one, text, size, seconds) if seconds > ENOUGH else 1.0
    while growth > FASTEST and seconds < SLOW and size < LARGEST:
        size *= 2
        seconds = _seconds(one, text(size))
        growth = _growth(one, text, size, seconds)
    return Grown((start, piece, end), size, seconds, growth)


def _growth(one: Found, text: Callable[[int], Any], size: int, seconds: float) -> float:
    """Return the exponent over the last two doublings."""
    return math.log2(seconds / max(min(_seconds(one, text(size // 4)) for _ in range(2)), 1e-6)) / 2


def _seconds(one: Found, text: Any) -> float:
    began = time.process_time()
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        if one.whole:
            one.pattern.match(text)
            one.pattern.fullmatch(text)
        else:
            deque(one.pattern.finditer(text), 0)
    except TimeoutError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return time.process_time() - began


def _give_up(*_: object) -> None:
    raise TimeoutError


def _is_bad(one: Grown) -> bool:
    return one.growth > FASTEST and one.seconds > SLOW / 10


def _print(one: Found, found: Grown) -> None:
    size = f"{found.characters:>7,} characters {1000 * found.seconds:>8.1f} ms  growth {found.growth:.2f}"
    start, piece, end = found.shape
    print(f"{one.place:60} {size}  {start!r} + {piece!r} * n + {end!r}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
