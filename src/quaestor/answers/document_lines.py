"""Lines of a corpus's documents as hits, never cut in the middle of a statement."""

from __future__ import annotations

from collections.abc import Sequence

from quaestor.answers.drafts import hit_of_lines
from quaestor.chunking.definitions import Definition, definitions
from quaestor.core.passages import Hit
from quaestor.corpus import Corpus
from quaestor.related.stored_files import IndexedFile, load_file

_LONGEST_STATEMENT = 6
_LARGEST = 1_000_000
"""Letters of a file beyond which its definitions are not looked for."""
_OPENING, _CLOSING = "([{", ")]}"


class CorpusLines:
    """The documents of one corpus by their lines, each read once.

    Args:
        corpus: whose documents they are; it is up to date when lines are asked for.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._store = corpus.store
        self._files: dict[str, IndexedFile | None] = {}
        self._definitions: dict[str, Sequence[Definition]] = {}

    def file(self, path: str) -> IndexedFile | None:
        """Return a document with its text, None if there is none of this path."""
        if path not in self._files:
            self._files[path] = load_file(self._store, path)
        return self._files[path]

    def definitions(self, path: str) -> Sequence[Definition]:
        """Return what a document defines, in order; nothing of a very large one, which takes too long to parse."""
        if path not in self._definitions:
            file = self.file(path)
            parsed = file is not None and len(file.text) <= _LARGEST
            data = file.text.encode("utf-8", "surrogatepass") if file is not None and parsed else b""
            self._definitions[path] = definitions(data, file.document.language) if file is not None and parsed else ()
        return self._definitions[path]

    def hit(self, path: str, start: int, end: int, symbol: str | None = None) -> Hit:
        """Return lines of a document that is there, 1-based and inclusive; blank ones at both ends are left out.

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
        return hit_of_lines(file.document, "\n".join(lines), start, symbol)

    def statement(self, path: str, line: int, symbol: str | None = None) -> Hit:
        """Return a line with those that end what it begins, some lines at most; raises as ``hit``."""
        file = self.file(path)
        if file is None:
            raise KeyError(path)
        return self.hit(path, line, end_of_statement(file.lines, line), symbol)


def end_of_statement(lines: Sequence[str], line: int) -> int:
    """Return the line at which all brackets are closed that a line opens; the line itself where that is far."""
    depth = 0
    for number in range(line, min(line + _LONGEST_STATEMENT, len(lines) + 1)):
        text = lines[number - 1]
        depth += sum(text.count(one) for one in _OPENING) - sum(text.count(one) for one in _CLOSING)
        if depth <= 0:
            return number
    return line
