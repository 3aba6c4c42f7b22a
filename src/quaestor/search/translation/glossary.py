"""The glossary of a language: the English for each of its words and phrases.

Words of German, French and Spanish are compared by their stems.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import without_accents

COLUMNS = ("de", "fr", "es", "zh", "ja")
"""The languages of the glossary, in the order of its columns after English."""

_GRAMMAR = "grammar.txt"
_FILES = ("acts.txt", "things.txt", "qualities.txt", "everyday.txt", "documents.txt", "technical.txt")
_NOTHING = "."

English = tuple[str, ...]
"""English translations of a word, the likeliest first; empty for a word of grammar, which is left out."""

_WORD = re.compile(r"[^\W\d_]+")
_STEMMERS = {"de": "german", "fr": "french", "es": "spanish"}
# What Snowball leaves of a verb differs by person and tense; its bare root mostly does not.
_ENDINGS = {
    "de": "test tet ten est end te et en st n t e",
    "fr": "aient erait eront èrent issent issant ées ent ant ons ait era ira ées ez ée és er ir re it is é e s u ue us",
    "es": "iendo ieron aron ando aban ados adas idos idas aba ían ado ada ido ida ará erá irá ía ar er ir an en as es ó"
    " ió o a e",
}
_ENDING = {language: re.compile(f"(?:{'|'.join(endings.split())})$") for language, endings in _ENDINGS.items()}
_OTHER_ENDINGS = {"de": "er ern es em s ung ungen", "fr": "es ation ations", "es": "os ación aciones"}
"""Further endings of nouns and adjectives, and of nouns made from verbs."""
_GERMAN_PREFIXES = "|".join(
    "ab an auf aus bei ein fest frei fort her heraus herunter hinzu hoch los mit nach um vor weg wieder zu zurück"
    " zusammen".split()
)
_GERMAN_PARTICIPLE = re.compile(rf"^({_GERMAN_PREFIXES})?ge(?=\w{{3}})")
_GERMAN_TO = re.compile(rf"^({_GERMAN_PREFIXES})zu(?=\w{{4}})")
_GERMAN_PREFIX = re.compile(rf"^(?:{_GERMAN_PREFIXES})(?=\w{{4}})")
_SHORTEST_ROOT = 4


class Glossary(NamedTuple):
    """A language's words.

    Attributes:
        words: the English of each word, or of each run of letters in a script without spaces.
        forms: the English by the word's stems, for languages that inflect.
        phrases: the English of each phrase, by the stems of its words.
        longest: the number of words of the longest phrase, or of letters of the longest run.
    """

    words: dict[str, English]
    forms: dict[str, English]
    phrases: dict[tuple[str, ...], English]
    longest: int


Heads = dict[str, English]


@cache
def glossary_of(language: str) -> Glossary:
    """Return the glossary of a language; it is read once."""
    column = COLUMNS.index(language) + 1
    grammar = _read_heads((_GRAMMAR,), column)
    heads = _read_heads(_FILES, column)
    # A word of grammar is nothing else, whatever else it may mean.
    return (
        _glossary_of_letters(heads | grammar)
        if language in ("zh", "ja")
        else _glossary_of_words(heads | grammar, grammar, language)
    )


def lines(*files: str) -> Iterator[list[str]]:
    """Yield the fields of every line of the named files, English first; of all files if none is named."""
    for name in files or (_GRAMMAR, *_FILES):
        for line in Path(__file__).with_name(name).read_text("utf-8").splitlines():
            yield line.split("|")


def _read_heads(files: Sequence[str], column: int) -> Heads:
    """Return the English for the words and phrases of a column; a word may have several meanings."""
    heads: Heads = {}
    for fields in lines(*files):
        english = [] if fields[0] == _NOTHING else [one.replace("_", " ") for one in fields[0].split()]
        for head in fields[column].lower().split():
            heads[head] = tuple(dict.fromkeys((*heads.get(head, ()), *english)))
    return heads


def _glossary_of_letters(heads: Heads) -> Glossary:
    words = {head.replace("_", ""): english for head, english in heads.items()}
    return Glossary(words, {}, {}, max(map(len, words)))


def _glossary_of_words(heads: Heads, grammar: Heads, language: str) -> Glossary:
    words: Heads = {}
    by_form: Heads = {}
    plain: Heads = {}
    phrases: dict[tuple[str, ...], English] = {}
    for head, english in heads.items():
        parts = _words_of(head.replace("_", " "))
        if len(parts) > 1:
            phrases[tuple(forms(part, language)[0] for part in parts)] = english
            continue
        words[parts[0]] = english
        if head not in grammar:  # the stems of its short words are anything
            if language != "de":
                plain.setdefault(without_accents(parts[0]), english)
            for form in forms(parts[0], language):
                by_form.setdefault(form, english)
    # People leave accents out, and Spanish does in the plural.
    return Glossary({**plain, **words}, by_form, phrases, max(map(len, phrases)))


def _words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, cut at apostrophes and hyphens."""
    return _WORD.findall(text.lower())


@cache
def _stemmer(language: str) -> Any:
    import Stemmer  # noqa: PLC0415 - as the terms do; named here for its languages

    return Stemmer.Stemmer(_STEMMERS[language], 0)


def forms(word: str, language: str) -> tuple[str, ...]:
    """Return the forms by which a word in lower case is compared, the surest first; none has accents."""
    stem = _stemmer(language).stemWord
    # People leave accents out, and what a stemmer cuts off may hang by them.
    stems = [stem(word)] if word.isascii() else [without_accents(stem(word)), stem(without_accents(word))]
    alike = _without_ge(word) if language == "de" else [word]
    stems += [root for one in alike if (root := _root(one, language))]
    return tuple(dict.fromkeys(stems))


@cache
def words_alike(language: str) -> dict[str, tuple[str, ...]]:
    """Return, by the surest form of a word, the other words of its language that name the same notions."""
    column = COLUMNS.index(language) + 1
    alike: dict[str, tuple[str, ...]] = {}
    for fields in lines(*_FILES):
        heads = [head for head in fields[column].lower().split() if "_" not in head]
        for head in heads:
            form = forms(head, language)[0]
            alike[form] = (*alike.get(form, ()), *(one for one in heads if one != head))
    return alike


INFLECTED = frozenset(_ENDINGS)
"""Languages whose endings ``inflections`` knows."""


@lru_cache(maxsize=1 << 10)
def inflections(word: str, language: str) -> tuple[str, ...]:
    """Return possible other forms of a word in lower case, without accents; most of them do not exist."""
    alike = [_stemmer(language).stemWord(word), *(_without_ge(word) if language == "de" else [word])]
    cut = (one for whole in alike for one in (whole, _root(whole, language).removesuffix("-")))
    roots = [one for one in dict.fromkeys(cut) if len(one) >= _SHORTEST_ROOT]
    endings = f"{_ENDINGS[language]} {_OTHER_ENDINGS[language]}".split()
    forms_of_word = [root + ending for root in roots for ending in ("", *endings)]
    if language == "de":
        participles = [one for root in roots for one in (f"ge{root}", _GERMAN_PREFIX.sub(r"\g<0>ge", root))]
        forms_of_word += [one + ending for one in participles for ending in ("t", "et", "en")]
    return tuple(dict.fromkeys(map(without_accents, forms_of_word)))


def _without_ge(word: str) -> list[str]:
    """Return a German word, and the word without the ``ge`` of a participle or the ``zu`` of an infinitive."""
    forms = [word]
    for pattern in (_GERMAN_PARTICIPLE, _GERMAN_TO):
        shorter = pattern.sub(lambda match: match.group(1) or "", word)
        if shorter != word:
            forms.append(shorter)
    return forms


def _root(word: str, language: str) -> str:
    root = _ENDING[language].sub("", word)
    root = root if root.isascii() else without_accents(root)
    return f"{root}-" if len(root) >= _SHORTEST_ROOT else ""
