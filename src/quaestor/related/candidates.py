"""Where a name stands as a word: the documents that may define or use it, from the lexical index and the letters."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from quaestor.chunking.languages import PROSE
from quaestor.core.terms import terms_of_word
from quaestor.related.occurrences import defining_pattern, may_use, word_pattern
from quaestor.search.path_roles import profile_path
from quaestor.stores import FieldBoosts, Store, StoredChunk

# What is looked at, for each place that is wanted. Of a name that stands in more chunks, those that hold it most often
# are; a chunk takes some 30 microseconds to fetch.
_CHUNKS_EACH = 30
_LEAST_EACH = 10
_BODY = FieldBoosts(1.0, 0.0, 0.0)


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

    @property
    def language(self) -> str:
        """The document's language."""
        return self.chunks[0].document.language


@dataclass(frozen=True, slots=True)
class Candidates:
    """Documents in which a name stands, the likeliest to matter first.

    Attributes:
        listed: the documents.
        complete: whether these are all.
    """

    listed: tuple[Candidate, ...]
    complete: bool


def documents_with_name(store: Store, name: str, limit: int) -> Candidates:
    """Return the documents in which a name stands as a word of its own, in comments and strings too.

    Args:
        store: the index.
        name: a plain name.
        limit: places that are wanted; of a word that stands everywhere, so many more are looked at.
    """
    # The mark at the end of a name in Ruby or Elixir is not part of a term.
    terms = terms_of_word(name.rstrip("!?"))
    if not terms:
        return Candidates((), True)
    # A compound name is a term as a whole; any other is found by its stem, and told apart by its letters here.
    wanted = terms[:1] if name.isascii() else terms
    most = _CHUNKS_EACH * max(limit, _LEAST_EACH)
    scored = store.lexical(wanted, most, None, _BODY)
    pattern = word_pattern(name)
    found: dict[str, list[StoredChunk]] = {}
    counts: dict[str, int] = {}
    for stored in store.get(identifier for identifier, _ in scored).values():
        if count := sum(1 for _ in pattern.finditer(stored.chunk.text)):
            path = stored.document.path
            found.setdefault(path, []).append(stored)
            counts[path] = counts.get(path, 0) + count
    listed = (Candidate(path, counts[path], tuple(chunks)) for path, chunks in found.items())
    return Candidates(tuple(listed), len(scored) < most)


def that_may_use(found: Candidates, name: str, homes: Collection[str]) -> Candidates:
    """Return the documents that may use a name as ``homes`` define it; the nearer to one of those, the earlier."""
    kept = [
        one
        for one in found.listed
        if one.path in homes or may_use((stored.chunk.text for stored in one.chunks), one.language, name)
    ]
    kept.sort(key=lambda one: (-_nearness(one.path, homes), -one.count, one.path))
    return Candidates(tuple(kept), found.complete)


def that_may_define(found: Candidates, name: str) -> list[str]:
    """Return the paths of documents in which a word before the name says that it is defined there."""
    pattern = defining_pattern(name)
    return [one.path for one in found.listed if any(pattern.search(stored.chunk.text) for stored in one.chunks)]


def split_tests(found: Iterable[Candidate]) -> tuple[list[Candidate], list[Candidate], list[Candidate]]:
    """Return candidates as code, tests and prose; data is left out."""
    code: list[Candidate] = []
    tests: list[Candidate] = []
    prose: list[Candidate] = []
    for candidate in found:
        if profile_path(candidate.path).test:
            tests.append(candidate)
        elif candidate.language in PROSE:
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
