"""Writing a tool's result for a model: within its budget, cut at line ends, with a fair share for each part."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from quaestor.core.light_imports import NamedTuple
from quaestor.llm.prompts import load
from quaestor.llm.prompts.numbered_passages import Passage, show, where
from quaestor.tools.tool_values import Room
from quaestor.window.trim import largest_fitting, trim

# Control characters, odd line ends, and what turns the direction of writing.
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_TAB = re.compile(r"\t")


def shown_name(name: str) -> str:
    """Return a path or a symbol on one line, with nothing in it that a terminal or a model reads as more than text."""
    return _CONTROL.sub("\ufffd", _TAB.sub(" ", name))


def shown_line(line: str) -> str:
    """Return a line of a document without control characters; tabs stay."""
    return _CONTROL.sub("\ufffd", line)


def place(passage: Passage) -> str:
    """Return a passage's place and symbol: ``src/a.py:10-24 Client.send``, and its corpus if it is named."""
    corpus = f"{shown_name(passage.corpus)}: " if passage.corpus else ""
    symbol = f" {shown_name(passage.symbol)}" if passage.symbol else ""
    return f"{corpus}{shown_name(where(passage))}{symbol}"


Count = Callable[[str], int]


class FittedLines(NamedTuple):
    """Lines that fit a budget.

    Attributes:
        text: the lines, and the mark if any are missing.
        shown: number of lines that are there whole.
        cut: whether the line after them is there in part.
    """

    text: str
    shown: int
    cut: bool = False


def cut_to_budget(text: str, budget: int, count: Count) -> str:
    """Return a text that takes at most ``budget`` tokens; a mark says how many lines are missing."""
    if count_up_to(text, budget, count):
        return text
    lines = text.split("\n")
    mark = load("result_cut")
    return fit(lines, budget, count, lambda shown: mark.render(lines=plural(len(lines) - shown, "line"))).text


def fit(lines: Sequence[str], budget: int, count: Count, mark: Callable[[int], str]) -> FittedLines:
    """Return as many lines from the beginning as fit.

    Args:
        lines: without their ends.
        budget: tokens for the result.
        count: tokens of a text.
        mark: returns the text that replaces the rest, given the number of lines shown whole.

    If not even one line fits beside its mark, the line is cut; if the mark does not fit, it is left out.
    """

    def shown(number: int) -> str:
        return "\n".join([*lines[:number], mark(number)])

    # The whole needs no mark, so that it may fit where all but its last line does not.
    if count_up_to("\n".join(lines), budget, count):
        return FittedLines("\n".join(lines), len(lines))
    most = largest_fitting(len(lines) - 1, lambda number: count(shown(number)) <= budget)
    while most > 0 and count(shown(most)) > budget:
        most -= 1
    if most > 0:
        return FittedLines(shown(most), most)
    rest = mark(0)
    part = trim(lines[0], budget, count, rest) if lines[0].strip() else None
    if part is not None:
        return FittedLines(part, 0, cut=True)
    return FittedLines(_letters(rest, budget, count), 0)


def count_up_to(text: str, budget: int, count: Count) -> bool:
    """Return whether a text takes at most ``budget`` tokens; a text that is much too long is never counted whole."""
    length = max(256, 4 * budget)
    while length < len(text):
        if count(text[:length]) > budget:
            return False
        length *= 4
    return count(text) <= budget


def plural(number: int, noun: str) -> str:
    """Return ``1 line``, ``20 lines``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _letters(text: str, budget: int, count: Count) -> str:
    """Return the longest beginning of a short text that fits."""
    length = len(text)
    while length > 0 and count(text[:length]) > budget:
        length -= 1
    return text[:length]


# A passage with less room than this shows nothing of use.
_LEAST = 120
# Texts joined may take a few tokens more than the sum of theirs: the next try leaves so much more free.
_STEP = 0.94
_TRIES = 12


class ShownPassages(NamedTuple):
    """Passages as a model sees them.

    Attributes:
        text: all of them.
        passages: those that are there, each with no more than the lines that are shown.
    """

    text: str
    passages: tuple[Passage, ...]


def show_passages(passages: Sequence[Passage], room: Room, notes: Sequence[str] = ()) -> ShownPassages:
    """Return as many passages as fit, best first, with ``notes`` below them if those fit."""
    budget = room.budget
    for _ in range(_TRIES):
        shown = _show_within(passages, replace(room, budget=budget), notes)
        if room.count(shown.text) <= room.budget:
            return shown
        budget = int(budget * _STEP) - 1
    return ShownPassages(show_places(passages, room), ())


def show_passage(passage: Passage, room: Room, lines: Sequence[str] | None = None) -> ShownPassages | None:
    """Return one passage cut to the room at a line end, or None if not even a part of a line fits.

    Args:
        passage: the passage with one line of text for each of its line numbers.
        room: the room for the passage with its heading and marks.
        lines: its lines as shown, if they differ.
    """
    raw = passage.text.removesuffix("\n").split("\n")
    shown_lines = raw if lines is None else lines
    framed = replace(
        passage,
        path=shown_name(passage.path),
        symbol=_name(passage.symbol),
        title=_name(passage.title),
        author=_name(passage.author),
    )
    budget = room.budget - room.count(show(replace(framed, text="")))
    while budget > 0:
        fitted = fit(shown_lines, budget, room.count, lambda number: _rest_mark(passage, len(raw), number))
        if not fitted.shown and not fitted.cut:
            return None
        last = passage.start_line + max(fitted.shown, 1) - 1
        text = show(replace(framed, text=fitted.text, end_line=last))
        if room.count(text) <= room.budget:
            kept = "\n".join(raw[: max(fitted.shown, 1)])
            return ShownPassages(text, (replace(passage, text=kept, end_line=last),))
        budget = int(budget * _STEP) - 1
    return None


def _show_within(passages: Sequence[Passage], room: Room, notes: Sequence[str]) -> ShownPassages:
    most = min(len(passages), max(1, room.budget // _LEAST))
    footer = list(notes) if room.count("\n".join(notes)) * 4 < room.budget else []
    if most < len(passages):
        footer.append(_left_out(passages[most:], room))
    remaining = room.budget - room.count("\n".join(footer))
    texts: list[str] = []
    kept: list[Passage] = []
    for number, passage in enumerate(passages[:most]):
        shown = show_passage(passage, replace(room, budget=remaining // (most - number)))
        if shown is None:
            continue
        remaining -= room.count(f"{shown.text}\n")
        texts.append(shown.text)
        kept.extend(shown.passages)
    if not kept:
        return ShownPassages(show_places(passages, room), ())
    return ShownPassages("\n".join([*texts, *footer]), tuple(kept))


def show_places(passages: Sequence[Passage], room: Room) -> str:
    """Return the places of passages whose text does not fit."""
    lines = [place(passage) for passage in passages]
    mark = load("result_cut")
    return fit(
        lines, room.budget, room.count, lambda shown: mark.render(lines=plural(len(lines) - shown, "passage"))
    ).text


def _left_out(passages: Sequence[Passage], room: Room) -> str:
    """Return a line that names the passages that do not fit, as many as a tenth of the space allows."""
    template = load("result_more_hits")
    for count in range(min(len(passages), 8), 0, -1):
        more = " …" if count < len(passages) else ""
        places = "; ".join(map(place, passages[:count])) + more
        line = template.render(count=plural(len(passages), "passage"), places=places)
        if room.count(line) * 10 <= room.budget:
            return line
    return load("result_cut").render(lines=plural(len(passages), "passage"))


def _rest_mark(passage: Passage, lines: int, number: int) -> str:
    """Return the mark at the end of a passage with ``number`` lines shown whole."""
    if number == 0 and lines == 1:
        return load("result_line_cut").render(line=str(passage.start_line))
    # A first line that is itself too long is there in part; the rest begins after it.
    first, last = passage.start_line + max(number, 1), passage.start_line + lines - 1
    return load("result_passage_cut").render(lines=f"line {first}" if first == last else f"lines {first}-{last}")


def _name(name: str | None) -> str | None:
    return None if name is None else shown_name(name)
