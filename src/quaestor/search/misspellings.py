"""Words that are one slip of the keyboard, or of the ear, from another; pure."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_lowercase, digits

_IN_NAMES = f"{ascii_lowercase}{digits}_"
# What a slip is worth, in units of the logarithm of a frequency: people swap letters and leave one out more often than
# they strike a wrong one.
_SWAPPED, _LEFT_OUT, _TOO_MUCH, _WRONG = 5.0, 4.0, 3.5, 1.0
_ALIKE = 2.0
"""What more it is worth where a letter is doubled, or taken for one that sounds alike."""
_SOUNDS = frozenset(frozenset(pair) for pair in "ae ai ei iy ou eo uw ck cs kq sz fv dt gj mn xs bp vw qc".split())
_LONG = 6
"""Of shorter words, one with any other letter in it is another word."""


def slips(word: str, *, name: bool = False) -> Iterator[tuple[str, float]]:
    """Yield lower-case words of which ``word`` may be a misspelling, and how likely the slip is; some more than once.

    The first letter is right, unless it changed places with the second or sounds like another.

    Args:
        word: in lower case.
        name: whether it is an identifier, which has digits and underscores as well.
    """
    letters = _IN_NAMES if name else ascii_lowercase
    for at in range(1, len(word) + 1):
        before, after = word[:at], word[at:]
        for letter in letters:
            doubled = letter in (before[-1], after[:1])
            yield f"{before}{letter}{after}", _LEFT_OUT + _ALIKE * doubled
        if len(before) > 1:
            yield before[:-2] + before[-1] + before[-2] + after, _SWAPPED
        if after:
            doubled = after[0] in (before[-1], after[1:2])
            yield before + after[1:], _TOO_MUCH + _ALIKE * doubled
    for at, wrong in enumerate(word):
        for letter in letters:
            alike = frozenset((letter, wrong)) in _SOUNDS
            if letter != wrong and (alike or (at > 0 and (name or len(word) >= _LONG))):
                yield word[:at] + letter + word[at + 1 :], _WRONG + _ALIKE * alike


def spelt_otherwise(word: str) -> Iterator[str]:
    """Yield a word as it is spelt on the other side of the Atlantic: ``serialise`` and ``serialize``."""
    for one, other in (("is", "iz"), ("ys", "yz")):
        for first, second in ((one, other), (other, one)):
            for ending in ("e", "ing", "ation"):
                if (at := word.rfind(first + ending)) > 1:
                    yield f"{word[:at]}{second}{word[at + len(first) :]}"
    for first, second in (("our", "or"), ("or", "our")):
        if (at := word.rfind(first)) > 1:
            yield f"{word[:at]}{second}{word[at + len(first) :]}"
