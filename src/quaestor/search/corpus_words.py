"""A query in the words of a corpus: in English where it is in another language, compounds in both spellings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from quaestor.search.compounds import other_spellings
from quaestor.search.language import CARRIED, language_of
from quaestor.search.query import Query

Frequencies = Callable[[Iterable[str]], Mapping[str, int]]
"""Returns in how many chunks of a corpus each of some terms stands."""


def in_words_of_corpus(query: Query, frequencies: Frequencies) -> Query:
    """Return a query as it is searched for in a corpus."""
    language = language_of(query.text)
    if language in CARRIED and query.kind != "path":
        from quaestor.search.translation import carried_over  # noqa: PLC0415 - a question in English needs none

        query = carried_over(query, language, frequencies)
    return with_other_spellings(query, query.text, frequencies)


def with_other_spellings(query: Query, text: str, frequencies: Frequencies) -> Query:
    """Return a query that also asks for the compounds of a text in their other spelling.

    Args:
        query: the query; a name, a path or a trace stays as it is.
        text: its own, or that which it had before its spelling was corrected.
        frequencies: of the corpus.
    """
    spelt = other_spellings(text, frequencies) if query.kind == "text" else ()
    return query._replace(terms=(*query.terms, *(term for term in spelt if term not in query.terms)))
