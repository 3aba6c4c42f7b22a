"""Puts a query into the corpus's words: translates it to English, and spells compounds in both ways.

"Turn off" also searches for "disable", "switch on" for "enable", and "connect again" for "reconnect".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from quaestor.core.terms import stems_of
from quaestor.search.language import CARRIED, language_of
from quaestor.search.query import Query
from quaestor.search.spelling import SAY_NOTHING

_PARTICLES = frozenset("around back down off out over up".split())
# With these two, most words that end so are no compounds (begin, version).
_WITH_IN_OR_ON = frozenset("checkin login logon optin plugin signin signon".split())
_PREFIXES = ("anti", "auto", "multi", "non")
_FEWEST_LETTERS = 3
_MOST_LETTERS = 24
_RARE = 3
"""A compound that occurs in more chunks than this is the corpus's own spelling."""

_WORD = re.compile(r"[A-Za-z]+")
_TURNED = re.compile(r"\b(?:turn|switch)(?:s|es|ed|ing)?\s+(?:\S+\s+){0,4}?(off|on)\b", re.IGNORECASE)
_OTHERWISE = {"off": "disable", "on": "enable"}
"""Verbs that options and documents use for "turn X off" and "turn X on"."""
_AGAIN = re.compile(r"(?<![A-Za-z])((?:[A-Za-z]++\W{1,2}){1,4})again\b", re.IGNORECASE)
_IRREGULAR = {"built": "build", "drawn": "draw", "drew": "draw", "ran": "run", "sent": "send", "taken": "take"}
_OTHER_WITH_RE = frozenset("act cover fuse lease main move place port turn view".split())
"""Verbs that mean something else after "re": move, place, port."""
_TRIED = frozenset(stems_of("ask attempt did do done fetch request send tried try".split()))
"""Verbs for acts whose repetition is a retry."""


def other_spellings(text: str, frequencies: Callable[[Iterable[str]], Mapping[str, int]]) -> tuple[str, ...]:
    """Return the terms of the other spelling of each compound in a text, if the corpus contains them.

    The two-word spelling is added only if the corpus hardly holds the one-word spelling, because "time out" tells far
    less than "timeout".

    Args:
        text: the text of a query.
        frequencies: returns the number of chunks that hold each term.
    """
    words = [*_WORD.finditer(text)]
    parts_of_words = {
        word: parts for word in {match[0].lower() for match in words} if (parts := _parts_of_compound(word))
    }
    joined = [*_joined_spellings(text, words)]
    if not (parts_of_words or joined):
        return ()
    every = {
        word: stems_of([word])[0]
        for word in (*parts_of_words, *joined, *(one for parts in parts_of_words.values() for one in parts))
    }
    counts = frequencies([*every.values()])
    rare = [one for word, parts in parts_of_words.items() if counts[every[word]] <= _RARE for one in parts]
    terms = (every[one] for one in (*joined, *rare))
    return tuple(term for term in dict.fromkeys(terms) if counts[term])


def _joined_spellings(text: str, words: Sequence[re.Match[str]]) -> Iterator[str]:
    """Yield the one-word spelling of words that a hyphen joins or a particle follows; a verb also as its stem."""
    for one, other in pairwise(words):
        head, tail, joint = one[0].lower(), other[0].lower(), text[one.end() : other.start()]
        if joint not in (" ", "-") or max(len(head), len(tail)) > _MOST_LETTERS or head in SAY_NOTHING:
            continue
        [stem] = stems_of([head])
        if joint == "-" or tail in _PARTICLES or stem + tail in _WITH_IN_OR_ON:
            yield from (head + tail, stem + tail)


def _parts_of_compound(word: str) -> tuple[str, ...]:
    """Return the parts of a word that ends with a particle or begins with a prefix; else nothing."""
    if len(word) > _MOST_LETTERS or word in SAY_NOTHING:
        return ()
    if word in _WITH_IN_OR_ON:
        return (word[:-2],)
    for particle in _PARTICLES:
        if word.endswith(particle) and len(word) >= len(particle) + _FEWEST_LETTERS:
            return word.removesuffix(particle), particle
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) > len(prefix) + _FEWEST_LETTERS:
            return (word.removeprefix(prefix),)
    return ()


Frequencies = Callable[[Iterable[str]], Mapping[str, int]]
"""Returns the number of a corpus's chunks that contain each of some terms."""


def in_words_of_corpus(query: Query, frequencies: Frequencies) -> Query:
    """Return a query in the corpus's words."""
    language = language_of(query.text)
    if language in CARRIED and query.kind != "path":
        from quaestor.search.translation import translate_query  # noqa: PLC0415 - a question in English needs none

        query = translate_query(query, language, frequencies)
    return with_other_spellings(query, query.text, frequencies)


def with_other_spellings(query: Query, text: str, frequencies: Frequencies) -> Query:
    """Return a query that also asks for a text's compounds in their other spelling, and for single words of the corpus
    that mean the same as two ("turn off", "connect again").

    Args:
        query: the query; a name, a path or a trace stays as it is.
        text: its own, or that which it had before its spelling was corrected.
        frequencies: the frequencies of the corpus.
    """
    if query.kind != "text":
        return query
    single = [*_switching_terms(text), *_repeating_terms(text)]
    counts = frequencies(single) if single else {}
    spelt = (*other_spellings(text, frequencies), *(term for term in dict.fromkeys(single) if counts[term]))
    return query._replace(terms=(*query.terms, *(term for term in spelt if term not in query.terms)))


def _switching_terms(text: str) -> Iterator[str]:
    """Yield the term of the single word for turning something on or off, if a text has two words for it."""
    if match := _TURNED.search(text):
        yield from stems_of([_OTHERWISE[match[1].lower()]])


def _repeating_terms(text: str) -> Iterator[str]:
    """Yield the terms of single words for doing something again: "reconnect" and, for what may fail, "retry"."""
    for match in _AGAIN.finditer(text):
        words = [_IRREGULAR.get(word, word) for word in _WORD.findall(match[1].lower())]
        again = stems_of([word for word in words if word not in SAY_NOTHING and word not in _OTHER_WITH_RE])
        yield from (f"re{stem}" for stem in again)
        if not _TRIED.isdisjoint(again):
            yield from stems_of(["retry"])
