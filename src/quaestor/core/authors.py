"""Who wrote something, as documents name them and people ask for them. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_LONGEST = 300
_MOST = 4000
_ADDRESS = re.compile(r"\s*[<(][^<>()\n]{0,100}(?:@| at )[^<>()\n]{0,100}[>)]")
_BLANKS = re.compile(r"[ \t]+")
_BETWEEN = re.compile(r"\s*(?:[,;\n]|\s(?:and|und|et|y)\s|&)\s*")
_WORD = re.compile(r"[^\W_]+")


def author_line(text: str) -> str | None:
    """Return the authors that a document names in one line, with commas between them and without addresses.

    An address alone stays: nothing else names its owner.
    """
    text = _BLANKS.sub(" ", text[:_MOST])
    plain = _ADDRESS.sub("", text) or text.strip("<> ")
    return ", ".join(name.strip() for name in _BETWEEN.split(plain) if name.strip())[:_LONGEST] or None


@lru_cache(maxsize=4096)  # a corpus has few authors, and a filter looks at every document's
def author_words(text: str) -> frozenset[str]:
    """Return the words of a name without regard to case, accents and order: "Núñez, Ana" is "ana nunez"."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return frozenset(_WORD.findall("".join(character for character in plain if not unicodedata.combining(character))))


def is_by(author: str | None, names: tuple[str, ...]) -> bool:
    """Return whether an author line names any of ``names``: all words of one stand in it as whole words."""
    if not author:
        return False
    words = author_words(author)
    return any(wanted and wanted <= words for wanted in map(author_words, names))


def whole_names(author: str) -> frozenset[frozenset[str]]:
    """Return the words of each author that a line names, and of the whole line, which may be one "Last, First"."""
    return frozenset(words for name in (author, *_BETWEEN.split(author)) if (words := author_words(name)))
