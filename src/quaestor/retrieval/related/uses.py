"""Uses of a name: candidates by the lexical index, confirmed by the syntax tree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from quaestor.chunking.languages import PROSE
from quaestor.retrieval.paths import profile_path
from quaestor.retrieval.related.files import IndexedFile, load_file
from quaestor.retrieval.related.occurrences import Occurrence, may_use, occurrences, word_pattern
from quaestor.retrieval.related.values import RelatedKind, Relative
from quaestor.stores import FieldBoosts, Store, StoredChunk
from quaestor.terms import terms_of_word

# Of a name that stands in more chunks than this, the ones that hold it most often are looked at.
_MOST_CHUNKS = 500
# Parsing costs about a fifth of a millisecond a kilobyte: what is beyond this is counted and not confirmed.
_PARSED_BYTES = 256_000
_BODY = FieldBoosts(1.0, 0.0, 0.0)
_ROLES = ("call", "reference", "import", "mention")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document in which a name stands.

    Attributes:
        path: its path.
        count: how often the name stands there, in comments and strings too.
        chunks: the chunks that hold it.
    """

    path: str
    count: int
    chunks: tuple[StoredChunk, ...]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Documents in which a name stands, the likeliest to matter first.

    Attributes:
        listed: the documents.
        complete: whether these are all.
    """

    listed: tuple[Candidate, ...]
    complete: bool


def candidates(store: Store, name: str, homes: Collection[str]) -> Candidates:
    """Return the documents in which a name stands as a word of its own.

    Args:
        store: the index.
        name: a plain name.
        homes: paths of the documents that define it; the nearer to one of them, the earlier.
    """
    terms = terms_of_word(name)
    if not terms:
        return Candidates((), True)
    # A compound name is a term as a whole; any other is found by its stem, and told apart by its letters here.
    wanted = terms[:1] if name.isascii() else terms
    scored = store.lexical(wanted, _MOST_CHUNKS, None, _BODY)
    pattern = word_pattern(name)
    found: dict[str, list[StoredChunk]] = {}
    counts: dict[str, int] = {}
    for stored in store.get(identifier for identifier, _ in scored).values():
        if count := sum(1 for _ in pattern.finditer(stored.chunk.text)):
            path = stored.document.path
            found.setdefault(path, []).append(stored)
            counts[path] = counts.get(path, 0) + count
    listed = [
        Candidate(path, counts[path], tuple(chunks))
        for path, chunks in found.items()
        if may_use((one.chunk.text for one in chunks), chunks[0].document.language, name)
    ]
    listed.sort(key=lambda one: (-_nearness(one.path, homes), -one.count, one.path))
    return Candidates(tuple(listed), len(scored) < _MOST_CHUNKS)


class Confirmer:
    """Reads candidates' files and tells what the name does in them, until enough has been parsed.

    Attributes:
        spent: bytes parsed so far.
    """

    def __init__(self, store: Store, name: str, most_bytes: int = _PARSED_BYTES) -> None:
        self._store = store
        self._name = name
        self._most = most_bytes
        self._known: dict[str, tuple[IndexedFile, list[Occurrence] | None] | None] = {}
        self.spent = 0

    def read(self, path: str) -> tuple[IndexedFile, list[Occurrence] | None] | None:
        """Return a file and what the name does in it, None where that cannot be told; None for no such file."""
        if path not in self._known:
            file = load_file(self._store, path)
            if file is None:
                self._known[path] = None
            else:
                found = None
                if self.spent < self._most:
                    found = occurrences(file.text, file.document.language, self._name)
                    self.spent += len(file.text)
                self._known[path] = file, found
        return self._known[path]

    def uses(self, candidate: Candidate, kind: RelatedKind) -> list[Relative]:
        """Return the places of one document that use the name, calls first; what only imports it, if nothing else."""
        read = self.read(candidate.path)
        if read is None:
            return []
        file, found = read
        if found is None:
            return list(_mentions(file, self._name, kind))
        uses = [one for one in found if one.role != "definition"]
        telling = [one for one in uses if one.role != "import"] or uses[:1]
        places: dict[int, Occurrence] = {}
        for one in sorted(telling, key=lambda one: _ROLES.index(one.role)):
            places.setdefault(one.start_line, one)
        return [
            file.relative(kind, one.role, line, one.end_line, ".".join(one.symbols) or None)
            for line, one in places.items()
        ]


def _mentions(file: IndexedFile, name: str, kind: RelatedKind) -> Iterator[Relative]:
    """Yield the lines that hold the name, where no syntax tells more."""
    pattern = word_pattern(name)
    for number, line in enumerate(file.lines, 1):
        if pattern.search(line):
            chunk = file.chunk_at(number)
            yield file.relative(kind, "mention", number, number, chunk.symbol if chunk else None)


def split_tests(found: Iterable[Candidate]) -> tuple[list[Candidate], list[Candidate], list[Candidate]]:
    """Return candidates as code, tests and prose; data is none of them."""
    code: list[Candidate] = []
    tests: list[Candidate] = []
    prose: list[Candidate] = []
    for candidate in found:
        language = candidate.chunks[0].document.language
        if profile_path(candidate.path).test:
            tests.append(candidate)
        elif language in PROSE:
            prose.append(candidate)
        elif not profile_path(candidate.path).data:
            code.append(candidate)
    return code, tests, prose


def _nearness(path: str, homes: Collection[str]) -> int:
    """Return how many folders a path shares with the nearest of ``homes``; more for one of them itself."""
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
