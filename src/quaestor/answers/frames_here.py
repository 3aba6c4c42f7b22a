"""Finding the frames of a trace in a corpus: by the ends of their paths, and by function where lines are stale."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quaestor.answers.document_lines import CorpusLines
from quaestor.answers.surroundings import around, qualified_name, stretch
from quaestor.answers.traces import Frame
from quaestor.chunking.definitions import Definition
from quaestor.core.terms import split_identifier
from quaestor.corpus import Corpus
from quaestor.related.stored_files import IndexedFile
from quaestor.search.path_roles import profile_path

_MOST_LOOKED_AT = 24
_MOST_HERE = 8
_MOST_ENDS = 60
_PACKAGE = re.compile(r"^[ \t]*package[ \t]+([\w.]+)[ \t]*;?[ \t]*$", re.MULTILINE)
_HEAD = 8_000
_CLASS_AND_METHOD = 2
# What is written in one of these is run as another.
_SCRIPTS = ("ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "vue", "svelte")


@dataclass(frozen=True, slots=True)
class FrameHere:
    """A frame that points into this corpus.

    Attributes:
        path: the document.
        line: where the frame is now, 1-based, as well as can be told.
        first: first line of what is worth reading there.
        last: last line of it, inclusive.
        symbol: the definition that holds it.
    """

    path: str
    line: int
    first: int
    last: int
    symbol: str | None


def frames_here(corpus: Corpus, frames: Sequence[Frame], lines: CorpusLines) -> tuple[FrameHere, ...]:
    """Return the frames that are this corpus's own, innermost first, each definition once; some at most."""
    found: dict[tuple[str, str | None], FrameHere] = {}
    # Recursion repeats frames: of a long trace its two ends tell most.
    distinct = list(dict.fromkeys(frames))
    half = _MOST_LOOKED_AT // 2
    kept = distinct if len(distinct) <= _MOST_LOOKED_AT else [*distinct[:half], *distinct[-half:]]
    for frame in kept:
        here = _frame_here(corpus, frame, lines)
        if here is not None:
            found.setdefault((here.path, here.symbol or str(here.line)), here)
    return tuple(found.values())[:_MOST_HERE]


def _frame_here(corpus: Corpus, frame: Frame, lines: CorpusLines) -> FrameHere | None:
    for path in [*_paths(corpus, frame)][:3] if frame.path else _homes(corpus, frame):
        file = lines.file(path)
        if file is None:
            continue
        known = lines.definitions(path)
        package = _is_of_its_package(file, frame)
        named = _named(known, frame) if package is not False else None
        known_by_name = named is not None and not (frame.installed and path.count("/") > 1)
        if known_by_name or package or (not _is_bare(frame) and _fits(frame, path)):
            return _located(file, frame, known, named)
    return None


def _paths(corpus: Corpus, frame: Frame) -> Iterator[str]:
    """Yield the documents that a frame's path may mean, those first whose path agrees with it most."""
    name = frame.path.rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    names = [name, *(f"{stem}.{other}" for other in _SCRIPTS if ending in _SCRIPTS and other != ending)]
    paths = {path for one in names for path in corpus.store.paths_ending(one, _MOST_ENDS)}
    yield from sorted(
        paths, key=lambda path: (-_shared(frame.path, path), -_packages(frame, path), profile_path(path).flags, path)
    )


def _homes(corpus: Corpus, frame: Frame) -> list[str]:
    """Return the documents that define the function of a frame without a place, where its owner is in the path."""
    if not frame.names:
        return []
    found = corpus.store.get(corpus.store.defining([frame.names[-1]], 20)).values()
    exact = [one for one in found if frame.names[-1] in (one.chunk.symbol, *one.chunk.defines)]
    owners = {part.lower() for name in frame.names[:-1] for part in (name, *split_identifier(name))}
    kept = [
        one.document.path
        for one in exact
        if owners & {part.lower() for part in (*one.chunk.scope, *profile_path(one.document.path).terms)}
    ]
    return sorted(set(kept), key=lambda path: (profile_path(path).flags, path))[:1]


def _shared(pointed: str, path: str) -> int:
    """Return how many names at the end two paths have in common; a script's ending does not count."""
    shared = 0
    for one, other in zip(reversed(_parts(pointed)), reversed(_parts(path)), strict=False):
        if one != other:
            break
        shared += 1
    return shared


def _parts(path: str) -> list[str]:
    folder, _, name = path.lower().strip("/").rpartition("/")
    stem, _, ending = name.rpartition(".")
    return (
        [*folder.split("/"), stem if ending in _SCRIPTS else name] if folder else [stem if ending in _SCRIPTS else name]
    )


def _packages(frame: Frame, path: str) -> int:
    """Return how many folders of a path the frame's own name names: ``arrow.core.raise.DefaultRaise``."""
    return len({name.lower() for name in frame.names} & set(path.lower().split("/")[:-1]))


def _is_bare(frame: Frame) -> bool:
    """Return whether a frame names a file without a folder, as in Java, or none at all."""
    return "/" not in frame.path.strip("/") and bool(frame.names)


def _is_of_its_package(file: IndexedFile, frame: Frame) -> bool | None:
    """Return whether a frame without a folder is of the package that a file belongs to; None where nothing says so."""
    if not _is_bare(frame) or not frame.path or len(frame.names) <= _CLASS_AND_METHOD:
        return None
    package = _PACKAGE.search(file.text, 0, _HEAD)
    return None if package is None else package[1].split(".")[-1] in frame.names


def _fits(frame: Frame, path: str) -> bool:
    """Return whether a frame's path alone is enough to take it for this document, and not another software's."""
    shared = _shared(frame.path, path)
    whole = min(len(_parts(frame.path)), len(_parts(path)))
    if frame.installed:
        return shared > 1
    return shared > 1 or (shared == whole and not frame.path.startswith("/"))


def _named(known: Sequence[Definition], frame: Frame) -> Definition | None:
    """Return the definition that a frame names: the last name that is one, the nearest to its line."""
    for name in reversed(frame.names):
        same = [one for one in known if one.name == name]
        if same:
            line = frame.line or 0
            owned = [one for one in same if set(one.scope) & set(frame.names)] or same
            return min(owned, key=lambda one: _apart(one, line))
    return None


def _apart(found: Definition, line: int) -> int:
    return max(found.span.start_line - line, line - found.span.end_line, 0)


def _located(file: IndexedFile, frame: Frame, known: Sequence[Definition], named: Definition | None) -> FrameHere:
    line = _line_now(file, frame, named)
    found = around(known, line)
    if named is not None and (found is None or not named.span.start_line <= line <= named.span.end_line):
        found = named
    first, last = stretch(file, found, line)
    return FrameHere(file.document.path, line, first, last, qualified_name(found))


def _line_now(file: IndexedFile, frame: Frame, named: Definition | None) -> int:
    """Return where a frame's line is now: where its code stands, or as near as its function allows."""
    stated = min(max(frame.line or 1, 1), max(len(file.lines), 1))
    if frame.code:
        same = [at for at, line in enumerate(file.lines, 1) if line.strip() == frame.code]
        if same:
            return min(same, key=lambda at: (not _within(named, at), abs(at - stated)))
    if named is None or _within(named, stated):
        return stated
    return named.span.start_line if frame.line is None or stated < named.span.start_line else named.span.end_line


def _within(named: Definition | None, line: int) -> bool:
    return named is None or named.span.start_line <= line <= named.span.end_line
