"""Uses of a name, confirmed by the syntax trees of the files in which it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from quaestor.core.terms import split_identifier
from quaestor.related.candidates import Candidate
from quaestor.related.imports import outside_names
from quaestor.related.occurrences import Occurrence, defining_pattern, occurrences, uses_of_definition, word_pattern
from quaestor.related.relatives import RelatedKind, Relative
from quaestor.related.stored_files import LARGE, IndexedFile, load_file
from quaestor.stores import Store

# A kilobyte takes some 200 microseconds to parse. What lies beyond this is counted, not confirmed.
_BYTES_EACH = 13_000
_LEAST = 10
_ROLES = ("call", "reference", "import", "mention")


class Confirmer:
    """Reads candidates' files and tells what the name does in them, until enough has been parsed.

    Attributes:
        spent: bytes parsed so far.
        homes: paths of the documents that define the name.
    """

    def __init__(self, store: Store, name: str, limit: int, known: Callable[[], frozenset[str]]) -> None:
        """Make one.

        Args:
            store: the index.
            name: a plain name.
            limit: places that are wanted; so much more is parsed.
            known: returns all names that modules of this corpus may have, small.
        """
        self._modules = known
        self.homes: frozenset[str] = frozenset()
        self._store = store
        self._name = name
        self._most = _BYTES_EACH * max(limit, _LEAST)
        self._known: dict[str, tuple[IndexedFile, list[Occurrence] | None] | None] = {}
        self.spent = 0

    def read(self, path: str) -> tuple[IndexedFile, list[Occurrence] | None] | None:
        """Return a file and what the name does in it, None where that cannot be told; None for no such file."""
        if path not in self._known:
            file = load_file(self._store, path)
            if file is None:
                self._known[path] = None
            else:
                self._known[path] = file, self._parsed(file) if self.spent < self._most else None
        return self._known[path]

    def _parsed(self, file: IndexedFile) -> list[Occurrence] | None:
        pattern = word_pattern(self._name)
        large = len(file.text) > LARGE
        # Of a large file only the chunks that hold the name are read, at their lines.
        text = file.with_only(lambda chunk: bool(pattern.search(chunk.text))) if large else file.text
        if large and file.document.language == "php" and not text.startswith("<?"):
            text = f"<?php {text}"  # without its opening tag all of it would be a page's text
        self.spent += sum(map(len, text.split())) if large else len(text)
        found = occurrences(text, file.document.language, self._name)
        if found is None or not large:
            return found
        # A method without its class may look like a call of itself.
        defining = defining_pattern(self._name)
        return [
            replace(one, symbols=_in_scope(file, one))
            for one in found
            if one.role != "call" or not defining.search(file.lines[one.start_line - 1])
        ]

    def uses(self, candidate: Candidate, kind: RelatedKind) -> list[Relative]:
        """Return the places of one document that use the name, calls first; what only imports it, if nothing else."""
        read = self.read(candidate.path)
        if read is None:
            return []
        file, found = read
        if found is None:
            # A common word stands everywhere and says nothing.
            return list(_mentions(file, self._name, kind)) if len(split_identifier(self._name)) > 1 else []
        language = file.document.language
        outside = outside_names(file.text, language, self._modules) if found else frozenset()
        uses = uses_of_definition(found, self._name, file.text, language, outside, home=candidate.path in self.homes)
        telling = [one for one in uses if one.role != "import"] or uses[:1]
        places: dict[int, Occurrence] = {}
        for one in sorted(telling, key=lambda one: _ROLES.index(one.role)):
            places.setdefault(one.start_line, one)
        return [
            file.relative(kind, one.role, line, one.end_line, ".".join(one.symbols) or None)
            for line, one in places.items()
        ]


def _in_scope(file: IndexedFile, found: Occurrence) -> tuple[str, ...]:
    chunk = file.chunk_at(found.start_line)
    if chunk is None or found.symbols[: len(chunk.scope)] == chunk.scope:
        return found.symbols
    return (*chunk.scope, *found.symbols)


def _mentions(file: IndexedFile, name: str, kind: RelatedKind) -> Iterator[Relative]:
    """Yield the lines that hold the name, where no syntax tells more."""
    pattern = word_pattern(name)
    for number, line in enumerate(file.lines, 1):
        if pattern.search(line):
            chunk = file.chunk_at(number)
            yield file.relative(kind, "mention", number, number, chunk.symbol if chunk else None)
