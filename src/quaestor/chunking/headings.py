"""Where the headings of a prose document are: Markdown, reStructuredText, plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_HEADING = 200


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a section.

    Attributes:
        start: offset of the section's first byte: of the heading, or of the line drawn over it.
        level: 1 for the highest; counted from the top of the document.
        title: its text without markup.
    """

    start: int
    level: int
    title: str


_MARKDOWN = re.compile(
    rb"^ {0,3}(?P<hashes>#{1,6})(?:[ \t]+(?P<atx>[^\n]*)|[ \t]*\r?$)"
    rb"|^[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+)?(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)"
    rb"|^ {0,3}(?P<setext>=+|-+)[ \t]*\r?$"
    rb"|^<h(?P<html>[1-6])\b[^>\n]*>(?P<inner>[^\n]*?)</h[1-6]>"
    rb"|(?P<open><!--)|(?P<close>-->)",
    re.MULTILINE,
)
_NOT_A_TITLE = re.compile(rb"^(?: {4,}|\t|\s*(?:[-*+>|#]|\d+[.)]|```|~~~|<!--))")


def markdown_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield ATX, setext and one-line HTML headings; none from fenced code or comments."""
    fence = b""
    comment = False
    previous_end = start
    for found in _MARKDOWN.finditer(data, start):
        mark = found["fence"]
        if fence:
            if mark and mark[:1] == fence[:1] and len(mark) >= len(fence) and not found["info"].strip():
                fence = b""
            continue
        if found["open"] or found["close"]:
            comment = bool(found["open"])
        elif comment:
            continue
        elif mark:
            if mark[:1] != b"`" or b"`" not in found["info"]:
                fence = mark
        elif found["setext"]:
            line = _line_before(data, found.start(), previous_end)
            if line is not None and not _NOT_A_TITLE.match(data[line : found.start()]):
                level = 1 if found["setext"].startswith(b"=") else 2
                yield Heading(line, level, plain_title(data[line : found.start()]))
        elif found["html"]:
            yield Heading(found.start(), int(found["html"]), plain_title(found["inner"]))
        else:
            text = re.sub(rb"(?:^|[ \t]+)#+[ \t\r]*$", b"", found["atx"] or b"")
            yield Heading(found.start(), len(found["hashes"]), plain_title(text))
        previous_end = found.end()


def _line_before(data: bytes, line: int, floor: int) -> int | None:
    """The start of the line before the line that starts at ``line``, if it has text."""
    if line <= floor:
        return None
    start = max(data.rfind(b"\n", floor, line - 1) + 1, floor)
    if line - start > LONGEST_HEADING * 2 or not data[start:line].strip():
        return None
    return start


_ADORNED = re.compile(rb"^(?P<mark>([!-/:-@\[-`{-~])\2{2,})[ \t]*\r?$", re.MULTILINE)


def adorned_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield titles with a line of punctuation under them, or over and under them.

    As in reStructuredText, a level is known by its adornment, in the order of first appearance.
    """
    levels: dict[tuple[bytes, bool], int] = {}
    over_at, over = -1, b""
    used_to = start
    for found in _ADORNED.finditer(data, start):
        mark = found["mark"]
        line = _line_before(data, found.start(), used_to)
        title = data[line : found.start()] if line is not None else b""
        if line is None or _length(title) > len(mark) + 1 or (title[:1].isspace() and over_at < 0):
            over_at, over = found.start(), mark
            continue
        overlined = over == mark and over_at >= 0 and data.find(b"\n", over_at) + 1 == line
        apart = overlined or line <= used_to or _line_before(data, line, used_to) is None
        over_at = -1
        if not apart or (title[:1].isspace() and not overlined) or _ADORNED.match(title):
            continue
        level = levels.setdefault((mark[:1], overlined), len(levels) + 1)
        begin = data.rfind(b"\n", used_to, line - 1) + 1 if overlined else line
        used_to = found.end()
        yield Heading(max(begin, start), level, plain_title(title))


def _length(title: bytes) -> int:
    """Characters of a title; a wide character fills two columns."""
    return len(title.strip().decode("utf-8", errors="replace"))


_MARKUP = (
    (re.compile(r"!\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])"), r"\1"),
    (re.compile(r"<[^>]{1,200}>"), ""),
    (re.compile(r"\s*\{#[^}]*\}\s*$"), ""),
    (re.compile(r":[\w+-]+:(?=`)"), ""),
    (re.compile(r"(\*\*|__|``|`|\*)(\S(?:.*?\S)?)\1"), r"\2"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
    (re.compile(r"\s+"), " "),
)


def plain_title(raw: bytes) -> str:
    """Return a heading's text without links, emphasis and anchors."""
    text = raw[: 4 * LONGEST_HEADING].decode("utf-8", errors="ignore").strip()
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return text.strip()[:LONGEST_HEADING]
