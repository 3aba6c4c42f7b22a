"""What the features need of a chunk whatever the query is: taken apart once, while the chunk stays in use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from struct import Struct
from typing import TypeAlias

from quaestor.core.terms import terms_of_word
from quaestor.search.duplicates import WordSet, word_set
from quaestor.search.path_roles import PathProfile, profile_path
from quaestor.search.phrases import Words, plain
from quaestor.stores import StoredChunk

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
)
"""Names of what no query changes, in their order."""

_TYPE_KINDS = frozenset("class type struct enum interface trait protocol module namespace object impl".split())
_FUNCTION_KINDS = frozenset({"function", "method", "constructor", "macro"})
_REMEMBERED = 1 << 14
_FLOATS = Struct(f"={len(FIXED)}f").pack

Terms: TypeAlias = "tuple[str, ...]"


# No dataclass: a search imports nothing else that makes those, which takes longer than to rank.
class Traits:
    """A chunk, taken apart.

    Attributes:
        stored: the chunk.
        path: what its path says.
        symbol: its symbol in lower case, None without one.
        names: what it defines, in lower case; its symbol where that is all it has.
        defined: what is defined in it for certain, in lower case: not what it only goes on with, and no headings.
        exact: the same in the case in which it is written.
        owners: the names that enclose it and its file's, in lower case: what stands before a qualified name.
        named: the terms of all names in and around it, repeated as often as they occur.
        terms: the same, each once.
        name_terms: the terms of what it defines.
        symbol_parts: the terms of its symbol, without the one of a compound as a whole.
        fixed: the values of ``FIXED``, float32, as bytes.
        words: its text as ``phrases.plain`` reads it, once it was asked for: a query of one word has no runs of words.
        word_sets: what ``word_set`` returned, once it was asked for.
        rows: the embedder's rows for its words as ``Pieces.joined`` gives them, once ``likeness`` asked for them.
    """

    __slots__ = (
        "defined",
        "exact",
        "fixed",
        "name_terms",
        "named",
        "names",
        "owners",
        "path",
        "rows",
        "stored",
        "symbol",
        "symbol_parts",
        "terms",
        "word_sets",
        "words",
    )

    stored: StoredChunk
    path: PathProfile
    symbol: str | None
    names: frozenset[str]
    defined: frozenset[str]
    exact: frozenset[str]
    owners: frozenset[str]
    named: Terms
    terms: frozenset[str]
    name_terms: Terms
    symbol_parts: frozenset[str]
    fixed: bytes
    words: Words
    word_sets: tuple[WordSet | None] | None
    rows: bytes

    def word_set(self) -> WordSet | None:
        """Return its distinct words as ``duplicates`` compares them; found once and kept."""
        if self.word_sets is None:
            self.word_sets = (word_set(self.plain()),)
        return self.word_sets[0]

    def plain(self) -> Words:
        """Return ``words``; found once and kept."""
        if not self.words:
            self.words = plain(self.stored.chunk.text)
        return self.words


_known: dict[int, Traits] = {}


def traits_of(stored: StoredChunk) -> Traits:
    """Return a chunk's traits; remembered for the very object, which they keep alive so that no other has its place."""
    known = _known.get(id(stored))
    if known is None:
        if len(_known) >= _REMEMBERED:
            _known.clear()
        known = _known[id(stored)] = _traits(stored)
    return known


def all_traits(chunks: Sequence[StoredChunk]) -> list[Traits]:
    """Return the traits of chunks; a query asks for those of all its candidates more than once."""
    known = list(map(_known.get, map(id, chunks)))
    return list(map(traits_of, chunks)) if None in known else known  # type: ignore[return-value]


def _traits(stored: StoredChunk) -> Traits:
    chunk, title = stored.chunk, stored.document.title
    symbol = chunk.symbol
    of_symbol = (symbol,) if symbol else ()
    defined = chunk.defines or of_symbol
    path = profile_path(stored.document.path)
    scope_terms = _terms((*chunk.scope, title) if title else chunk.scope)
    name_terms = _terms(defined)
    symbol_terms = name_terms if defined == of_symbol else _terms(of_symbol)
    named = scope_terms + name_terms
    if symbol not in defined:
        named += symbol_terms
    one = Traits()
    one.stored = stored
    one.path = path
    one.symbol = None if symbol is None else symbol.lower()
    one.names = frozenset(map(str.lower, defined))
    one.exact = frozenset() if path.prose else frozenset(chunk.defines)
    one.defined = frozenset(map(str.lower, one.exact))
    one.owners = frozenset(map(str.lower, (*chunk.scope, *of_symbol, path.stem, *path.folders)))
    one.named = named
    one.terms = frozenset(named)
    one.name_terms = name_terms
    one.symbol_parts = frozenset(symbol_terms[1:] or symbol_terms)
    one.fixed = _FLOATS(path.test, path.example, path.declaration, path.prose, *_kind(stored))
    one.words = b""
    one.word_sets = None
    one.rows = b""
    return one


def _terms(names: tuple[str, ...]) -> Terms:
    return tuple([term for name in names for term in terms_of_word(name)])


def _kind(stored: StoredChunk) -> Sequence[float]:
    """Return type_kind, function_kind, anonymous, first_in_file and file_size."""
    chunk = stored.chunk
    return (
        chunk.kind in _TYPE_KINDS,
        chunk.kind in _FUNCTION_KINDS,
        chunk.symbol is None,
        stored.position == 0,
        min(math.log1p(stored.document.size) / 14, 1),
    )
