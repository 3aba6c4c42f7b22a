"""Uses of a name: documents that contain the word, confirmed by their syntax trees.

Candidates come from the lexical index and are checked by their letters.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from quaestor.chunking.languages import PROSE
from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import split_identifier, terms_of_word
from quaestor.related import RelatedKind, Relative
from quaestor.related.imports import outside_names
from quaestor.related.occurrences import (
    Occurrence,
    defining_pattern,
    may_use,
    member_pattern,
    occurrences,
    uses_of_definition,
    word_pattern,
)
from quaestor.related.stored_files import LARGE, IndexedFile, load_file
from quaestor.search.path_roles import profile_path
from quaestor.stores import FieldBoosts, Store, StoredChunk

# A kilobyte takes some 200 microseconds to parse. What lies beyond this is counted, not confirmed.
_BYTES_EACH = 13_000
_LEAST = 10
ROLES = ("call", "base", "reference", "import", "mention")

# What is looked at, for each place that is wanted. Of a name that stands in more chunks, those that hold it most often
# are; a chunk takes some 30 microseconds to fetch.
_CHUNKS_EACH = 30
_LEAST_EACH = 10
_BODY = FieldBoosts(1.0, 0.0, 0.0)


class UseFinder:
    """Parses candidates' files and finds the name's roles in them, up to a limit of parsed bytes.

    Attributes:
        spent: the number of bytes parsed so far.
        homes: the paths of the documents that define the name.
    """

    def __init__(self, store: Store, name: str, limit: int, known: Callable[[], frozenset[str]]) -> None:
        """Prepare to look for a name.

        Args:
            store: the index.
            name: a plain name.
            limit: the number of places to find, which decides how many bytes are parsed.
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
        """Return a file with the name's occurrences (None if it cannot be parsed), or None if the file is missing."""
        if path not in self._known:
            file = load_file(self._store, path)
            if file is None:
                self._known[path] = None
            else:
                self._known[path] = file, self._parse_file(file) if self.spent < self._most else None
        return self._known[path]

    def _parse_file(self, file: IndexedFile) -> list[Occurrence] | None:
        pattern = word_pattern(self._name)
        large = len(file.text) > LARGE
        # Of a large file only the chunks that hold the name are read, at their lines.
        text = file.with_only(lambda chunk: bool(pattern.search(chunk.text))) if large else file.text
        if large and file.document.language == "php" and not text.startswith("<?"):
            text = f"<?php {text}"  # without its opening tag all of it would be a page's text
        self.spent += sum(map(len, text.split())) if large else len(text)
        places = occurrences(text, file.document.language, self._name)
        if places is None or not large:
            return places
        # A method without its class may look like a call of itself.
        defining = defining_pattern(self._name)
        return [
            one._replace(symbols=_in_scope(file, one))
            for one in places
            if one.role != "call" or not defining.search(file.lines[one.start_line - 1])
        ]

    def uses(self, candidate: UseCandidate, kind: RelatedKind) -> list[Relative]:
        """Return the places of one document that use the name, calls first; imports only if there is nothing else."""
        read = self.read(candidate.path)
        if read is None:
            return []
        file, occurrences_in_file = read
        if occurrences_in_file is None:
            # A common word stands everywhere and says nothing.
            return list(_mentions(file, self._name, kind)) if len(split_identifier(self._name)) > 1 else []
        language = file.document.language
        outside = outside_names(file.text, language, self._modules) if occurrences_in_file else frozenset()
        uses = uses_of_definition(
            occurrences_in_file, self._name, file.text, language, outside, home=candidate.path in self.homes
        )
        shown = [one for one in uses if one.role != "import"] or uses[:1]
        places: dict[int, Occurrence] = {}
        for one in sorted(shown, key=lambda one: ROLES.index(one.role)):
            places.setdefault(one.start_line, one)
        return [
            file.relative(kind, one.role, line, one.end_line, ".".join(one.symbols) or None)
            for line, one in places.items()
        ]


def _in_scope(file: IndexedFile, occurrence: Occurrence) -> tuple[str, ...]:
    chunk = file.chunk_at(occurrence.start_line)
    if chunk is None or occurrence.symbols[: len(chunk.scope)] == chunk.scope:
        return occurrence.symbols
    return (*chunk.scope, *occurrence.symbols)


def _mentions(file: IndexedFile, name: str, kind: RelatedKind) -> Iterator[Relative]:
    """Yield the lines that contain the name and do not define it, for files without a syntax tree."""
    pattern, defining = word_pattern(name), defining_pattern(name)
    for number, line in enumerate(file.lines, 1):
        if pattern.search(line) and not defining.search(line):
            chunk = file.chunk_at(number)
            yield file.relative(kind, "mention", number, number, chunk.symbol if chunk else None)


@dataclass(frozen=True, slots=True)
class UseCandidate:
    """A document that contains a name.

    Attributes:
        path: its path.
        count: how often the name occurs in it, in comments and strings, too.
        chunks: the chunks that contain it.
    """

    path: str
    count: int
    chunks: tuple[StoredChunk, ...]

    @property
    def language(self) -> str:
        """The document's language."""
        return self.chunks[0].document.language


class UseCandidates(NamedTuple):
    """Documents that contain a name, the most relevant first.

    Attributes:
        listed: the documents.
        complete: whether no others contain it.
    """

    listed: tuple[UseCandidate, ...]
    complete: bool


def documents_with_name(store: Store, name: str, limit: int) -> UseCandidates:
    """Return the documents that contain a name as a whole word, in comments and strings, too.

    Args:
        store: the index.
        name: a plain name.
        limit: the number of places to find; of a very common word, a multiple of this is looked at.
    """
    # The mark at the end of a name in Ruby or Elixir is not part of a term.
    terms = terms_of_word(name.rstrip("!?"))
    if not terms:
        return UseCandidates((), True)
    # A compound name is a term as a whole, but one that hyphens part, as in Lisp, only its words are; any other name is
    # found by its stem, and told apart by its letters here.
    wanted = terms[1:] if "-" in name and len(terms) > 1 else terms[:1] if name.isascii() else terms
    most = _CHUNKS_EACH * max(limit, _LEAST_EACH)
    scored = store.lexical(wanted, most, None, _BODY)
    pattern = word_pattern(name)
    chunks_by_path: dict[str, list[StoredChunk]] = {}
    counts: dict[str, int] = {}
    for stored in store.get(identifier for identifier, _ in scored).values():
        if count := sum(1 for _ in pattern.finditer(stored.chunk.text)):
            path = stored.document.path
            chunks_by_path.setdefault(path, []).append(stored)
            counts[path] = counts.get(path, 0) + count
    candidates = (UseCandidate(path, counts[path], tuple(chunks)) for path, chunks in chunks_by_path.items())
    return UseCandidates(tuple(candidates), len(scored) < most)


def that_may_use(users: UseCandidates, name: str, homes: Collection[str]) -> UseCandidates:
    """Return the documents that may use a name that ``homes`` define, the nearest to one of those first."""
    kept = [
        one
        for one in users.listed
        if one.path in homes or may_use((stored.chunk.text for stored in one.chunks), one.language, name)
    ]
    kept.sort(key=lambda one: (-_nearness(one.path, homes), -one.count, one.path))
    return UseCandidates(tuple(kept), users.complete)


def that_may_define(users: UseCandidates, name: str) -> list[str]:
    """Return the paths of code where a keyword before the name, or its place in a line, marks a definition."""
    marks = defining_pattern(name), member_pattern(name)
    code = (one for one in users.listed if one.language not in PROSE)
    texts = ((one.path, "\n".join(stored.chunk.text for stored in one.chunks)) for one in code)
    return [path for path, text in texts if any(mark.search(text) for mark in marks)]


def split_tests(
    candidates: Iterable[UseCandidate],
) -> tuple[list[UseCandidate], list[UseCandidate], list[UseCandidate]]:
    """Return candidates as code, tests and prose; data is left out, and a document among tests is prose."""
    code: list[UseCandidate] = []
    tests: list[UseCandidate] = []
    prose: list[UseCandidate] = []
    for candidate in candidates:
        if candidate.language in PROSE:
            prose.append(candidate)
        elif profile_path(candidate.path).test:
            tests.append(candidate)
        elif not profile_path(candidate.path).data:
            code.append(candidate)
    return code, tests, prose


def _nearness(path: str, homes: Collection[str]) -> int:
    """Return how many folders a path shares with the nearest of ``homes``; more if it is one of them."""
    if path in homes:
        return 1000
    parts = path.split("/")[:-1]
    best = 0
    for home in homes:
        shared = 0
        for mine, other in zip(parts, home.split("/")[:-1], strict=False):
            if mine != other:
                break
            shared += 1
        best = max(best, shared)
    return best
