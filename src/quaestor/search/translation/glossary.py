"""The glossary of one language: what a word, or several in a row, are called in English."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from quaestor.core.light_imports import NamedTuple
from quaestor.search.translation.word_forms import forms, words_of

COLUMNS = ("de", "fr", "es", "zh", "ja")
"""The languages of the glossary, in the order of its columns behind the English one."""

_GRAMMAR = "grammar.txt"
_FILES = ("acts.txt", "things.txt", "qualities.txt", "everyday.txt")
_NOTHING = "."

English = tuple[str, ...]
"""What a word is in English, likeliest first; empty for a word of grammar, which is left out."""


class Glossary(NamedTuple):
    """A language's words.

    Attributes:
        words: what is said by one word, or by one run of letters in a script without spaces, by how it is written.
        forms: the same by its stems, for languages that inflect.
        phrases: what is said by several words, by the forms of these.
        longest: words of the longest phrase, or letters of the longest run.
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
    grammar = _heads((_GRAMMAR,), column)
    heads = _heads(_FILES, column)
    # A word of grammar is nothing else, whatever else it may mean.
    return _unspaced(heads | grammar) if language in ("zh", "ja") else _spaced(heads | grammar, grammar, language)


def lines(*files: str) -> Iterator[list[str]]:
    """Yield the fields of every line, English first; of all files where none is named."""
    for name in files or (_GRAMMAR, *_FILES):
        for line in Path(__file__).with_name(name).read_text("utf-8").splitlines():
            yield line.split("|")


def _heads(files: Sequence[str], column: int) -> Heads:
    """Return what the words and phrases of a column are in English; a word may be several things."""
    heads: Heads = {}
    for fields in lines(*files):
        english = [] if fields[0] == _NOTHING else [one.replace("_", " ") for one in fields[0].split()]
        for head in fields[column].lower().split():
            heads[head] = tuple(dict.fromkeys((*heads.get(head, ()), *english)))
    return heads


def _unspaced(heads: Heads) -> Glossary:
    words = {head.replace("_", ""): english for head, english in heads.items()}
    return Glossary(words, {}, {}, max(map(len, words)))


def _spaced(heads: Heads, grammar: Heads, language: str) -> Glossary:
    words: Heads = {}
    by_form: Heads = {}
    phrases: dict[tuple[str, ...], English] = {}
    for head, english in heads.items():
        parts = words_of(head.replace("_", " "))
        if len(parts) > 1:
            phrases[tuple(forms(part, language)[0] for part in parts)] = english
            continue
        words[parts[0]] = english
        if head not in grammar:  # the stems of its short words are anything
            for form in forms(parts[0], language):
                by_form.setdefault(form, english)
    return Glossary(words, by_form, phrases, max(map(len, phrases)))
