"""Names in a question that nothing in a corpus mentions: what is asked about is not there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quaestor.chunking.languages import PROSE, knows_extension
from quaestor.core.terms import find_words, split_identifier, terms, terms_of_word
from quaestor.corpus.question_names import names_in
from quaestor.search.file_features import agreement
from quaestor.search.query import read_query
from quaestor.search.spelling import SAY_NOTHING, Unknown
from quaestor.stores import FieldBoosts, Store, StoredChunk

_LOOKED_AT = 50
_BY_PATH = FieldBoosts(0.0, 1.0, 0.0)
_ABSOLUTE = re.compile(r"[/~\\]|[A-Za-z]:[/\\]")
_SAME_NAME = 0.4
"""How well two files agree that bear one name in different folders."""


def unmentioned(store: Store, question: str) -> tuple[str, ...]:
    """Return the names in a question that stand in no chunk, title or path, whatever their capitals and separators.

    In prose an acronym must stand in capitals: a board with an ``ARM`` is no arm. ``asyncio.run`` stands wherever its
    parts do, ``build.rs`` only where a file of this name is mentioned.
    """
    return tuple(name for name in names_in(question) if not _is_mentioned(store, name))


def share_absent(question: str, unknown: Sequence[Unknown]) -> float:
    """Return the share of a question's words that stand nowhere, and nothing like them, 0 to 1.

    Words that say nothing count neither way: ``how do I boil an egg`` has two, and a corpus of code neither.
    """
    words = {word.lower() for word in find_words(question) if len(word) > 1} - SAY_NOTHING
    absent = {one.word.lower() for one in unknown if not one.nearest}
    return len(words & absent) / max(1, len(words))


def _is_mentioned(store: Store, name: str) -> bool:
    if _is_elsewhere(name) or _is_path_here(store, name):
        return True
    if "." in name and "/" not in name and not knows_extension(name):
        return all(_is_mentioned(store, part) for part in name.split(".") if part)
    parts = [part for word in find_words(name) for part in split_identifier(word)]
    terms = [terms_of_word(part)[-1] for part in parts]
    frequencies = store.frequencies(terms)
    if not all(frequencies.get(term) for term in terms):
        return False
    acronym = name.isupper() and name.isalpha()
    if len(terms) < 2 and not acronym:
        return True
    holders = store.get(identifier for identifier, _ in store.lexical(terms, _LOOKED_AT)).values()
    if not acronym:
        # However it is written: get_user, getUser, get-user; but not get1User, nor http 31 for http/3.
        written = re.compile(r"[\W_]?".join(map(re.escape, parts)) + r"(?!\d)", re.IGNORECASE)
        return any(written.search(_said(one)) for one in holders)
    capitals = re.compile(rf"(?<![A-Z]){re.escape(name)}(?![A-Z](?![a-z]))")
    return any(one.document.language not in PROSE or capitals.search(_said(one)) for one in holders)


def _is_elsewhere(name: str) -> bool:
    """Return whether a name is a place on some machine, which says nothing of what is asked about."""
    return _ABSOLUTE.match(name) is not None


def _is_path_here(store: Store, name: str) -> bool:
    """Return whether a document's path ends as a path or module does, whatever separates its folders."""
    for place in read_query(name).places:
        stem = place.path.rpartition("/")[2].partition(".")[0]
        near = store.lexical(terms(stem), _LOOKED_AT, None, _BY_PATH)
        if any(_is_end(place.path, path) for path in store.paths_of(chunk for chunk, _ in near)):
            return True
    return False


def _is_end(pointed: str, path: str) -> bool:
    """Return whether a file's name, and its folder where both have one, is what is pointed at."""
    folders = "/" in pointed and "/" in path
    return agreement(pointed, path) > (_SAME_NAME if folders else 0)


def _said(stored: StoredChunk) -> str:
    """Return all that the index knows a chunk by."""
    document, chunk = stored.document, stored.chunk
    return " ".join(filter(None, (document.path, document.title, *chunk.scope, chunk.symbol, chunk.text)))
