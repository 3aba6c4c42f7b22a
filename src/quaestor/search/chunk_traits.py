"""The traits of a chunk that features need for every query, computed once while the chunk is in use.

Recently fetched chunks are kept with their traits, so that a conversation on the same files does not fetch them again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from struct import Struct
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from quaestor.core.terms import terms_of_word
from quaestor.search.background_documents import is_generated
from quaestor.search.path_roles import PathProfile, profile_path
from quaestor.search.phrases import Words, WordSet, word_numbers, word_set
from quaestor.stores import Store, StoredChunk, Where

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIXED: tuple[str, ...] = (
    "test",
    "example",
    "declaration",
    "prose",
    "type_kind",
    "function_kind",
    "anonymous",
    "first_in_file",
    "file_size",
    "generated",
    "values",
    "data",
    "position",
)
"""Names of what no query changes, in their order: features, and what else is looked at of every candidate."""
PROSE_ROW, GENERATED_ROW, VALUES_ROW, DATA_ROW = map(FIXED.index, ("prose", "generated", "values", "data"))

_VALUES = "csv"
"""The language of tables of values, which are neither prose nor code."""

_TYPE_KINDS = frozenset("class type struct enum interface trait protocol module namespace object impl".split())
_FUNCTION_KINDS = frozenset({"function", "method", "constructor", "macro"})
_FLOATS = Struct(f"={len(FIXED)}f").pack

Terms: TypeAlias = "tuple[str, ...]"

# Rust and Zig keep tests in the source file: in a module of that name, or marked (``#[tokio::test]``).
_TEST_MODULES = frozenset({"test", "tests"})
_TEST_MARK = re.compile(r"^[ \t]*(?:#\[(?:\w+::)*(?:test|rstest)\b|#\[cfg\(test\)\]|test[ \t]+\")", re.MULTILINE)
_MARKED_LANGUAGES = frozenset({"rust", "zig"})

_MOST_RECENT = 1 << 14
"""The size of the cache. Two hundred different queries use some ten thousand chunks, each of 2 to 3 kB."""

_MOST_DOCUMENTS = 256
_MOST_POINTED = 1 << 10

Fits: TypeAlias = "Sequence[tuple[float, str]]"
"""Documents by how well they fit, best first."""


class Traits:
    """A chunk with the traits that features are computed from.

    Attributes:
        stored: the chunk.
        path: the profile of its path.
        test: whether it is a test, by its path or by its place within its file.
        all_terms: the terms of all names in and around it, repeated as often as they occur.
        terms: the same terms, each once.
        name_terms: the terms of the names that it defines.
        symbol_parts: the terms of its symbol, without the one of a compound as a whole.
        exact: names whose definitions begin in it, without headings.
        fixed: the values of ``FIXED``, float32, as bytes.
        rows: the embedder's rows for its words, as ``Pieces.row_bytes`` returns them; computed at the first use.
        words: its text as ``phrases.word_numbers`` reads it; computed by ``read_words`` at the first use, because a
            query of one word has no runs and does not need it.
    """

    __slots__ = (
        "_word_set",
        "all_terms",
        "exact",
        "fixed",
        "name_terms",
        "path",
        "rows",
        "stored",
        "symbol_parts",
        "terms",
        "test",
        "words",
    )

    def __init__(self, stored: StoredChunk) -> None:
        chunk, title = stored.chunk, stored.document.title
        symbol = chunk.symbol
        of_symbol = (symbol,) if symbol else ()
        defined = chunk.defines or of_symbol
        scope_terms = _terms((*chunk.scope, title) if title else chunk.scope)
        name_terms = _terms(defined)
        symbol_terms = name_terms if defined == of_symbol else _terms(of_symbol)
        all_terms = scope_terms + name_terms
        if symbol not in defined:
            all_terms += symbol_terms
        self.stored = stored
        self.path = path = profile_path(stored.document.path)
        self.all_terms = all_terms
        self.terms = frozenset(all_terms)
        self.name_terms = name_terms
        self.symbol_parts = frozenset(symbol_terms[1:] or symbol_terms)
        self.exact: Sequence[str] = () if path.prose else chunk.defines
        self.test = test = path.test or is_inline_test(stored)
        self.fixed = _FLOATS(test, path.example, path.declaration, path.prose, *_kind(stored, path))
        self.rows = b""
        self.words: Words = b""
        self._word_set: tuple[WordSet | None] | None = None

    @property
    def names(self) -> frozenset[str]:
        """The names that it defines, in lower case; its symbol if it defines none."""
        chunk = self.stored.chunk
        return frozenset(map(str.lower, chunk.defines or ((chunk.symbol,) if chunk.symbol else ())))

    @property
    def owners(self) -> frozenset[str]:
        """The names of its enclosing definitions and its file, in lower case, as they precede a qualified name."""
        chunk, path = self.stored.chunk, self.path
        of_symbol = (chunk.symbol,) if chunk.symbol else ()
        return frozenset(map(str.lower, (*chunk.scope, *of_symbol, path.stem, *path.folders)))

    def holds_line(self, line: int | None) -> bool:
        """Return whether it contains a line of its file, or the file's beginning if no line is named."""
        span = self.stored.chunk.span
        return self.stored.position == 0 if line is None else span.start_line <= line <= span.end_line

    def read_words(self) -> Words:
        """Return ``words``."""
        self.words = self.words or word_numbers(self.stored.chunk.text)
        return self.words

    @property
    def word_set(self) -> WordSet | None:
        """Its distinct words as ``duplicates`` compares them; found once and kept."""
        if self._word_set is None:
            self._word_set = (word_set(self.read_words()),)
        return self._word_set[0]


def fixed_matrix(traits: Sequence[Traits]) -> NDArray[np.float32]:
    """Return what no query changes of some chunks, shape ``(len(FIXED), chunks)``."""
    values = np.frombuffer(b"".join([known.fixed for known in traits]), dtype=np.float32)
    return values.reshape(len(traits), len(FIXED)).T


def is_inline_test(stored: StoredChunk) -> bool:
    """Return whether a chunk is part of a test within the source file that it tests."""
    if stored.document.language not in _MARKED_LANGUAGES:
        return False
    chunk = stored.chunk
    if not _TEST_MODULES.isdisjoint((*chunk.scope, chunk.symbol)):
        return True
    mark = _TEST_MARK.search(chunk.text)
    # A mark in the second half may be that of the next definition.
    return mark is not None and mark.start() < len(chunk.text) / 2


def _terms(names: tuple[str, ...]) -> Terms:
    return tuple([term for name in names for term in terms_of_word(name)])


def _kind(stored: StoredChunk, path: PathProfile) -> Sequence[float]:
    """Return type_kind, function_kind, anonymous, first_in_file, file_size, generated, values, data and position."""
    chunk, document = stored.chunk, stored.document
    return (
        chunk.kind in _TYPE_KINDS,
        chunk.kind in _FUNCTION_KINDS,
        chunk.symbol is None,
        stored.position == 0,
        min(math.log1p(document.size) / 14, 1),
        is_generated(document.note),
        document.language == _VALUES,
        path.data,
        stored.position,
    )


class ChunkCache:
    """Caches fetched chunks while the store's generation, which is passed to ``follow``, stays the same.

    When ``_MOST_RECENT`` chunks were used recently, the chunks that were not are dropped.
    """

    def __init__(self) -> None:
        self._generation = -1
        self._recent: dict[int, Traits] = {}
        self._earlier: dict[int, Traits] = {}
        self._documents: dict[str, Sequence[StoredChunk]] = {}
        self._pointed: dict[tuple[str, Where | None], Fits] = {}

    def get(self, store: Store, ids: Collection[int]) -> list[Traits]:
        """Return the traits of the chunks that exist, in the order of ``ids``; only unknown chunks are fetched."""
        recent = self._recent
        with suppress(KeyError):
            return [recent[identifier] for identifier in ids]
        missing = [identifier for identifier in ids if identifier not in recent]
        earlier = self._earlier
        recent.update((identifier, earlier[identifier]) for identifier in missing if identifier in earlier)
        unknown = [identifier for identifier in missing if identifier not in recent]
        recent.update((identifier, Traits(stored)) for identifier, stored in store.get(unknown).items())
        return [recent[identifier] for identifier in ids if identifier in recent]

    def of_document(self, store: Store, path: str) -> Sequence[StoredChunk]:
        """Return a document's chunks in order, as ``Store.chunks_of`` does."""
        if path not in self._documents:
            self._documents[path] = store.chunks_of(path)
        return self._documents[path]

    def pointed_at(self, path: str, where: Where | None, find: Callable[[str, Where | None], Fits]) -> Fits:
        """Return the result of ``find`` for a path; cached, because traces name the same files repeatedly."""
        known = self._pointed
        if (path, where) not in known:
            known[path, where] = find(path, where)
        return known[path, where]

    def follow(self, generation: int) -> None:
        """Drop outdated chunks, and chunks not used recently if there are too many."""
        if generation != self._generation:
            self._recent, self._earlier, self._documents, self._pointed = {}, {}, {}, {}
            self._generation = generation
        if len(self._recent) > _MOST_RECENT:
            self._recent, self._earlier = {}, self._recent
        if len(self._documents) > _MOST_DOCUMENTS or len(self._pointed) > _MOST_POINTED:
            self._documents, self._pointed = {}, {}
