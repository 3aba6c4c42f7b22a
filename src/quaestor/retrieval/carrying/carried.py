"""A query in another language as it is searched for: its English, its names, and of its own words what the index holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from quaestor.retrieval.carrying import spaced, unspaced
from quaestor.retrieval.carrying.values import Piece
from quaestor.retrieval.query import Query, read_query
from quaestor.terms import content_terms, has_unspaced

Frequencies = Callable[[Iterable[str]], Mapping[str, int]]

# Words of grammar by which text in a language is told from English text, as an index holds them.
_MARKS = {
    "de": ("der", "und", "nicht", "wird"),
    "fr": ("les", "est", "une", "dans"),
    "es": ("los", "para", "una", "del"),
    "zh": ("的", "是", "在"),
    "ja": ("ます", "です", "する", "して"),
}
_ENGLISH_MARK = "the"
_FEW = 0.01
"""An index in which a language's grammar stands in a smaller share of the chunks that English does holds none of it."""

_OWN = 2
"""How often a word that the index holds in the question's own language counts, where its English counts once."""


def carried_over(query: Query, language: str, frequencies: Frequencies) -> Query:
    """Return a query as it is searched for in an index; the same one if the glossary knows none of its words.

    Args:
        query: as it was read.
        language: what it is written in, one of the glossary's.
        frequencies: in how many chunks of the index each term stands.
    """
    cut = unspaced.pieces if language in ("zh", "ja") else spaced.pieces
    found = list(cut(query.text, language))
    translated = tuple(dict.fromkeys(word for piece in found for word in piece.english or () if _tells(word)))
    if not translated:
        return query
    return _searched(query, found, translated, frequencies, own=_holds(language, frequencies))


def _holds(language: str, frequencies: Frequencies) -> bool:
    """Return whether an index holds text of a language."""
    counts = frequencies((*_MARKS[language], _ENGLISH_MARK))
    english = counts.get(_ENGLISH_MARK, 0)
    return max(counts[mark] for mark in _MARKS[language]) > _FEW * english


def _tells(word: str) -> bool:
    """Return whether an English word is none of grammar."""
    return bool(set(content_terms(word)) - set(_GRAMMAR))


_GRAMMAR = frozenset("how why where when what which who if for with not to many long".split())


def _searched(
    query: Query, pieces: Sequence[Piece], translated: Sequence[str], frequencies: Frequencies, *, own: bool
) -> Query:
    said = " ".join(word for piece in pieces for word in _said(piece, own=own))
    names = read_query(said)
    kept = [term for piece in pieces if piece.english is None or own for term in _own_terms(piece)]
    english = [term for word in translated for term in content_terms(word)]
    held = frequencies((*kept, *english))
    terms = [term for term in kept if held.get(term)] * (_OWN if own else 1) + [term for term in english if held.get(term)]
    return query._replace(
        text=f"{query.text}\n{said}" if own else said,
        kind="text" if query.kind == "symbol" else query.kind,
        names=names.names,
        terms=tuple(terms),
        places=names.places or query.places,
        qualified=names.qualified,
        asked=query.text,
        translated=tuple(translated),
    )


def _said(piece: Piece, *, own: bool) -> Sequence[str]:
    """Return the words by which a piece stands in the English text."""
    if piece.english is None:
        return () if has_unspaced(piece.said) and not own else (piece.said,)
    return piece.english


def _own_terms(piece: Piece) -> Sequence[str]:
    return () if piece.english == () else content_terms(piece.said)
