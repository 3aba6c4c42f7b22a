"""The names in a question, as far as its wording tells them from words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quaestor.core.terms import STOP_WORDS

_TOKEN = re.compile(r"[^\s,;?!()\[\]{}\"“”`]+")
_EDGES = ".:'’*<>"
_POSSESSIVE = re.compile(r"['’]s?$")
_PLURAL = re.compile(r"[A-Z]{2,}s")
# Parts of one token that are things of their own: TCP/IP, Client::send, key:value, ADL-based.
_BETWEEN = re.compile(r"::|[-:/=]")
_CHAIN = re.compile(r"\w+(?:\.\w+){2,}")
_COUNTED = re.compile(r"[^\W\d_]+/\d+(?:\.\d+)*")
_ABBREVIATED = re.compile(r"(?:\w\.)+\w?")
_FAULT = re.compile(r"(?:Error|Exception|Warning)s?$")
_LONGEST = 40
"""Words from which on a text is more than a question: a trace, a log, a page."""

_ENGLISH = 0.2
"""Share of English function words from which on a capital within a sentence marks a name."""


def names_in(question: str) -> tuple[str, ...]:
    """Return the names in a question, as they are written: ``Kafka``, ``HTTP/3``, ``build.rs``, ``insertAndGetId``.

    A name has a capital within the sentence (where the question is English), one after its first letter, a digit beside
    letters, an underscore, or a dot within. Faults (``KeyError``), numbers, web addresses and abbreviations are none.
    Of a text that is much longer than a question, nothing is returned.
    """
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
    if letters < 2 or _FAULT.search(word) or _CHAIN.fullmatch(word):
        return False
    if within and word[0].isupper():
        return True
    return any(letter.isupper() for letter in word[1:]) or letters < len(word)
