"""The glossary of one language: what a word, or several in a row, are called in English."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from quaestor.named import NamedTuple
from quaestor.retrieval.carrying.forms import forms, words_of

COLUMNS = ("de", "fr", "es", "zh", "ja")
"""The languages of the glossary, in the order of its columns behind the English one."""

_FILES = ("grammar.txt", "acts.txt", "things.txt", "qualities.txt", "everyday.txt")
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


@cache
def glossary_of(language: str) -> Glossary:
    """Return the glossary of a language; it is read once."""
    column = COLUMNS.index(language) + 1
    entries = list(_entries(column))
    return _unspaced(entries) if language in ("zh", "ja") else _spaced(entries, language)


def lines() -> Iterator[list[str]]:
    """Yield the fields of every line, English first."""
    for name in _FILES:
        for line in Path(__file__).with_name(name).read_text("utf-8").splitlines():
            yield line.split("|")


def _entries(column: int) -> Iterator[tuple[str, English]]:
    for fields in lines():
        english = () if fields[0] == _NOTHING else tuple(one.replace("_", " ") for one in fields[0].split())
        for head in fields[column].split():
            yield head.replace("_", " ").lower(), english


def _unspaced(entries: Iterable[tuple[str, English]]) -> Glossary:
    words: dict[str, English] = {}
    for head, english in entries:
        _put(words, head.replace(" ", ""), english)
    return Glossary(words, {}, {}, max(map(len, words)))


def _spaced(entries: Iterable[tuple[str, English]], language: str) -> Glossary:
    words: dict[str, English] = {}
    by_form: dict[str, English] = {}
    phrases: dict[tuple[str, ...], English] = {}
    for head, english in entries:
        parts = words_of(head)
        if len(parts) > 1:
            _put(phrases, tuple(forms(part, language)[0] for part in parts), english)
            continue
        _put(words, parts[0], english)
        if english:  # words of grammar stand as they are, and the stems of short ones are anything
            for form in forms(parts[0], language):
                by_form.setdefault(form, english)
    return Glossary(words, by_form, phrases, max(map(len, phrases)))


def _put(entries: dict[str, English] | dict[tuple[str, ...], English], head: object, english: English) -> None:
    """Note what a head is in English: a word of grammar is nothing else, any other may be several things."""
    known = entries.get(head)  # type: ignore[call-overload]
    if known is None:
        entries[head] = english  # type: ignore[index]
    elif known and english:
        entries[head] = tuple(dict.fromkeys((*known, *english)))  # type: ignore[index]
