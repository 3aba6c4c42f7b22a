"""Names in a question that nothing in a corpus mentions: what is asked about is not there."""

from __future__ import annotations

import re

from quaestor.chunking.languages import PROSE, knows_extension
from quaestor.corpus.names import names_in
from quaestor.stores import Store, StoredChunk
from quaestor.terms import find_words, split_identifier, terms_of_word

_LOOKED_AT = 50


def unmentioned(store: Store, question: str) -> tuple[str, ...]:
    """Return the names in a question that stand in no chunk, title or path, whatever their capitals and separators.

    In prose an acronym must stand in capitals: a board with an ``ARM`` is no arm. ``asyncio.run`` stands wherever its
    parts do, ``build.rs`` only where a file of this name is mentioned.
    """
    return tuple(name for name in names_in(question) if not _is_mentioned(store, name))


def _is_mentioned(store: Store, name: str) -> bool:
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


def _said(stored: StoredChunk) -> str:
    """Return all that the index knows a chunk by."""
    document, chunk = stored.document, stored.chunk
    return " ".join(filter(None, (document.path, document.title, *chunk.scope, chunk.symbol, chunk.text)))
