"""Translates a query in another language: to English words, its names, and the words that the index itself has.

German, French and Spanish put blanks between words; Chinese and Japanese are read as runs of letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches

from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import STOP_WORDS, find_words, has_unspaced, runs_of_scripts, searched_terms, terms_of_word
from quaestor.search.language import language_of
from quaestor.search.query import Query, read_query
from quaestor.search.translation.glossary import (
    COLUMNS,
    INFLECTED,
    English,
    Glossary,
    forms,
    glossary_of,
    inflections,
    words_alike,
)

# Names stay as they are: with a digit, a dot, a slash or an underscore inside, or a capital behind a small letter.
_TOKEN = re.compile(r"`[^`\n]+`|[^\s\"“”„«»]+")
_NAME = re.compile(r"[`_@#$\\/<>=(){}\[\]|*+~^%&]|\d|\w[.:]\w|[a-zäöü][A-Z]|^-|::|->")
_EDGES = "\"'“”„«»‚‘’.,;:!?¿¡()[]…–—-"
_CLAUSE_ENDS = ",.;:!?"
# What German verbs part with: "schaltet … ab" is "abschalten".
_PARTICLES = frozenset(
    """ab an auf aus bei ein fehl fest frei fort heraus herunter hinzu hoch los mit nach um vor weg wieder zu
    zurück""".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST_PART = 3
_LONGEST_COMPOUND = 40
_JOINTS = ("s", "es", "n", "en", "er", "e", "")

_OF_NOUNS = {
    "de": (("s", ""), ("n", ""), ("es", ""), ("en", "")),
    "fr": (("s", ""), ("aux", "al"), ("x", "")),
    "es": (("s", ""), ("es", ""), ("ces", "z")),
}
"""Endings of nouns in other cases than the listed one or in the plural, each with that of the listed form."""

_SHORTEST_MISSPELT, _MISSPELT = 7, 0.9
"""The fewest letters of a word that may be taken for another one, and how similar the two are: all but a letter."""

_KATAKANA = re.compile("[\u30a1-\u30ff]+")
_HIRAGANA = re.compile("[\u3041-\u309f]+")
_ONE_KATAKANA = re.compile("[\u30a1-\u30ff]")


class TranslatedPiece(NamedTuple):
    """A word, a phrase or a name of a text.

    Attributes:
        original: the original text.
        english: its English words, likeliest first; empty for a word of grammar, None if the glossary lacks it.
    """

    original: str
    english: tuple[str, ...] | None


def pieces_of_words(text: str, language: str) -> Iterator[TranslatedPiece]:
    """Yield the pieces of a text in order: names as they are, words with their English."""
    glossary = glossary_of(language)
    run: list[str] = []
    for token in _TOKEN.findall(text):
        bare = token.strip(_EDGES)
        if _NAME.search(bare) or token.startswith("`"):
            yield from _translate_words(run, glossary, language)
            run = []
            yield TranslatedPiece(token, None)
            continue
        run += _WORD.findall(bare)
        if token[-1] in _CLAUSE_ENDS:
            yield from _translate_words(run, glossary, language)
            run = []
    yield from _translate_words(run, glossary, language)


def _translate_words(words: list[str], glossary: Glossary, language: str) -> Iterator[TranslatedPiece]:
    known = [forms(word.lower(), language) for word in words]
    verb = _find_separated_verb(words, glossary) if language == "de" else None
    # Alone, the two parts of a separated verb are other words: "fahre … herunter" is no "fahre".
    parts = (verb[0], len(words) - 1) if verb and words[verb[0]].islower() else ()
    at = 0
    while at < len(words):
        for count in range(min(glossary.longest, len(words) - at), 1, -1):
            english = glossary.phrases.get(tuple(surest[0] for surest in known[at : at + count]))
            if english is not None:
                yield TranslatedPiece(" ".join(words[at : at + count]), english)
                at += count
                break
        else:
            if at not in parts:
                yield _translate_word(words[at], known[at], glossary, language)
            at += 1
    if verb:
        yield TranslatedPiece(f"{words[verb[0]]} {words[-1].lower()}", verb[1])


def _find_separated_verb(words: list[str], glossary: Glossary) -> tuple[int, English] | None:
    """Return the index of a clause's verb whose particle ends the clause, and the English for both; None if none is."""
    particle = words[-1].lower() if words else ""
    if particle not in _PARTICLES:
        return None
    # The first part of such a verb stands somewhere before the particle, and is not a word of grammar.
    for at, word in enumerate(words[:-1]):
        whole = forms(particle + word.lower(), "de") if glossary.words.get(word.lower()) != () else ()
        if known := next((glossary.forms[form] for form in whole if form in glossary.forms), None):
            return at, known
    return None


def _translate_word(word: str, stems: tuple[str, ...], glossary: Glossary, language: str) -> TranslatedPiece:
    if word.isupper() and len(word) > 1:
        return TranslatedPiece(word, None)  # HTTP, API
    english = glossary.words.get(word.lower())
    if english is None and (language != "de" or word[:1].isupper()):
        english = _translate_noun(word.lower(), glossary, language)
    if english is None:
        english = next((one for form in stems if (one := glossary.forms.get(form)) is not None), None)
    if english is None and language == "de":
        english = _translate_compound(word.lower(), glossary)
    if english is None:
        english = _translate_misspelt(word.lower(), glossary)
    return TranslatedPiece(word, english)


def _translate_misspelt(word: str, glossary: Glossary) -> English | None:
    """Return the English of the one word that a long word differs from by hardly a letter, and the word itself."""
    lengths = range(max(len(word) - 1, _SHORTEST_MISSPELT - 1), len(word) + 2)
    known = [one for one in glossary.words if one[0] == word[0] and len(one) in lengths]
    near = get_close_matches(word, known, 1, _MISSPELT) if len(word) >= _SHORTEST_MISSPELT else ()
    english = glossary.words[near[0]] if near else ()
    return (*english, word) if english else None


def _translate_noun(word: str, glossary: Glossary, language: str) -> English | None:
    """Return the English of a noun by its singular: its stem would be that of a verb (Benutzers, utilisateurs)."""
    cases = (word.removesuffix(end) + listed for end, listed in _OF_NOUNS[language] if word.endswith(end))
    known = (glossary.words.get(one, ()) for one in cases if len(one) > _SHORTEST_PART)
    return next((english for english in known if any(map(_has_content, english))), None)


def _translate_compound(word: str, glossary: Glossary) -> English | None:
    """Return the English of a German compound: the likeliest word of each of its parts, of which all are known."""
    parts = _translate_parts(word, glossary, {}) if len(word) <= _LONGEST_COMPOUND else None
    return (" ".join(english[0] for english in parts),) if parts else None


def _translate_parts(word: str, glossary: Glossary, memo: dict[str, list[English] | None]) -> list[English] | None:
    """Return the English of the fewest known parts that make up a word, or None."""
    if word not in memo:
        memo[word] = None
        whole = _look_up(word, glossary)
        splits = [[whole]] if whole else []
        for end in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            first = _look_up_first(word[:end], glossary)
            rest = _translate_parts(word[end:], glossary, memo) if first else None
            if first and rest:
                splits.append([first, *rest])
        memo[word] = min(splits, key=len, default=None)
    return memo[word]


def _look_up_first(part: str, glossary: Glossary) -> English | None:
    """Return the English of a part before others, without its linking letters or with an ending added."""
    bare = [part.removesuffix(joint) for joint in _JOINTS if part.endswith(joint)]
    bare = [one for one in bare if len(one) >= _SHORTEST_PART]
    # As it stands before its stem: what a user does is "use" only to a stemmer.
    for one in (part, *bare):
        if english := glossary.words.get(one):
            return english
    if stemmed := next((english for one in bare if (english := _look_up(one, glossary))), None):
        return stemmed
    # Schreib-, Les-: the roots of verbs, and Sprach-, Grenz-: nouns without their last letter.
    return glossary.words.get(part + "en") or glossary.words.get(part + "e") or None


def _look_up(part: str, glossary: Glossary) -> English | None:
    english = glossary.words.get(part)
    if english is None and len(part) > _SHORTEST_PART:
        english = next((one for form in forms(part, "de") if (one := glossary.forms.get(form))), None)
    return english or None


def pieces_of_letters(text: str, language: str) -> Iterator[TranslatedPiece]:
    """Yield the pieces of a text in order: names as they are, words with their English, and the text between them."""
    glossary = glossary_of(language)
    for run in runs_of_scripts(text):
        if has_unspaced(run):
            yield from _translate_run(run, glossary)
        else:
            yield from (TranslatedPiece(token, None) for token in run.split())


def _translate_run(run: str, glossary: Glossary) -> Iterator[TranslatedPiece]:
    """Yield the longest words that the glossary knows, from left to right, and the rest of the run."""
    left, at = "", 0
    while at < len(run):
        length = next(
            (n for n in range(min(glossary.longest, len(run) - at), 0, -1) if _is_word_at(run, at, n, glossary)), 0
        )
        if not length:
            left, at = left + run[at], at + 1
            continue
        if left:
            yield _untranslated_piece(left)
            left = ""
        yield TranslatedPiece(run[at : at + length], glossary.words[run[at : at + length]])
        at += length
    if left:
        yield _untranslated_piece(left)


def _is_word_at(run: str, at: int, length: int, glossary: Glossary) -> bool:
    """Return whether a word of the glossary is at a position; one in katakana must be a whole run."""
    word = run[at : at + length]
    if word not in glossary.words:
        return False
    if not _KATAKANA.fullmatch(word):
        return True
    before, after = run[at - 1 : at] if at else "", run[at + length : at + length + 1]
    alone = not _ONE_KATAKANA.match(before) and not _ONE_KATAKANA.match(after)
    return alone or length > 2  # アプリケーションサーバー is two words of katakana, カラム no colour


def _untranslated_piece(piece: str) -> TranslatedPiece:
    """Return a piece that the glossary does not know; hiragana between words are grammar."""
    return TranslatedPiece(piece, () if _HIRAGANA.fullmatch(piece) else None)


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
"""An index holds no documents in a language if its words of grammar occur in a smaller share of the chunks in which
English ones do."""


def meanings(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the English for each word of a text that the glossary of its language knows, likeliest first."""
    language = language_of(text)
    if language in COLUMNS:
        cut = pieces_of_letters if language in ("zh", "ja") else pieces_of_words
        yield from (piece.english for piece in cut(text, language) if piece.english)


def translate_query(query: Query, language: str, frequencies: Frequencies) -> Query:
    """Return the translation of a query for an index, or the query itself if the glossary knows none of its words.

    Args:
        query: the query as ``read_query`` returns it.
        language: the language of the query, one of the glossary's.
        frequencies: the number of chunks of the index that hold each term.
    """
    cut = pieces_of_letters if language in ("zh", "ja") else pieces_of_words
    pieces = list(cut(query.text, language))
    share = _share(language, frequencies)
    own = share > _FEW
    if share > 1:  # what it says in its own words is found by these
        pieces = [
            piece._replace(english=None) if _is_indexed(piece, language, frequencies) else piece for piece in pieces
        ]
    own_terms = _indexed_terms(pieces, language if own else "", frequencies)
    alike: Sequence[str] = ()
    if share > 1 and language in INFLECTED:
        alike = _terms_alike(pieces, language, frequencies)
    elif share > 1:
        own_terms = _terms_in_index(
            searched_terms(_without_grammar(query.text, cut(query.text, language))), frequencies
        )
    translated = tuple(dict.fromkeys(word for piece in pieces for word in piece.english or () if _has_content(word)))
    english = _terms_in_index([term for word in translated for term in searched_terms(word)], frequencies)
    terms = (*own_terms, *(own_terms if own else ()), *english, *(term for term in alike if term not in own_terms))
    if translated:
        return _query_with_english(query, pieces, translated, own=own)._replace(terms=terms)
    return query._replace(terms=terms) if share > 1 and own_terms else query


def _share(language: str, frequencies: Frequencies) -> float:
    """Return the ratio of an index's chunks in a language to those in English."""
    counts = frequencies((*_MARKS[language], _ENGLISH_MARK))
    return sorted(counts.get(mark, 0) for mark in _MARKS[language])[-2] / max(counts.get(_ENGLISH_MARK, 0), 1)


def _is_indexed(piece: TranslatedPiece, language: str, frequencies: Frequencies) -> bool:
    """Return whether an index holds each word of a piece in any form; a word of grammar never counts as held."""
    words = _forms_of_words(piece, language)
    counts = frequencies([term for word in words for term in word])
    return all(any(map(counts.get, word)) for word in words) and (bool(words) or language not in INFLECTED)


def _indexed_terms(pieces: Sequence[TranslatedPiece], language: str, frequencies: Frequencies) -> Sequence[str]:
    """Return the terms of an index by which pieces are found as they stand, or in other forms of the language."""
    terms = [
        term
        for piece in pieces
        if piece.english is None or language
        for word in _forms_of_words(piece, language)
        for term in word
    ]
    return _terms_in_index(terms, frequencies)


def _terms_in_index(terms: Sequence[str], frequencies: Frequencies) -> Sequence[str]:
    counts = frequencies(terms)
    return [term for term in terms if counts.get(term)]


def _terms_alike(pieces: Sequence[TranslatedPiece], language: str, frequencies: Frequencies) -> Sequence[str]:
    """Return the terms of an index that are synonyms, in their language, of the words of some pieces."""
    known = words_alike(language)
    words = [word.lower() for piece in pieces if not _is_grammar(piece) for word in find_words(piece.original)]
    others = dict.fromkeys(other for word in words for other in known.get(forms(word, language)[0], ()))
    return _terms_in_index(list(dict.fromkeys(term for other in others for term in terms_of_word(other))), frequencies)


def _without_grammar(text: str, pieces: Iterable[TranslatedPiece]) -> str:
    """Return a text in a script without spaces, with blanks for words of grammar of several letters.

    A single letter of grammar may be a part of any word.
    """
    at = 0
    for piece in pieces:
        at = text.find(piece.original, at)
        end = at + len(piece.original)
        if len(piece.original) > 1 and _is_grammar(piece):
            text = f"{text[:at]}{' ' * len(piece.original)}{text[end:]}"
        at = end
    return text


def _is_grammar(piece: TranslatedPiece) -> bool:
    """Return whether a piece says nothing by itself, in English either."""
    return piece.english is not None and not any(map(_has_content, piece.english))


def _forms_of_words(piece: TranslatedPiece, language: str) -> Sequence[Sequence[str]]:
    """Return the terms of each word of a piece, with those of its other forms in a language that inflects.

    A word of grammar has none.
    """
    if language not in INFLECTED:
        return () if piece.english == () else [(term,) for term in searched_terms(piece.original)]
    if _is_grammar(piece):
        return ()
    words = find_words(piece.original)
    forms = [(word, *(inflections(word.lower(), language) if word.isalpha() else ())) for word in words]
    return [tuple(dict.fromkeys(term for form in own for term in terms_of_word(form))) for own in forms]


def _has_content(word: str) -> bool:
    """Return whether an English word is not a function word."""
    return not STOP_WORDS.issuperset(find_words(word))


def _query_with_english(
    query: Query, pieces: Sequence[TranslatedPiece], translated: Sequence[str], *, own: bool
) -> Query:
    english = " ".join(word for piece in pieces for word in _english_words(piece, own=own))
    names = read_query(english)
    return query._replace(
        text=f"{query.text}\n{english}" if own else english,
        kind="text" if query.kind == "symbol" else query.kind,
        names=names.names,
        places=names.places or query.places,
        qualified=names.qualified,
        written_names=names.written_names,
        original=query.text,
        translated=tuple(translated),
    )


def _english_words(piece: TranslatedPiece, *, own: bool) -> Sequence[str]:
    """Return the words for a piece in the English text."""
    if piece.english is None:
        return () if has_unspaced(piece.original) and not own else (piece.original,)
    return piece.english
