"""Finds quoted words in a source: exactly, or with the changes that models usually make."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from quaestor.core.light_imports import NamedTuple

_WORDS = re.compile(r"\w+|[^\w\s]")
_ELISION = re.compile(r"\s*(?:\[\s*(?:\.\.\.|…)\s*\]|\.\.\.|…)\s*")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__|\*|(?<!`)`+(?!`))(?=\S)(.+?)(?<=\S)\1(?!\w)")
_LINE_NUMBER = re.compile(r"^\s*\d+\s*\|", re.MULTILINE)
# Blanks and Markdown emphasis, then perhaps the sign that begins a further line of a comment or a quotation. Atomic, so
# that a quote of nothing but such signs cannot make the search take forever.
_GAP_SIGNS = "*_`#/>-;"
_WIDE_GAP = r"(?>[\s*_`]{1,200}(?:(?:#+|//+|>+|--|;+)\s{1,200})?)"
_NARROW_GAP = r"\s{1,200}"
_ALIKE = {
    character: f"[{group}]"
    for group in ('"“”„‟«»', "'‘’‚‛ʼ`´", "\\-‐‑‒–—−")
    for character in group
    if character != "\\"
}
_LONGEST_GAP = 2000
_LONGEST_PATTERN = 400


class Match(NamedTuple):
    """The place at which a quote was found.

    Attributes:
        start: the offset of its first character in the text.
        end: the offset after its last character.
        exact: whether the text has the same characters there.
    """

    start: int
    end: int
    exact: bool


def find(quote: str, text: str, start: int = 0, end: int | None = None) -> Match | None:
    """Return the first place of a quote between two offsets of ``text``: an exact match, else a similar one."""
    end = len(text) if end is None else end
    for exact in (quote, quote.replace("\n", "\r\n")) if quote else ():
        # A quote shown line by line has lost the carriage returns of its source, and nothing else.
        at = text.find(exact, start, end)
        if at >= 0:
            return Match(at, at + len(exact), exact=True)
    alike = _find_similar(quote, text, start, end)
    return alike or _find_elided(quote, text, start, end)


def find_nearest(quote: str, text: str, start: int, end: int) -> Match | None:
    """Return the place of a quote nearest to a stretch of ``text``; exact matches are preferred to similar ones."""
    exact = [Match(at, at + len(quote), exact=True) for at in _occurrences(quote, text)]
    places = exact or [Match(match.start(), match.end(), exact=False) for match in _similar_places(quote, text)]
    if not places:
        return _find_elided(quote, text, 0, len(text))
    return min(places, key=lambda place: max(start - place.end, place.start - end, 0))


def is_distinctive(quote: str) -> bool:
    """Return whether a quote is long enough that finding it elsewhere is no coincidence."""
    words = _words(quote)
    return len("".join(words)) >= 12 or len(words) >= 4


def _words(quote: str) -> list[str]:
    return [token for token in _WORDS.findall(quote) if _is_word(token)]


def _occurrences(quote: str, text: str) -> Iterator[int]:
    at = text.find(quote) if quote else -1
    while at >= 0:
        yield at
        at = text.find(quote, at + 1)


def _find_similar(quote: str, text: str, start: int, end: int) -> Match | None:
    for pattern in _patterns(quote):
        if match := pattern.search(text, start, end):
            return Match(match.start(), match.end(), exact=False)
    return None


def _similar_places(quote: str, text: str) -> list[re.Match[str]]:
    return next(filter(None, (list(pattern.finditer(text)) for pattern in _patterns(quote))), [])


def _find_elided(quote: str, text: str, start: int, end: int) -> Match | None:
    """Find a quote with ``...`` in it: all its parts, in order, not far apart."""
    parts = [part for part in _ELISION.split(quote) if part]
    if len(parts) < 2 and parts == [quote]:
        return None
    if not parts or (len(parts) > 1 and any(len(_words(part)) < 2 for part in parts)):
        return None
    first = _find_part(parts[0], text, start, end)
    last = first
    for part in parts[1:]:
        if last is None:
            return None
        last = _find_part(part, text, last.end, min(end, last.end + _LONGEST_GAP))
    return Match(first.start, last.end, exact=False) if first and last else None


def _find_part(part: str, text: str, start: int, end: int) -> Match | None:
    at = text.find(part, start, end)
    return Match(at, at + len(part), exact=False) if at >= 0 else _find_similar(part, text, start, end)


def _patterns(quote: str) -> Iterator[re.Pattern[str]]:
    """Yield patterns that tolerate case, blanks, line breaks, quote marks and dashes; the second also emphasis.

    None if the quote has no word, or is too long for anything but an exact match. The second is seldom needed, and to
    compile one of a long quote takes longer than all else that is done to check it.
    """
    raw = quote.strip()
    plain = _EMPHASIS.sub(r"\2", _LINE_NUMBER.sub("", quote)).strip()
    yield from filter(None, map(_pattern, dict.fromkeys((raw, plain))))


@lru_cache(maxsize=256)
def _pattern(quote: str) -> re.Pattern[str] | None:
    """Return a tolerant pattern; punctuation at the quote's end may be the answer's own."""
    body = quote.rstrip(".,;:!?")
    tokens = _WORDS.findall(body)
    if len(tokens) > _LONGEST_PATTERN or not any(map(_is_word, tokens)):
        return None
    pieces = [_literal(tokens[0])]
    for before, token in pairwise(tokens):
        # A gap must not swallow the sign that is looked for next.
        gap = _NARROW_GAP if token[0] in _GAP_SIGNS else _WIDE_GAP
        pieces += [f"(?>{gap})" if _is_word(before) and _is_word(token) else f"(?>{gap})?+", _literal(token)]
    left = r"(?<!\w)" if _is_word(tokens[0]) else ""
    right = r"(?!\w)" if _is_word(tokens[-1]) else ""
    surplus = re.escape(quote[len(body) :])
    ending = rf"(?:\s{{0,200}}{surplus})?" if surplus else ""
    return re.compile(f"{left}{''.join(pieces)}{right}{ending}", re.IGNORECASE)


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] == "_"


def _literal(token: str) -> str:
    return _ALIKE.get(token) or re.escape(token)
