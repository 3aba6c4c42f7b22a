"""The subroutines of a corpus, ready to be called."""

from __future__ import annotations

from quaestor.corpus import Corpus
from quaestor.subroutines.edit import edit_of
from quaestor.subroutines.listing import list_of
from quaestor.subroutines.read import read_of
from quaestor.subroutines.registry import Registry
from quaestor.subroutines.related import related_of
from quaestor.subroutines.search import search_of


def registry_of(corpus: Corpus, *, edits: bool = True) -> Registry:
    """Return all subroutines of a corpus; without ``edits``, those that propose no change."""
    reading = [search_of(corpus), read_of(corpus), related_of(corpus), list_of(corpus)]
    return Registry([*reading, edit_of(corpus)] if edits else reading)
