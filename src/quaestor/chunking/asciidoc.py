"""Where the headings of an AsciiDoc document are, and the terms of its description lists.

A term of a description list (``--force::``, a question of a FAQ) says what its item is about as a heading does, so it
counts as one, below the heading of every section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from quaestor.chunking.headings import LONGEST_HEADING, Heading, plain_title

_LINE = re.compile(
    rb"^(?P<mark>--|`{3,}\w*|\|={3,}|([-=~^+.*_/])\2{2,})[ \t]*\r?$"
    rb"|^(?P<signs>={1,6}|#{1,6})[ \t]+(?P<text>[^\n]+)"
    rb"|^(?P<term>[^\s/|+*][^\n]{0,199}?)(?P<colons>:{2,4}|;;)(?:[ \t][^\n]*|\r?)$"
    # A paragraph at the margin: no directive, no term, no title.
    rb"|(?P<blank>\n[ \t]*\r?\n)(?=[^\s+*.\[|/=<:-])(?!\w+::\S)(?![^\n]*(?::{2,4}|;;)(?:[ \t]|\r?$))"
    rb"(?![^\n]*\n(?:={3,}|-{3,}|~{3,}|\^{3,}|\+{3,})[ \t]*\r?$)",
    re.MULTILINE,
)
_PLACEHOLDER = re.compile(rb"<([^<>\n]*)>")  # --expire <time>: no tag
_UNDERLINES = b"=-~^+"
_BLOCK_MARKS = b"-.=+*_/|`"
TERM_LEVEL = 7
"""From this level on a heading is the term of a description list."""

_TERM_LEVELS = {b"::": 7, b":::": 8, b"::::": 9, b";;": 10}
_PARAGRAPH = 0
# Anchors and attributes above a heading or a term belong to it.
_ATTRIBUTES = re.compile(rb"(?:^\[[^\n]*\][ \t]*\r?\n)+\Z", re.MULTILINE)
_ATTRIBUTES_WITHIN = 400
_PURPOSE = re.compile(rb"\s*^(?:==[ \t]+)?NAME[ \t]*\r?\n(?:-+[ \t]*\r?\n)?\s*(?P<line>\S[^\n]* -+ \S[^\n]*)", re.M)


def asciidoc_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield one-line and two-line headings and the terms of description lists; none from delimited blocks.

    Where a paragraph ends a description list, the section around the list is yielded once more. A manual page is
    called what its NAME section says: its name and its purpose.
    """
    section: Heading | None = None
    term: Heading | None = None
    following = -1  # where a further term of the same item would begin
    for heading, end in _marked(data, start):
        if heading.level >= TERM_LEVEL:
            if term is not None and heading.start == following and heading.level == term.level:
                term = replace(term, title=f"{term.title}, {heading.title}"[:LONGEST_HEADING])
            else:
                if term is not None:
                    yield term
                term = heading
            following = end
            continue
        if heading.level == _PARAGRAPH and end == following:
            continue  # right under a term: the item's own text
        if term is not None:
            yield term
        if heading.level != _PARAGRAPH:
            title = _purpose(data, end) if section is None else None
            section = replace(heading, title=title) if title else heading
            yield section
        elif term is not None and section is not None:
            yield replace(section, start=heading.start)
        term = None
    if term is not None:
        yield term


def _marked(data: bytes, start: int) -> Iterator[tuple[Heading, int]]:
    """Yield headings, terms, and paragraphs at the margin with level 0.

    With each: where the line after it begins; for a paragraph, where the blank line before it does.
    """
    block = b""
    for found in _LINE.finditer(data, start):
        mark = found["mark"]
        if block:
            if mark and (mark == block or mark[:3] == block[:3] == b"```"):
                block = b""
        elif mark:
            line = _title_line(data, found.start(), mark, start)
            if line is not None:
                level = 1 + _UNDERLINES.index(mark[:1])
                title = plain_title(data[line : found.start()])
                yield Heading(_with_attributes(data, line, start), level, title), found.end() + 1
            elif (len(mark) > 3 or mark == b"--" or mark[:1] in b"`|") and mark[:1] in _BLOCK_MARKS:
                block = mark
        elif found["signs"]:
            level, title = len(found["signs"]), plain_title(found["text"])
            yield Heading(_with_attributes(data, found.start(), start), level, title), found.end() + 1
        elif found["term"]:
            level = _TERM_LEVELS[found["colons"]]
            begin = _with_attributes(data, found.start(), start)
            yield Heading(begin, level, plain_title(_PLACEHOLDER.sub(rb"\1", found["term"]))), found.end() + 1
        else:
            yield Heading(found.end(), _PARAGRAPH, ""), found.start() + 1


def _title_line(data: bytes, underline: int, mark: bytes, start: int) -> int | None:
    """Return where the title over an underline begins; None where the line delimits a block instead.

    A title stands alone in its line, under a blank line or attributes, and is as long as its underline, give or take
    one character (two in old documents).
    """
    line = max(data.rfind(b"\n", start, max(underline - 1, start)) + 1, start)
    title = data[line:underline].strip()
    if mark[:1] not in _UNDERLINES or (not title[:1].isalnum() and title[:1] not in b"\"'`_{("):
        return None
    above = data[max(data.rfind(b"\n", start, max(line - 1, start)) + 1, start) : line].strip()
    if above and not (above.startswith(b"[") and above.endswith(b"]")):
        return None
    length = len(title.decode("utf-8", errors="replace"))
    return line if title and abs(length - len(mark)) <= 2 else None


def _with_attributes(data: bytes, line: int, start: int) -> int:
    """Return where the attributes right above a line begin, or the line itself."""
    floor = max(start, line - _ATTRIBUTES_WITHIN)
    found = _ATTRIBUTES.search(data[floor:line])
    return floor + found.start() if found and (floor == start or found.start() > 0) else line


def _purpose(data: bytes, title_end: int) -> str | None:
    """Return "name - purpose" where the section after the title is that of a manual page."""
    found = _PURPOSE.match(data, title_end)
    return plain_title(found["line"]) if found else None
