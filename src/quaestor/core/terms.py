"""Identifier-aware words and terms of a text, the same for the lexical index and the embedder.

``words`` returns what the embedder reads: every identifier split into its parts. ``terms`` returns what the
lexical index contains: the stems of the parts, so that "serializes" finds a serializer, and each compound identifier
as a whole, so that an exact name finds its exact place. Of scripts without spaces between words (Chinese,
Japanese, Thai) these are all pairs of neighbouring letters, and each Han letter, which may be a word.
``styles_of`` returns one name in the styles of several languages: ``sendAll``, ``send_all``, ``send-all``.
``content_terms`` leaves out words without a meaning of their own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from zlib import crc32

import Stemmer

# Python does not count Thai vowels and tones as letters, so that they would cut each word into fragments.
_MARKS = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
# An identifier or a number, in any script.
_WORD = re.compile(rf"[^\W\d][\w{_MARKS}]*|\d+")
# getHTTPResponse2 -> get HTTP Response 2; XMLParser -> XML Parser
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
# Scripts written without spaces: kana, Han, Thai. Their patterns are compiled for the first word that is not ASCII.
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNSPACED = f"\u0e00-\u0e7f\u3040-\u30ff{_HAN}"
_OTHER_PART = f"(?![{_MARKS}])[{_UNSPACED}]|[0-9]+|[^\\W\\d_{_UNSPACED}]+"
_RUN = f"[{_UNSPACED}]+|[^{_UNSPACED}]+"
_LETTER = f"[^{_MARKS}][{_MARKS}]*|[{_MARKS}]+"
_ENDINGS = "[\u3040-\u309f]+"  # hiragana: what Japanese inflects and joins words with
_ACCENTS = re.compile("[\u0300-\u036f]")
_LONGEST_WORD = 64
_stemmer = Stemmer.Stemmer("english", 0)  # not cached here: terms are cached by word below
# What is not a letter, digit or underscore becomes a space: of ASCII text that cuts the words faster than a pattern.
_SEPARATORS = "".join(chr(code) if chr(code).isalnum() or chr(code) == "_" else " " for code in range(128))
KEY_BYTES = 8
_REMEMBERED = 1 << 16  # distinct words, then a cache starts anew: bounded on endless corpora


def find_words(text: str) -> list[str]:
    """Return the raw words of ``text`` in order, case kept and identifiers whole."""
    return _WORD.findall(text)


def rough_words(text: str) -> list[str]:
    """Return runs of letters, digits and underscores in order: raw words, some with a number in front (``2nd``).

    A cache keyed by these finds the same words as one keyed by ``find_words``, and faster.
    """
    return text.translate(_SEPARATORS).split() if text.isascii() else _WORD.findall(text)


def is_raw(rough: str) -> bool:
    """Return whether a rough word is surely one raw word; False proves nothing."""
    return rough.isascii() and rough.isidentifier()


@lru_cache(maxsize=1 << 13)
def split_identifier(word: str) -> tuple[str, ...]:
    """Split one raw word into its lower-case parts: ``getUserName_v2`` -> get, user, name, v, 2.

    Latin accents are dropped; scripts without spaces are split into letters; overlong words are cut.
    """
    if word.isascii():
        word = word[:_LONGEST_WORD]
        # Most words in code are of one of these forms, and the pattern takes several times as long.
        if word.islower():
            if word.isalpha():
                return (word,)
            if word.replace("_", "").isalpha():
                return tuple(filter(None, word.split("_")))
        return tuple(map(str.lower, _PART.findall(word)))
    return tuple(part[:_LONGEST_WORD] for part in re.findall(_OTHER_PART, without_accents(word)))


def without_accents(text: str) -> str:
    """Return a text in lower case, without the accents of Latin letters."""
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text))).lower()


def has_unspaced(text: str) -> bool:
    """Return whether a text has letters of a script that puts no space between words."""
    return not text.isascii() and re.search(f"[{_UNSPACED}]", text) is not None


def runs_of_scripts(text: str) -> list[str]:
    """Return a text cut where letters of a script without spaces border on anything else."""
    return re.findall(_RUN, text)


def letters_of(run: str) -> list[str]:
    """Return the letters of a script without spaces, each with the vowel and tone marks above and below it."""
    return re.findall(_LETTER, run)


def words(text: str) -> list[str]:
    """Return the lower-case parts of every word of ``text``, in order."""
    return [part for word in _WORD.findall(text) for part in split_identifier(word)]


class _Stems(dict[str, str]):
    """Caches the stem of each part of a word, because words have many parts in common."""

    def __missing__(self, part: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        stem: str = _stemmer.stemWord(part)
        self[part] = stem
        return stem


_stems = _Stems()


def stems_of(parts: Sequence[str]) -> list[str]:
    """Return the stems of lower-case words of ASCII letters without caching them; used for made-up words."""
    stems: list[str] = _stemmer.stemWords(parts)
    return stems


@lru_cache(maxsize=1 << 17)
def terms_of_word(word: str) -> tuple[str, ...]:
    """Return the lexical terms of one raw word: a compound identifier whole, then the stems of its parts."""
    if has_unspaced(word):
        return tuple(_unspaced_terms(word, of_query=False))
    parts = split_identifier(word)
    stems = tuple(map(_stems.__getitem__, parts))
    if len(parts) < 2 or not word.isascii():
        return stems
    return (_compound_term(word), *stems)


def _compound_term(word: str) -> str:
    """Return the term of a compound identifier as a whole."""
    return word.lower().strip("_")[:_LONGEST_WORD]


def _unspaced_terms(word: str, *, of_query: bool) -> Iterator[str]:
    """Yield the terms of a word with letters of a script without spaces.

    Args:
        word: any mixture of scripts.
        of_query: whether it is a word of a query. Then only pairs are yielded, because single letters say much less.
    """
    for run in runs_of_scripts(unicodedata.normalize("NFC", word)):
        if not has_unspaced(run):
            for one in _WORD.findall(run):
                yield from terms_of_word(one)
            continue
        letters = letters_of(run)
        if len(letters) < 2:
            yield run
            continue
        yield from map(_stems.__getitem__, map(str.__add__, letters, letters[1:]))  # which keeps one of each
        if not of_query:
            yield from re.findall(f"[{_HAN}]", run)


def terms(text: str) -> list[str]:
    """Return the lexical terms of ``text`` in order, repeated as often as they occur."""
    return [term for word in _WORD.findall(text) for term in terms_of_word(word)]


def key_of(term: str) -> int:
    """Return the key under which a term is indexed: 64 bits of two checksums, of which the last two bits are 0.

    The chance that any of a million terms has the same key as a given term is one in 2**42.
    """
    data = term.encode("utf-8", "replace")
    # The checksum of the reversed bytes adds to what that of the bytes says of them.
    return (crc32(data) << 32 | crc32(data[::-1])) & ~3


def _key(term: str) -> bytes:
    return key_of(term).to_bytes(KEY_BYTES, "little")


class _StemKeys(dict[str, bytes]):
    """Caches the key of the stem of each part of a word."""

    def __missing__(self, part: str) -> bytes:
        key = self[part] = _key(_stems[part])
        return key


class _Keys(dict[str, bytes]):
    """Caches the keys of the terms of each unsplit word."""

    def __init__(self) -> None:
        super().__init__()
        self._stems = _StemKeys()

    def __missing__(self, rough: str) -> bytes:
        if len(self) >= _REMEMBERED:
            self.clear()
            self._stems.clear()
        key = self._keys(rough) if is_raw(rough) else b"".join(map(self._keys, _WORD.findall(rough)))
        self[rough] = key
        return key

    def _keys(self, word: str) -> bytes:
        """Return the keys of ``terms_of_word``, using that words share many parts."""
        if has_unspaced(word):
            return b"".join(map(_key, terms_of_word(word)))
        parts = split_identifier(word)
        stems = b"".join(map(self._stems.__getitem__, parts))
        return stems if len(parts) < 2 or not word.isascii() else _key(_compound_term(word)) + stems


_keys = _Keys()


def term_keys(text: str) -> bytes:
    """Return the keys of ``terms(text)`` as little-endian integers, made in one pass over the text."""
    return b"".join(map(_keys.__getitem__, rough_words(text)))


STOP_WORDS = frozenset(
    "a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my no"
    " not of on or our s should so such t than that the their them then there these they this those to use used uses"
    " using was we were what when where which while who whom whose why will with would you your".split()
)
"""English words that say nothing about the subject of a question."""


def searched_terms(text: str) -> list[str]:
    """Return the lexical terms of ``text`` without stop words, in order; all terms if nothing else is left."""
    content = [
        term for word in find_words(text) if word.lower() not in STOP_WORDS for term in _terms_of_query_word(word)
    ]
    if not text.isascii():
        content = [term for term in content if not re.fullmatch(_ENDINGS, term)] or content
    return content or terms(text)


def _terms_of_query_word(word: str) -> Iterable[str]:
    return _unspaced_terms(word, of_query=True) if has_unspaced(word) else terms_of_word(word)


_STYLED = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)


def styles_of(name: str) -> tuple[str, ...]:
    """Return a name of several words in each style, in lower case; nothing for any other text."""
    if not _STYLED.fullmatch(name):
        return ()
    words = split_identifier(name)
    return tuple(mark.join(words) for mark in ("", "_", "-")) if len(words) > 1 else ()


def same_in_any_style(one: str, other: str) -> bool:
    """Return whether two names consist of the same words."""
    return split_identifier(one) == split_identifier(other)


_EMPTY = """
a about above after again all also although always am an and another any are as at be because been before
being below between both but by can cannot could did do does doing done down during each either else etc ever
every few for from further get gets give given gives had has have having he her here hers him his how however
i if in into is it its itself just let like made make makes many may me might more most much must my need
needs neither next no nor not now of off on once one only onto or other our out over own per rather same say
says see she should since so some such than that the their them then there these they this those through thus
to together too under until up upon us use used uses using very was way we well were what when where whether
which while who whom whose why will with within without would yet you your file files passage passages code
line lines called calls call defined according shows show shown come comes go goes find finds work works
happen happens mean means want wants please tell explain
"""
EMPTY_WORDS = frozenset(_EMPTY.split())
"""Words without a meaning of their own."""


def content_terms(text: str) -> frozenset[str]:
    """Return the stems of the words that carry meaning."""
    words = (word for word in find_words(text) if word.lower() not in EMPTY_WORDS and not word.isdigit())
    return frozenset(term for word in words for term in terms_of_word(word))
