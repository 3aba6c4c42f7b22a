"""A query in another language as it is searched for: its English, its names, and words that the index itself holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from quaestor.core.terms import STOP_WORDS, content_terms, find_words, has_unspaced
from quaestor.search.query import Query, read_query
from quaestor.search.translation import word_translation
from quaestor.search.translation.word_translation import Piece

Frequencies = Callable[[Iterable[str]], Mapping[str, int]]

# Words of grammar by which text in a language is told from other text, as an index holds them; two must stand in it.
_MARKS = {
    "de": ("der", "und", "nicht", "wird"),
    "fr": ("les", "une", "avec", "sont"),
    "es": ("los", "las", "una", "por"),
    "zh": ("这", "這", "们", "們", "吗", "嗎"),
    "ja": ("ます", "です", "する", "して"),
}
_ENGLISH_MARK = "the"
_FEW = 0.01
"""An index where a language's grammar stands in a smaller share of the chunks that English does holds none of it."""

_OWN = 2
"""How often a word that an index holds in the question's own language counts, where its English counts once."""


def carried_over(query: Query, language: str, frequencies: Frequencies) -> Query:
    """Return a query as it is searched for in an index; the same one if the glossary knows none of its words.

    Args:
        query: as it was read.
        language: what it is written in, one of the glossary's.
        frequencies: in how many chunks of the index each term stands.
    """
    cut = word_translation.pieces_of_letters if language in ("zh", "ja") else word_translation.pieces_of_words
    found = list(cut(query.text, language))
    share = _share(language, frequencies)
    if share > 1:  # what it says in its own words is found by these
        found = [piece if _is_missing(piece, frequencies) else piece._replace(english=None) for piece in found]
    translated = tuple(dict.fromkeys(word for piece in found for word in piece.english or () if _tells(word)))
    return _searched(query, found, translated, frequencies, own=share > _FEW) if translated else query


def _share(language: str, frequencies: Frequencies) -> float:
    """Return how many chunks of an index are in a language for each one in English."""
    counts = frequencies((*_MARKS[language], _ENGLISH_MARK))
    return sorted(counts.get(mark, 0) for mark in _MARKS[language])[-2] / max(counts.get(_ENGLISH_MARK, 0), 1)


def _is_missing(piece: Piece, frequencies: Frequencies) -> bool:
    """Return whether an index lacks a word as it stands."""
    own = _own_terms(piece)
    held = frequencies(own)
    return not all(held.get(term) for term in own)


def _tells(word: str) -> bool:
    """Return whether an English word is none of grammar."""
    return not STOP_WORDS.issuperset(find_words(word))


def _searched(
    query: Query, pieces: Sequence[Piece], translated: Sequence[str], frequencies: Frequencies, *, own: bool
) -> Query:
    said = " ".join(word for piece in pieces for word in _said(piece, own=own))
    names = read_query(said)
    kept = [term for piece in pieces if piece.english is None or own for term in _own_terms(piece)]
    english = [term for word in translated for term in content_terms(word)]
    held = frequencies((*kept, *english))
    terms = [term for term in kept if held.get(term)] * (_OWN if own else 1) + [
        term for term in english if held.get(term)
    ]
    return query._replace(
        text=f"{query.text}\n{said}" if own else said,
        kind="text" if query.kind == "symbol" else query.kind,
        names=names.names,
        terms=tuple(terms),
        places=names.places or query.places,
        qualified=names.qualified,
        written=names.written,
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
