"""Undoing in a model's new lines the damage that its quotation of the old ones shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quaestor.edits.indents import Indent, UnclearError, indentation
from quaestor.edits.keys import TYPOGRAPHY, indent_of, straight


class Mending:
    """Makes new lines as the file would have them.

    Args:
        pairs: (proposed line, line of the file) that are the same but for blanks and typography.
        proposed: all lines of the proposal.
        file: all lines of the file.
        prose: whether blanks at a line's end can mean something.
    """

    def __init__(
        self, pairs: Sequence[tuple[str, str]], proposed: Sequence[str], file: Sequence[str], *, prose: bool
    ) -> None:
        self._pairs = [(said, there) for said, there in pairs if said.strip()]
        self._file = file
        self._prose = prose
        self._indent: Indent = indentation(self._pairs, proposed, file)
        self._strips = any(_tail(said) != _tail(there) for said, there in self._pairs)
        self._ends_matter = any(_tail(there) for _, there in self._pairs)
        self._spread = any(_inner(said) != _inner(there) for said, there in self._pairs)

    def line(self, said: str) -> str:
        """Return a new line as it is to be written.

        Raises:
            UnclearError: the pairs leave open how.
        """
        if not said.strip():
            return "" if self._strips else said
        body = said[len(indent_of(said)) :]
        body = self._plain(body)
        if self._spread and ("  " in body.strip() or "\t" in body):
            raise UnclearError("blanks within its lines differ from the file's")
        if self._strips and self._ends_matter and _tail(body):
            raise UnclearError("blanks at its lines' ends differ from the file's")
        return self._indent(indent_of(said)) + (body.rstrip(" \t") if self._strips else body)

    def _plain(self, body: str) -> str:
        """Return a line without the kinds of typographic characters that the model put in by itself."""
        for kind in TYPOGRAPHY:
            if any(letter in body for letter in kind) and self._is_damage(kind):
                body = body.translate({ord(letter): plain for letter, plain in kind.items()})
        return body

    def _is_damage(self, kind: Mapping[str, str]) -> bool:
        """Return whether characters of a kind stand where the file has plain ones.

        Raises:
            UnclearError: neither the quoted lines nor the file tell.
        """
        said, there = ("\n".join(lines) for lines in zip(*self._pairs, strict=True)) if self._pairs else ("", "")
        if sum(map(said.count, kind)) > sum(map(there.count, kind)):
            return True
        plainly = any(plain in said and plain.strip() for plain in kind.values())
        if self._prose or plainly or any(letter in line for line in self._file for letter in kind):
            return False
        raise UnclearError("it brings typographic quotes or dashes into a file that has none")


def _inner(line: str) -> str:
    return straight(line).strip()


def _tail(line: str) -> str:
    return line[len(line.rstrip(" \t")) :]
