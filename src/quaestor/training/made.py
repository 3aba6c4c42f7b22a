"""Searches made from a corpus itself: names, paths, messages and traces, whose answers are known without any judge.

They teach the ranker what annotated questions hardly contain.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quaestor.assemble import Index
from quaestor.retrieval.paths import profile_path
from quaestor.stores import StoredChunk

_DEFINITIONS = frozenset({"function", "method", "class", "struct", "interface", "trait", "enum", "type"})
_LEAST_NAME = 5
# A string of at least four words, and what stands for values in it.
_MESSAGE = re.compile(r"[\"'`]((?:[\w{}$%:.,;()<>-]+ ){3,}[\w{}$%:.,;()<>-]+)[\"'`]")
_PLACEHOLDER = re.compile(r"[$#]?\{[^{}]*\}|%[-+0-9.]*l{0,2}[a-z]|\$\w+|\\\([^()]*\)")
_VALUES = ("42", "None", "/var/lib/app/state.json", "user_7", "", "alpha", "0x7ffe", "'beta'")
_OTHERWISE = "unexpected value"
_FRAMES = 3


@dataclass(frozen=True, slots=True)
class Made:
    """A query with the one place that answers it.

    Attributes:
        category: ``name``, ``path``, ``message``, ``trace``; of prose ``sentence``, ``words``, ``heading`` or
            ``link``.
        query: what is searched for.
        path: the document that answers it.
        start_line: first line of the answer.
        end_line: last line of the answer.
    """

    category: str
    query: str
    path: str
    start_line: int
    end_line: int


def make_searches(index: Index, each: int, seed: int) -> list[Made]:
    """Return up to ``each`` searches of every category, the same for the same corpus and seed."""
    chance = random.Random(seed)
    definitions = list(_definitions(index))
    chance.shuffle(definitions)
    paths = sorted(path for path, document in index.store.documents().items() if document.size > 0)
    chance.shuffle(paths)
    counts = Counter(stored.chunk.symbol for stored in definitions)
    unique = [stored for stored in definitions if counts[stored.chunk.symbol] == 1]
    return [
        *(_at("name", str(stored.chunk.symbol), stored) for stored in unique[:each]),
        *(Made("path", _shortened(path, chance), path, 1, 1 << 31) for path in paths[:each] if "." in path),
        *_messages(definitions, 2 * each, chance),
        *(_at("trace", _trace(definitions, at, chance), definitions[at]) for at in range(min(each, len(definitions)))),
    ]


def _definitions(index: Index) -> Iterator[StoredChunk]:
    for path in sorted(index.store.documents()):
        for stored in index.store.chunks_of(path):
            symbol = stored.chunk.symbol
            if symbol and len(symbol) >= _LEAST_NAME and stored.chunk.kind in _DEFINITIONS and stored.chunk.defines:
                yield stored


def _messages(definitions: Sequence[StoredChunk], most: int, chance: random.Random) -> list[Made]:
    """Return messages of the program, each as it would be printed: its places filled with some value."""
    found: list[Made] = []
    for stored in definitions:
        profile = profile_path(stored.document.path)
        # A test quotes messages too, but what people look for is where they come from.
        if profile.test or profile.example or profile.prose:
            continue
        if len(found) < most and (message := _message(stored, chance)):
            found.append(_at("message", message, stored))
    return found


def _message(stored: StoredChunk, chance: random.Random) -> str | None:
    """Return one of the messages in a definition as it would be printed, if there is any."""
    messages = _MESSAGE.findall(stored.chunk.text)
    return _PLACEHOLDER.sub(lambda _: chance.choice(_VALUES), chance.choice(messages)) if messages else None


def _at(category: str, query: str, stored: StoredChunk) -> Made:
    span = stored.chunk.span
    return Made(category, query, stored.document.path, span.start_line, span.end_line)


def _shortened(path: str, chance: random.Random) -> str:
    """Return a path as people give it: whole, or its last names."""
    parts = path.split("/")
    return "/".join(parts[-chance.choice((1, 2, 3, len(parts))) :])


def _trace(definitions: Sequence[StoredChunk], at: int, chance: random.Random) -> str:
    """Return a stack trace whose innermost frame is one definition, in one of the usual forms."""
    frames = [*chance.sample(definitions, min(_FRAMES - 1, len(definitions))), definitions[at]]
    places = [
        (stored.document.path, chance.randint(stored.chunk.span.start_line, stored.chunk.span.end_line), stored)
        for stored in frames
    ]
    said = _message(definitions[at], chance) or _OTHERWISE
    form = chance.choice(("python", "java", "javascript", "rust"))
    if form == "python":
        lines = [f'  File "/srv/app/{path}", line {line}, in {stored.chunk.symbol}' for path, line, stored in places]
        return "\n".join(["Traceback (most recent call last):", *lines, f"ValueError: {said}"])
    places.reverse()
    if form == "java":
        lines = [f"    at app.{s.chunk.symbol}({path.rpartition('/')[2]}:{line})" for path, line, s in places]
        return "\n".join([f"java.lang.IllegalStateException: {said}", *lines])
    if form == "javascript":
        lines = [f"    at {stored.chunk.symbol} (/app/{path}:{line}:5)" for path, line, stored in places]
        return "\n".join([f"Error: {said}", *lines])
    path, line, _ = places[0]
    return f"thread 'main' panicked at {path}:{line}:5:\n{said}"
