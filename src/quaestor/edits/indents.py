"""Adapting a model's new lines to the file: indentation, and characters that the model damaged when it quoted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from quaestor.edits.quoted_places import TYPOGRAPHY, indent_of, straight

Indent = Callable[[str], str]
_TAB_WIDTHS = (2, 3, 4, 8)
_NEARLY_ALL = 0.9


class UnclearError(ValueError):
    """The quoted lines do not determine how to write a new line."""


def indentation(pairs: Sequence[tuple[str, str]], replacement: Sequence[str], file: Sequence[str]) -> Indent:
    """Return a function from a proposed line's indentation to the file's.

    Args:
        pairs: (proposed line, line of the file) that differ only in blanks.
        replacement: all lines of the proposal.
        file: all lines of the file.

    The function raises ``UnclearError`` for an indentation that no pair explains.
    """
    known: dict[str, str] = {}  # indentation in the file by that in the proposal
    for quoted, in_file in pairs:
        proposed, actual = indent_of(quoted), indent_of(in_file)
        if known.setdefault(proposed, actual) != actual:
            return _refusal("lines that are indented alike in the proposal are indented differently in the file")
    if all(proposed == actual for proposed, actual in known.items()):
        return _in_kind(known, file)
    order = sorted(known, key=lambda proposed: len(proposed.expandtabs(4)))
    if any(x >= y for x, y in pairwise(len(known[indent].expandtabs(4)) for indent in order)):
        return _refusal("the proposal's indentation does not grow with the file's")
    further = _tabs_for_blanks(known) or _blanks_for_tabs(known) or _linear(known, replacement, file)
    return lambda proposed: known[proposed] if proposed in known else further(proposed)


def _tabs_for_blanks(known: dict[str, str]) -> Indent | None:
    """Return a function that writes tabs as blanks, if one tab width explains all pairs."""
    if not any("\t" in proposed for proposed in known) or any("\t" in actual for actual in known.values()):
        return None
    widths = [
        width
        for width in _TAB_WIDTHS
        if all(proposed.replace("\t", " " * width) == actual for proposed, actual in known.items())
    ]
    return (lambda proposed: proposed.replace("\t", " " * widths[0])) if len(widths) == 1 else None


def _blanks_for_tabs(known: dict[str, str]) -> Indent | None:
    """Return a function that writes blanks as tabs, if one tab width explains all pairs."""
    if any("\t" in proposed for proposed in known) or not any("\t" in actual for actual in known.values()):
        return None
    widths = [
        width
        for width in _TAB_WIDTHS
        if all(proposed == actual.replace("\t", " " * width) for proposed, actual in known.items())
    ]
    return (lambda proposed: _in_tabs(proposed, widths[0])) if len(widths) == 1 else None


def _in_tabs(proposed: str, width: int) -> str:
    if set(proposed) - {" "} or len(proposed) % width:
        raise UnclearError("its indentation has no counterpart in the file")
    return "\t" * (len(proposed) // width)


def _linear(known: dict[str, str], replacement: Sequence[str], file: Sequence[str]) -> Indent:
    """Return widths in the file as a linear function of widths in the proposal: shifted, or with other steps."""

    def indent(proposed: str) -> str:
        quoted, in_file = _sole([*known, proposed]), _sole([*known.values()])
        if quoted is None or in_file is None or (quoted and in_file and quoted != in_file):
            raise UnclearError("tabs and blanks are mixed in its indentation")
        points = sorted({(len(before), len(after)) for before, after in known.items()})
        slope = _slope(points, step_of([*replacement]), unit_of(file))
        offset = points[0][1] - slope * points[0][0]
        width = slope * len(proposed) + offset
        if any(slope * before + offset != after for before, after in points) or width < 0 or width.denominator != 1:
            raise UnclearError("its indentation has no counterpart in the file")
        return (in_file or quoted or " ") * int(width)

    return indent


def _slope(points: Sequence[tuple[int, int]], step: int | None, unit: int | None) -> Fraction:
    if len(points) > 1:
        return Fraction(points[1][1] - points[0][1], points[1][0] - points[0][0])
    proposed, actual = points[0]
    if step is not None and step == unit:
        return Fraction(1)
    if proposed and actual and step is not None and Fraction(actual, proposed) * step == unit:
        return Fraction(actual, proposed)
    raise UnclearError("one line is too little to tell how deep to indent it")


def step_of(lines: Sequence[str]) -> int | None:
    """Return the smallest difference between two indentations; None where all are the same."""
    widths = sorted({len(indent_of(line)) for line in lines if line.strip()})
    return min((after - before for before, after in pairwise(widths)), default=None)


def unit_of(lines: Sequence[str]) -> int | None:
    """Return by how much a text mostly indents one line more than the last; None where it never does."""
    widths = [len(indent_of(line)) for line in lines if line.strip()]
    steps = Counter(after - before for before, after in pairwise(widths) if after > before)
    return steps.most_common(1)[0][0] if steps else None


def _in_kind(known: dict[str, str], file: Sequence[str]) -> Indent:
    """Return an identity that refuses tabs if the file has blanks, or the reverse, because a tab's width is unknown."""
    usual = _usual(file)

    def indent(proposed: str) -> str:
        # One blank sets off the star of a comment, and blanks after tabs align.
        foreign = "\t" in proposed if usual == " " else len(proposed) > 1 and proposed[0] == " " and usual == "\t"
        if foreign and proposed not in known:
            raise UnclearError("it is indented with tabs where the file has blanks, or the reverse")
        return proposed

    return indent


def _usual(file: Sequence[str]) -> str:
    """Return the character that nearly all indented lines begin with; empty if tabs and spaces are mixed."""
    # Comments between stars are set off by one blank in languages of tabs.
    first = Counter(line[0] for line in file if line[:1] in (" ", "\t") and not line.lstrip().startswith("*"))
    most = first.most_common(1)
    return most[0][0] if most and most[0][1] >= _NEARLY_ALL * first.total() else ""


def _sole(indents: Sequence[str]) -> str | None:
    """Return the character that all indentation consists of; empty without indentation, None for a mixture."""
    characters = set("".join(indents))
    return None if len(characters) > 1 else "".join(characters)


def _refusal(reason: str) -> Indent:
    def refuse(proposed: str) -> str:
        raise UnclearError(reason)

    return refuse


class LineMender:
    """Makes new lines as the file would have them.

    Args:
        pairs: (proposed line, line of the file) that are the same but for blanks and typography.
        proposed: all lines of the proposal.
        file: all lines of the file.
        prose: whether blanks at a line's end can mean something.
    """

    def __init__(
        self, pairs: Sequence[tuple[str, str]], proposed: Sequence[str], file: Sequence[str], *, prose: bool
    ) -> None:
        self._pairs = [(quoted, in_file) for quoted, in_file in pairs if quoted.strip()]
        self._file = file
        self._prose = prose
        self._indent: Indent = indentation(self._pairs, proposed, file)
        self._strips = any(_tail(quoted) != _tail(in_file) for quoted, in_file in self._pairs)
        self._ends_matter = any(_tail(in_file) for _, in_file in self._pairs)
        self._spread = any(_inner(quoted) != _inner(in_file) for quoted, in_file in self._pairs)

    def mend(self, new_line: str) -> str:
        """Return a new line in the form to write.

        Raises:
            UnclearError: the pairs leave open how.
        """
        if not new_line.strip():
            return "" if self._strips else new_line
        body = new_line[len(indent_of(new_line)) :]
        body = self._plain(body)
        if self._spread and ("  " in body.strip() or "\t" in body):
            raise UnclearError("blanks within its lines differ from the file's")
        if self._strips and self._ends_matter and _tail(body):
            raise UnclearError("blanks at its lines' ends differ from the file's")
        return self._indent(indent_of(new_line)) + (body.rstrip(" \t") if self._strips else body)

    def _plain(self, body: str) -> str:
        """Return a line without the kinds of typographic characters that the model put in by itself."""
        for kind in TYPOGRAPHY:
            if any(letter in body for letter in kind) and self._is_damage(kind):
                body = body.translate({ord(letter): plain for letter, plain in kind.items()})
        return body

    def _is_damage(self, kind: Mapping[str, str]) -> bool:
        """Return whether the proposal has typographic characters of a kind where the file has plain ones.

        Raises:
            UnclearError: neither the quoted lines nor the file decide.
        """
        quoted, in_file = ("\n".join(lines) for lines in zip(*self._pairs, strict=True)) if self._pairs else ("", "")
        if sum(map(quoted.count, kind)) > sum(map(in_file.count, kind)):
            return True
        plainly = any(plain in quoted and plain.strip() for plain in kind.values())
        if self._prose or plainly or any(letter in line for line in self._file for letter in kind):
            return False
        raise UnclearError("it brings typographic quotes or dashes into a file that has none")


def _inner(line: str) -> str:
    return straight(line).strip()


def _tail(line: str) -> str:
    return line[len(line.rstrip(" \t")) :]
