"""Builds the answer of a way from paragraphs and quoted lines; each place is cited once.

No quote is cut in the middle of a statement. A line is quoted with its definition, or with the part of it that is
worth reading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from quaestor.answers.quotes.quotable_stretches import PROSE
from quaestor.answers.quotes.readable_markup import as_shown
from quaestor.answers.way import WayAnswer
from quaestor.chunking.definitions import Definition, definitions
from quaestor.core.documents import Chunk, Document, Hit, Span
from quaestor.corpus import Corpus
from quaestor.related.stored_files import IndexedFile, load_file

_LONGEST_STATEMENT = 6
_LARGEST = 1_000_000
"""The most characters of a file whose definitions are searched for."""
_LONGEST_HEAD = 20
_CITED = re.compile(r"\"[^\"]*\"|'[^']*'|^\s*(?:#|//|\*|/\*|--|@).*")
"""Text in which a name is only mentioned: strings, comments, decorators."""
_OPENING, _CLOSING = "([{", ")]}"

_WHOLE = 30
_BEFORE, _AFTER = 8, 6


def _hit_of_lines(document: Document, text: str, start: int, symbol: str | None = None) -> Hit:
    """Return lines of a document as a hit; ``start`` is the first of them, 1-based.

    Its span holds line numbers only, because a citation is found by its lines.
    """
    span = Span(0, 0, start, start + text.count("\n"))
    return Hit(document, Chunk(span, text, symbol), 0.0)


def place_of(hit: Hit) -> str:
    """Return where a hit stands as people and editors write it: ``src/a.py:10-24``."""
    lines = f"{hit.start_line}" if hit.start_line == hit.end_line else f"{hit.start_line}-{hit.end_line}"
    return f"{hit.path}:{lines}"


def in_code(text: str) -> str:
    """Return a text as a code span in Markdown on one line, whatever backticks it contains."""
    plain = " ".join(text.split())
    longest = max((len(run) for run in re.findall(r"`+", plain)), default=0)
    mark = "`" * (longest + 1)
    return f"{mark} {plain} {mark}" if longest else f"`{plain}`"


@dataclass(slots=True)  # mutable: put together piece by piece
class Draft:
    """An unfinished answer.

    Attributes:
        pieces: the pieces of the answer, as in ``WayAnswer``.
        hits: the hits that are cited so far.
    """

    pieces: list[str | int] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Add a paragraph."""
        self.pieces.append(f"{text}\n\n")

    def quote(self, hit: Hit) -> None:
        """Add a place with its lines and its citation mark."""
        symbol = f" ({in_code(hit.symbol)})" if hit.symbol else ""
        self.pieces.append(f"{in_code(place_of(hit))}{symbol}:\n\n{_as_quote(hit)}\n")
        self.pieces.append(len(self.hits))
        self.pieces.append("\n\n")
        self.hits.append(hit)

    def finish(self, way: str, *, known: bool = True) -> WayAnswer:
        """Return the answer."""
        pieces = list(self.pieces)
        if pieces and isinstance(pieces[-1], str):
            pieces[-1] = pieces[-1].rstrip("\n")
        return WayAnswer(way, tuple(pieces), tuple(self.hits), known)


def _as_quote(hit: Hit) -> str:
    """Return a hit's lines as a block quote of prose or a fenced block of code."""
    text = hit.text.strip("\r\n")
    if hit.document.language.lower() in PROSE:
        return "\n".join(f"> {line}" for line in as_shown(text, text, hit.document.language).split("\n")) + "\n"
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{hit.document.language}\n{text}\n{fence}"


class CorpusLines:
    """The documents of one corpus by their lines, each read once.

    Args:
        corpus: the corpus that has the documents; its index is up to date before lines are read.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._store = corpus.store
        self._files: dict[str, IndexedFile | None] = {}
        self._definitions: dict[str, Sequence[Definition]] = {}

    def file(self, path: str) -> IndexedFile | None:
        """Return a document with its text; None if no document has this path."""
        if path not in self._files:
            self._files[path] = load_file(self._store, path)
        return self._files[path]

    def definitions(self, path: str) -> Sequence[Definition]:
        """Return a document's definitions in order; none of a very large document, which takes too long to parse."""
        if path not in self._definitions:
            file = self.file(path)
            parsed = file is not None and len(file.text) <= _LARGEST
            data = file.text.encode("utf-8", "surrogatepass") if file is not None and parsed else b""
            self._definitions[path] = definitions(data, file.document.language) if file is not None and parsed else ()
        return self._definitions[path]

    def hit(self, path: str, start: int, end: int, symbol: str | None = None) -> Hit:
        """Return lines of a document, 1-based and inclusive, without blank lines at both ends.

        Raises:
            KeyError: there is no such document.
        """
        file = self.file(path)
        if file is None:
            raise KeyError(path)
        lines = [line.removesuffix("\r") for line in file.lines[start - 1 : end]]
        while len(lines) > 1 and not lines[-1].strip():
            lines.pop()
        while len(lines) > 1 and not lines[0].strip():
            lines.pop(0)
            start += 1
        return _hit_of_lines(file.document, "\n".join(lines), start, symbol)

    def head(self, path: str, start: int, end: int, symbol: str | None = None) -> Hit:
        """Return the head of the definition within some lines, up to ``end_of_head``; raises as ``hit``."""
        name = (symbol or "").rpartition(".")[2]
        same = [one for one in self.definitions(path) if one.name == name and one.span.end_line >= start]
        definition = next((one for one in same if one.span.start_line <= end), None)
        file = self.file(path)
        return self.hit(
            path, start, start if file is None else end_of_head(file.lines, definition, start, name), symbol
        )

    def statement(self, path: str, line: int, symbol: str | None = None) -> Hit:
        """Return a line and the following ones that complete its statement, up to a limit; raises as ``hit``."""
        file = self.file(path)
        if file is None:
            raise KeyError(path)
        return self.hit(path, line, end_of_statement(file.lines, line), symbol)


def end_of_statement(lines: Sequence[str], line: int) -> int:
    """Return the line that closes all brackets that a line opens; the line itself if the other is too far away."""
    depth = 0
    for number in range(line, min(line + _LONGEST_STATEMENT, len(lines) + 1)):
        text = lines[number - 1]
        depth += sum(text.count(one) for one in _OPENING) - sum(text.count(one) for one in _CLOSING)
        if depth <= 0:
            return number
    return line


def end_of_head(lines: Sequence[str], definition: Definition | None, start: int, name: str) -> int:
    """Return the last line of a definition's head: its name and parameters, without the body.

    A type, decorators and annotations may stand in lines of their own before the name: ``static void``, ``@Test``.

    Args:
        lines: the lines of the file.
        definition: the definition, if it is known.
        start: the line where it begins, after its comment, 1-based.
        name: its name.
    """
    last = min(start + _LONGEST_HEAD, len(lines))
    end = end_of_statement(lines, line_of_name(lines, start, last, name))
    if definition is None or definition.body is None:
        return end
    line = definition.body.start_line
    opened = line <= len(lines) and lines[line - 1].rstrip().endswith("{") and lines[line - 1].strip() != "{"
    before = line if opened else line - 1
    return before if end < before <= last else end


def line_of_name(lines: Sequence[str], start: int, last: int, name: str) -> int:
    """Return the first of some lines that holds a name outside strings, comments and decorators; else ``start``."""
    return next((at for at in range(start, last + 1) if name in _CITED.sub("", lines[at - 1])), start)


def innermost_definition(definitions: Sequence[Definition], line: int) -> Definition | None:
    """Return the innermost definition that holds a line."""
    holding = [one for one in definitions if one.span.start_line <= line <= one.span.end_line]
    return min(holding, key=lambda one: one.span.end_line - one.span.start_line, default=None)


def qualified_name(definition: Definition | None) -> str | None:
    """Return a definition's name, qualified by the names of the definitions around it."""
    return None if definition is None else ".".join((*definition.scope, definition.name))


def stretch(file: IndexedFile, definition: Definition | None, line: int, last: int | None = None) -> tuple[int, int]:
    """Return the lines to quote for some lines of a definition: all of it if it is short, else the lines around them.

    Args:
        file: the file.
        definition: the definition that holds the lines; None for lines outside any.
        line: the first of these lines, 1-based.
        last: the last of them, inclusive; ``line`` if it is not given.
    """
    last = line if last is None else last
    start, end = (definition.span.start_line, definition.span.end_line) if definition else (1, len(file.lines))
    if definition is not None and end - start < _WHOLE:
        return start, end
    # A blank line ends a thought: what stands before it is left out.
    first = next(
        (at + 1 for at in range(line - 1, max(start, line - _BEFORE) - 1, -1) if not file.lines[at - 1].strip()),
        max(start, line - _BEFORE),
    )
    return first, min(end, max(end_of_statement(file.lines, last), last + _AFTER))
