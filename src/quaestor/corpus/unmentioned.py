"""Names in a question that nothing in a corpus mentions: what is asked about is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quaestor.chunking.languages import PROSE, knows_extension
from quaestor.core.terms import STOP_WORDS, find_words, has_unspaced, split_identifier, terms, terms_of_word
from quaestor.search.file_features import agreement
from quaestor.search.query import read_query
from quaestor.search.spelling import SAY_NOTHING, Unknown
from quaestor.stores import FieldBoosts, Store, StoredChunk

_TOKEN = re.compile(r"[^\s,;?!()\[\]{}\"“”`]+")
_EDGES = ".:'’*<>"
_LATIN = re.compile(r"[^\x00-\x7f]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_PLURAL = re.compile(r"[A-Z]{2,}s")
# Parts of one token that are things of their own: TCP/IP, Client::send, key:value, ADL-based.
_BETWEEN = re.compile(r"::|[-:/=]")
_CHAIN = re.compile(r"\w+(?:\.\w+){2,}")
_COUNTED = re.compile(r"[^\W\d_]+/\d+(?:\.\d+)*")
_ABBREVIATED = re.compile(r"(?:\w\.)+\w?")
_DAYS = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december""".split()
)
_FAULT = re.compile(r"(?:Error|Exception|Warning)s?$")
_LONGEST = 40
"""Words from which on a text is more than a question: a trace, a log, a page."""

_ENGLISH = 0.2
"""Share of English function words from which on a capital within a sentence marks a name."""


def names_in(question: str) -> tuple[str, ...]:
    """Return the names in a question, as they are written: ``Kafka``, ``HTTP/3``, ``build.rs``, ``insertAndGetId``.

    A name has a capital within the sentence (where the question is English), one after its first letter, a digit beside
    letters, an underscore, or a dot within. Faults (``KeyError``), days, months, numbers, web addresses and
    abbreviations are none. Of a text that is much longer than a question, nothing is returned.
    """
    if has_unspaced(question):
        question = _LATIN.sub(" ", question)  # no blank parts a name from what stands around it
    tokens = question.split()
    if not 0 < len(tokens) <= _LONGEST:
        return ()
    plain = [token.strip(".,;:?!'\"()").lower() for token in tokens]
    capitals = sum(token[:1].isupper() for token in tokens)
    english = sum(word in STOP_WORDS for word in plain) >= _ENGLISH * len(tokens) and 2 * capitals <= len(tokens)
    return tuple(dict.fromkeys(_names(question, english)))


def _names(question: str, english: bool) -> Iterator[str]:
    begins = True
    for found in _TOKEN.finditer(question):
        token = found.group()
        word = _POSSESSIVE.sub("", token.strip(_EDGES))
        if not _ABBREVIATED.fullmatch(word) and "://" not in word and "@" not in word:
            for part in [word] if _is_whole(word) else _BETWEEN.split(word):
                if _is_name(part, english and not begins):
                    yield part[:-1] if _PLURAL.fullmatch(part) else part
        begins = token[-1] in ".:" or question[found.end() : found.end() + 1] in ("?", "!")


def _is_whole(word: str) -> bool:
    """Return whether a token with a slash is one name: a version or a path."""
    return _COUNTED.fullmatch(word) is not None or ("/" in word and "." in word and ":" not in word)


def _is_name(word: str, within: bool) -> bool:
    word = re.sub("['’]", "", word)
    letters = sum(letter.isalpha() for letter in word)
    if letters < 2 or _FAULT.search(word) or _CHAIN.fullmatch(word) or word.lower().removesuffix("s") in _DAYS:
        return False
    if within and word[0].isupper():
        return True
    return any(letter.isupper() for letter in word[1:]) or letters < len(word)


_LOOKED_AT = 50
_BY_PATH = FieldBoosts(0.0, 1.0, 0.0)
_ABSOLUTE = re.compile(r"[/~\\]|[A-Za-z]:[/\\]")
_SAME_NAME = 0.4
"""How well two files agree that bear one name in different folders."""


def unmentioned(store: Store, question: str) -> tuple[str, ...]:
    """Return the names in a question that stand in no chunk, title or path, whatever their capitals and separators.

    In prose an acronym must stand in capitals: a board with an ``ARM`` is not an arm. ``asyncio.run`` stands wherever
    its parts do, ``build.rs`` only where a file of this name is mentioned.
    """
    return tuple(name for name in names_in(question) if not _is_mentioned(store, name))


def share_absent(question: str, unknown: Sequence[Unknown]) -> float:
    """Return the share of a question's words that stand nowhere, and nothing like them, 0 to 1.

    Words that say nothing count neither way: ``how do I boil an egg`` has two, and a corpus of code neither.
    """
    words = {word.lower() for word in find_words(question) if len(word) > 1} - SAY_NOTHING
    absent = {one.word.lower() for one in unknown if not one.nearest}
    return len(words & absent) / max(1, len(words))


def _is_mentioned(store: Store, name: str) -> bool:
    if _is_elsewhere(name) or _is_path_here(store, name):
        return True
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
        # However it is written: get_user, getUser, get-user; but not get1User, nor http 31 or http%3A for http/3.
        end = r"(?![^\W_])" if parts[-1].isdigit() else r"(?!\d)"
        written = re.compile(r"[\W_]?".join(map(re.escape, parts)) + end, re.IGNORECASE)
        return any(written.search(_said(one)) for one in holders)
    capitals = re.compile(rf"(?<![A-Z]){re.escape(name)}(?![A-Z](?![a-z]))")
    return any(one.document.language not in PROSE or capitals.search(_said(one)) for one in holders)


def _is_elsewhere(name: str) -> bool:
    """Return whether a name is a place on some machine, which says nothing of what is asked about."""
    return _ABSOLUTE.match(name) is not None


def _is_path_here(store: Store, name: str) -> bool:
    """Return whether a document's path ends as a path or module does, whatever separates its folders."""
    for place in read_query(name).places:
        stem = place.path.rpartition("/")[2].partition(".")[0]
        near = store.lexical(terms(stem), _LOOKED_AT, None, _BY_PATH)
        if any(_is_end(place.path, path) for path in store.paths_of(chunk for chunk, _ in near)):
            return True
    return False


def _is_end(pointed: str, path: str) -> bool:
    """Return whether a file's name, and its folder where both have one, is what is pointed at."""
    folders = "/" in pointed and "/" in path
    return agreement(pointed, path) > (_SAME_NAME if folders else 0)


def _said(stored: StoredChunk) -> str:
    """Return all that the index knows a chunk by."""
    document, chunk = stored.document, stored.chunk
    return " ".join(filter(None, (document.path, document.title, *chunk.scope, chunk.symbol, chunk.text)))
