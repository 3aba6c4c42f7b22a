"""Finding the places in a file that a search text may quote: whole lines only, best agreement first.

Lines such as ``...`` or ``# ... existing code ...`` replace lines that a model left out. Pure; places are line numbers
from 0.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

TYPOGRAPHY = (
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'") | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    dict.fromkeys("\u00a0\u202f", " "),
    {"\u2026": "..."},
)
"""Kinds of typographic characters (quotes, dashes, blanks, ellipses), each with its plain form."""

_STRAIGHT = str.maketrans({letter: plain for kind in TYPOGRAPHY for letter, plain in kind.items()})
_NUMBERED = re.compile(r"^\s*(\d+)\s?(?:[|:│→]|\t) ?(.*)$")
_LEAST_NUMBERED = 2
_MOST_BLANKS = 4

_DOTS = r"(?:\.{3,}|…)"
_LEADER = r"(?:#+|//+|/\*+|<!--|--|;+|%+|\{/\*|\"|')?"
_TRAILER = r"(?:\*/\}?|-->|\"|')?"
_WORDS = re.compile(
    r"\b(?:rest|remain\w*|existing|unchanged|omitted|same|previous|other|as before|more)\b.{0,40}", re.IGNORECASE
)
# Blanks are never given back: a line of nothing else would be split in every way.
_ELISION = re.compile(rf"^\s*+{_LEADER}\s*+(?:{_DOTS}(?:\s++(?P<after>\w.{{0,60}}?))?)\s*+{_TRAILER}\s*+$")
_WORDY = re.compile(
    r"^\s*(?:#+|//+|/\*+|<!--|--|;+|%+|\{/\*)\s*\(?(?:the )?(?:"
    r"(?:rest|remainder) of (?:the |this |your )?(?:\w+ )?(?:code|file|function|class|method|implementation|module)"
    r"|(?:existing|remaining|previous|other|unchanged) (?:\w+ )?(?:code|methods|functions|imports|lines|content)"
    r")\b[\w\s,.'()-]{0,40}(?:\*/\}?|-->)?\s*$",
    re.IGNORECASE,
)


def straight(text: str) -> str:
    """Return a text with typographic quotes, dashes, blanks and ellipses as a keyboard writes them."""
    return text.translate(_STRAIGHT)


def key(line: str) -> str:
    """Return a line for comparison: without indentation, with single blanks, in plain typography."""
    return " ".join(straight(line).split())


def indent_of(line: str) -> str:
    """Return the blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def without_numbers(search: list[str], replace: list[str]) -> tuple[list[str], list[str]] | None:
    """Return both texts without the line numbers that they were copied with; None if they have none.

    Every line of ``search`` must have a number, each one more than the last. They may be wrong otherwise.
    """
    matches = [_NUMBERED.match(line) for line in search]
    if len(matches) < _LEAST_NUMBERED:
        return None
    numbers = [int(one[1]) for one in matches if one]
    if len(numbers) < len(matches) or any(after != before + 1 for before, after in pairwise(numbers)):
        return None
    bare = [one[2] for one in matches if one]
    return bare, [one[2] if (one := _NUMBERED.match(line)) else line for line in replace]


def without_repeats(search: list[str], replace: list[str]) -> tuple[list[str], list[str]] | None:
    """Return both texts with the first immediately repeated run of lines only once, or None."""
    for size in range(min(8, len(search) // 2), 0, -1):
        for at in range(len(search) - 2 * size + 1):
            run = search[at : at + size]
            if any(key(line) for line in run) and run == search[at + size : at + 2 * size]:
                shorter = search[:at] + search[at + size :]
                return shorter, _once(replace, run)
    return None


def _once(lines: list[str], run: list[str]) -> list[str]:
    size = len(run)
    for at in range(len(lines) - 2 * size + 1):
        if lines[at : at + size] == run == lines[at + size : at + 2 * size]:
            return lines[:at] + lines[at + size :]
    return lines


def without_outer_blanks(search: list[str], replace: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield both texts without some of the blank lines around ``search``, the fewest first; of many, without all."""
    before, after = _blanks_at(search), _blanks_at(search[::-1])
    tops, bottoms = ({*range(min(one, _MOST_BLANKS) + 1), one} for one in (before, after))
    cuts = ((top, bottom) for top in tops for bottom in bottoms if top or bottom)
    for top, bottom in sorted(cuts, key=sum) if before < len(search) else ():
        start = min(top, _blanks_at(replace))
        stop = len(replace) - min(bottom, _blanks_at(replace[start:][::-1]))
        yield search[top : len(search) - bottom], replace[start:stop]


def _blanks_at(lines: list[str]) -> int:
    """Return how many blank lines a text begins with."""
    return next((at for at, line in enumerate(lines) if line.strip()), len(lines))


# Diagonals of the comparison that are looked at more closely; more only cost time.
_CANDIDATES = 12
_LONGEST_COUNTED = 40
# A line that stands so often in a search text says nothing of the place that it quotes.
_MOST_ALIKE = 50
# Pairs of equal lines; with more, a difference is told by lines that are not frequent alone.
_MOST_PAIRS = 250_000


def windows(file: Sequence[str], search: Sequence[str]) -> list[int]:
    """Return every line at which ``search`` occurs in ``file``, line for line.

    By Knuth, Morris and Pratt: in a file of one line over and over, each beginning would be compared to its end.
    """
    if not search:
        return []
    # For each line of the search text, how many lines that end there are those that it begins with.
    begins, same = [0], 0
    for line in search[1:]:
        while same and search[same] != line:
            same = begins[same - 1]
        same += search[same] == line
        begins.append(same)
    places, same = [], 0
    for at, line in enumerate(file):
        while same and (same == len(search) or search[same] != line):
            same = begins[same - 1]
        same += search[same] == line
        if same == len(search):
            places.append(at - same + 1)
    return places


def strictest(file: Sequence[str], search: Sequence[str]) -> tuple[list[int], Callable[[str], str]]:
    """Return the places of ``search`` by the strictest comparison that finds any, and that comparison.

    Comparisons: exact lines, lines without trailing blanks, lines without indentation and typography.
    """
    if not any(line.strip() for line in search):
        return [], key
    for normal in (str, str.rstrip, key):
        places = windows([normal(line) for line in file], [normal(line) for line in search])
        if places:
            return places, normal
    return [], key


@dataclass(frozen=True, slots=True)
class Alignment:
    """A place that most of a search text quotes.

    Attributes:
        score: how much of both is the same, from 0 to 1; long lines count more.
        places: for each line of the search text the line of the file that it quotes, or None.
    """

    score: float
    places: tuple[int | None, ...]

    @property
    def first(self) -> int:
        """The first quoted line of the file."""
        return next(place for place in self.places if place is not None)

    @property
    def last(self) -> int:
        """The last quoted line of the file."""
        return next(place for place in reversed(self.places) if place is not None)


def alignments(file: Sequence[str], search: Sequence[str]) -> list[Alignment]:
    """Return the places that ``search`` agrees with best, best first; both are keys of lines."""
    at: dict[str, list[int]] = defaultdict(list)
    for place, line in enumerate(search):
        if line:
            at[line].append(place)
    votes: dict[int, int] = defaultdict(int)
    for place, line in enumerate(file):
        own_places = at.get(line, ())
        for own in own_places if len(own_places) <= _MOST_ALIKE else ():
            votes[place - own] += weight(line)
    best = sorted(votes, key=lambda diagonal: (-votes[diagonal], diagonal))[:_CANDIDATES]
    by_places = {alignment.places: alignment for diagonal in best if (alignment := _align(file, search, diagonal))}
    return sorted(by_places.values(), key=lambda alignment: -alignment.score)


def weight(line: str) -> int:
    """Return how much a line that is the same says."""
    return min(len(line), _LONGEST_COUNTED)


def _align(file: Sequence[str], search: Sequence[str], diagonal: int) -> Alignment | None:
    slack = max(4, len(search) // 3)
    low, high = max(0, diagonal - slack), diagonal + len(search) + slack
    part = file[low:high]
    places: list[int | None] = [None] * len(search)
    for block in matcher(search, part).get_matching_blocks():
        for step in range(block.size):
            places[block.a + step] = low + block.b + step
    same = [place for place, line in zip(places, search, strict=True) if place is not None and line]
    if not same:
        return None
    covered = sum(weight(line) for line in file[same[0] : same[-1] + 1])
    matched = sum(weight(file[place]) for place in same)
    total = sum(weight(line) for line in search)
    return Alignment(2 * matched / (total + covered), tuple(places))


def matcher(one: Sequence[str], two: Sequence[str]) -> SequenceMatcher[str]:
    """Return a comparison of lines, whose time does not grow with the square of lines that are all alike."""
    counts = Counter(two)
    return SequenceMatcher(None, one, two, autojunk=sum(counts[line] for line in one) > _MOST_PAIRS)


def is_elision(line: str) -> bool:
    """Return whether a line may be an elision: three dots, in a comment or not, with or without words."""
    match = _ELISION.match(line)
    return bool(_WORDY.match(line)) or (
        match is not None and (not match["after"] or bool(_WORDS.search(match["after"])))
    )


def new_elision(lines: list[str], known: set[str], *, prose: bool = False, dots_are_code: bool = False) -> str | None:
    """Return the first elision that is not among the ``known`` lines.

    Args:
        lines: those to write.
        known: lines of the file, stripped.
        prose: whether dots without words are ordinary, as in a manual's examples.
        dots_are_code: whether three dots alone are a statement of the file's language.
    """
    for line in lines:
        bare = line.strip()
        match = _ELISION.match(line)
        is_syntax = match is not None and not match["after"] and (prose or (dots_are_code and bare == "..."))
        if is_elision(line) and bare not in known and not is_syntax:
            return line
    return None


def split_at_elisions(lines: list[str]) -> list[list[str]]:
    """Return the runs of lines between elisions; one more than there are elisions."""
    parts: list[list[str]] = [[]]
    for line in lines:
        if is_elision(line):
            parts.append([])
        else:
            parts[-1].append(line)
    return parts
