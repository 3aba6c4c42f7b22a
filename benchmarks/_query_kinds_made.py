"""Makes queries from a repository by rules, each with its target."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from _metrics import Target
from _query_kinds_source import Definition, Raised, Source, read

KINDS = ("identifier", "path", "error message", "stack trace", "natural language")
_HOLE = re.compile(r"\$\{[^{}]*\}|#\{[^{}]*\}|\\\([^()]*\)|\{[^{}]*\}|%[-+0-9.]*[a-zA-Z]|\$\w+|<[A-Z]\w*>")
_VALUES = ("42", "config", "/tmp/data.json", "user_7", "None", "8080")
_OUTSIDE = "/srv/app/"
_SCRIPT = ("Error: {message}\n", "    at {name} ({path}:{line}:11)", "\n")
_DEBUGGER = ("{message}\nAborted\n", "#{n}  0x00005555 in {name} () at {path}:{line}", "\n")
_FORMS = {
    "go": ("panic: {message}\n\ngoroutine 1 [running]:\n", "main.{name}(...)\n\t{path}:{line} +0x1d5", "\n"),
    "rs": (
        "thread 'main' panicked at {path}:{line}:9:\n{message}\nstack backtrace:\n",
        "   {n}: app::{name}\n             at ./{inner}:{line}:9",
        "\n",
    ),
    "rb": ("{message} (ArgumentError)\n", "{path}:{line}:in `{name}'", "\n\tfrom "),
    "php": ("PHP Fatal error:  Uncaught Exception: {message}\nStack trace:\n", "#{n} {path}({line}): {name}()", "\n"),
    "java": (
        'Exception in thread "main" java.lang.IllegalStateException: {message}\n',
        "\tat {unit}.{name}({file}:{line})",
        "\n",
    ),
    **dict.fromkeys(("js", "ts", "tsx"), _SCRIPT),
    **dict.fromkeys(("c", "cc", "cpp", "h", "hpp", "swift"), _DEBUGGER),
}
"""How a stack trace begins, one frame of it, and what stands between frames, by file ending."""

Frame = tuple[Definition, int]
"""A function, and the line in it that was being executed."""


@dataclass(frozen=True, slots=True)
class Made:
    """One query of a kind, and its targets."""

    kind: str
    text: str
    targets: tuple[Target, ...]


def make(root: Path, count: int, seed: int = 0) -> list[Made]:
    """Return up to ``count`` queries of every kind; the same ones for the same files."""
    source = read(root, seed)
    makers: dict[str, Callable[[Source, random.Random], Iterator[Made]]] = dict(
        zip(KINDS, (_identifiers, _paths, _messages, _traces, _questions), strict=True)
    )
    made: list[Made] = []
    for kind, maker in makers.items():
        seen: dict[str, Made] = {}
        for query in maker(source, random.Random(f"{seed} {kind}")):
            seen.setdefault(query.text, query)
            if len(seen) == count:
                break
        made += seen.values()
    return made


def _shuffled(items: Sequence[Definition], chance: random.Random) -> list[Definition]:
    return chance.sample(items, len(items))


def _unique(source: Source) -> list[Definition]:
    """Return the definitions whose name is defined once and says something."""
    counts = Counter(definition.name for definition in source.definitions)
    return [one for one in source.definitions if counts[one.name] == 1 and len(one.name) >= 5]


def _whole(definition: Definition) -> tuple[Target, ...]:
    return (Target(definition.path, definition.start_line, definition.end_line),)


def _identifiers(source: Source, chance: random.Random) -> Iterator[Made]:
    """A name that is defined once finds its definition's first line."""
    for one in _shuffled(_unique(source), chance):
        yield Made("identifier", one.name, (Target(one.path, one.start_line, one.start_line),))


def _paths(source: Source, chance: random.Random) -> Iterator[Made]:
    """In turn: a whole path, its last two parts, a file name that exists once, and ``path:line``."""
    names = Counter(path.rsplit("/", 1)[-1] for path in source.files)
    paths = chance.sample(sorted(source.files), len(source.files))
    for number, path in enumerate(paths):
        lines, name = len(source.files[path]), path.rsplit("/", 1)[-1]
        if lines < 10:
            continue
        if number % 4 == 0:
            yield Made("path", path, (Target(path),))
        elif number % 4 == 1 and path.count("/") > 1:
            yield Made("path", "/".join(path.rsplit("/", 2)[-2:]), (Target(path),))
        elif number % 4 == 2 and names[name] == 1:
            yield Made("path", name, (Target(path),))
        elif number % 4 == 3:
            line = chance.randint(1, lines)
            yield Made("path", f"{path}:{line}", (Target(path, line, line),))


def _messages(source: Source, chance: random.Random) -> Iterator[Made]:
    """An error's message, with values where the source has holes, finds the place that raises it."""
    raised = [one for one in source.raised if _says_something(one.message)]
    for one in chance.sample(raised, len(raised)):
        alike = tuple(Target(x.path, x.start_line, x.end_line) for x in raised if x.message == one.message)
        if len(alike) <= 3:
            yield Made("error message", _filled(one.message, chance), alike)


def _says_something(message: str) -> bool:
    return len(re.findall(r"[A-Za-z]{2,}", _HOLE.sub(" ", message))) >= 4 and " " in message


def _filled(message: str, chance: random.Random) -> str:
    filled = _HOLE.sub(lambda _: chance.choice(_VALUES), message)
    return re.sub(r"\\[nt]", " ", filled).replace("\\", "").strip()


def _traces(source: Source, chance: random.Random) -> Iterator[Made]:
    """A stack trace of three real frames finds the lines of the two innermost ones.

    The innermost frame is a function that raises an error; each further one a function that calls the one before by
    a name that is defined once.
    """
    by_path: dict[str, list[Definition]] = {}
    for one in source.definitions:
        if one.function:
            by_path.setdefault(one.path, []).append(one)
    once = {one.name for one in _unique(source)}
    raised = [one for one in source.raised if _says_something(one.message)]
    for error in chance.sample(raised, len(raised)):
        frames = _frames(error, by_path, once, source, chance)
        if len(frames) >= 2:
            message = _filled(error.message, chance)
            targets = tuple(Target(one.path, line, line) for one, line in frames[:2])
            yield Made("stack trace", _written(frames, message, source), targets)


def _frames(
    error: Raised,
    by_path: dict[str, list[Definition]],
    once: set[str],
    source: Source,
    chance: random.Random,
) -> list[Frame]:
    place = _inside(by_path, error.path, error.start_line)
    frames = [(place, error.start_line)] if place else []
    while frames and len(frames) < 3 and frames[-1][0].name in once:
        callers = [
            (caller, line)
            for path, line in source.calls.get(frames[-1][0].name, ())
            if (caller := _inside(by_path, path, line)) and caller not in [one for one, _ in frames]
        ]
        if not callers:
            break
        frames.append(chance.choice(callers))
    return frames


def _inside(by_path: dict[str, list[Definition]], path: str, line: int) -> Definition | None:
    around = [one for one in by_path.get(path, ()) if one.start_line <= line <= one.end_line]
    return min(around, key=lambda one: one.end_line - one.start_line, default=None)


def _written(frames: Sequence[Frame], message: str, source: Source) -> str:
    """Write frames, innermost first, as the language of the innermost does."""
    ending = frames[0][0].path.rsplit(".", 1)[-1]
    if ending == "py":
        return _python_trace(frames, message, source)
    head, row, between = _FORMS.get(ending, _FORMS["java"])
    first, line = frames[0]
    parts = {"message": message, "path": first.path, "line": line, "name": first.name}
    rows = [
        row.format(
            n=n,
            name=one.name,
            path=_OUTSIDE + one.path,
            inner=one.path,
            file=one.path.rsplit("/", 1)[-1],
            unit=_unit(one.path),
            line=line,
        )
        for n, (one, line) in enumerate(frames)
    ]
    return head.format(**parts) + between.join(rows)


def _python_trace(frames: Sequence[Frame], message: str, source: Source) -> str:
    lines = [
        f'  File "{_OUTSIDE}{one.path}", line {line}, in {one.name}\n    {source.files[one.path][line - 1].strip()}'
        for one, line in reversed(frames)
    ]
    return "\n".join(["Traceback (most recent call last):", *lines, f"ValueError: {message}"])


def _unit(path: str) -> str:
    """Return a file's path as a package."""
    return re.sub(r"^.*?(java|kotlin|scala|src|lib)/", "", path).rsplit(".", 1)[0].replace("/", ".")


def _questions(source: Source, chance: random.Random) -> Iterator[Made]:
    """The first sentence that the author wrote about a definition finds that definition.

    The sentence stands in the file, so words alone can find it: this kind leaks.
    """
    documented = [one for one in source.definitions if one.doc]
    for one in _shuffled(documented, chance):
        sentence = one.doc
        if one.name.lower() not in sentence.lower():
            lines = one.end_line - one.start_line
            # The comment above belongs to what it describes.
            yield Made(
                "natural language", sentence, (Target(one.path, max(1, one.start_line - 1), one.start_line + lines),)
            )
