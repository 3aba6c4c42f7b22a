"""Finds the headings of a prose document: Markdown, reStructuredText, AsciiDoc, MediaWiki, plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from itertools import pairwise

from quaestor.core.light_imports import NamedTuple, lazy_regex

LONGEST_HEADING = 200


class Heading(NamedTuple):
    """A heading of a section.

    Attributes:
        start: offset of the section's first byte: that of the heading, or of the line above it.
        level: 1 for the highest; counted from the top of the document.
        title: its text without markup.
    """

    start: int
    level: int
    title: str


_MARKDOWN = lazy_regex(
    rb"^ {0,3}(?P<hashes>#{1,6})(?:[ \t]+(?P<atx>[^\n]*)|[ \t]*\r?$)"
    rb"|^[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+)?(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)"
    rb"|^ {0,3}(?P<setext>=+|-+)[ \t]*\r?$"
    rb"|^<h(?P<html>[1-6])\b[^>\n]*>(?P<inner>[^\n]*?)</h[1-6]>"
    rb"|(?P<open><!--)|(?P<close>-->)",
    re.MULTILINE,
)
_NOT_A_TITLE = lazy_regex(rb"^(?: {4,}|\t|\s*(?:[-*+>|#]|\d+[.)]|```|~~~|<!--))")


def markdown_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield ATX, setext and one-line HTML headings; none from fenced code or comments."""
    fence = b""
    comment = False
    previous_end = start
    for match in _MARKDOWN.finditer(data, start):
        mark = match["fence"]
        if fence:
            if mark and mark[:1] == fence[:1] and len(mark) >= len(fence) and not match["info"].strip():
                fence = b""
            continue
        if match["open"] or match["close"]:
            comment = bool(match["open"])
        elif comment:
            continue
        elif mark:
            if mark[:1] != b"`" or b"`" not in match["info"]:
                fence = mark
        elif match["setext"]:
            line = _line_before(data, match.start(), previous_end)
            if line is not None and not _NOT_A_TITLE.match(data[line : match.start()]):
                level = 1 if match["setext"].startswith(b"=") else 2
                yield Heading(line, level, plain_title(data[line : match.start()]))
        elif match["html"]:
            yield Heading(match.start(), int(match["html"]), plain_title(match["inner"]))
        else:
            text = (match["atx"] or b"").rstrip(b" \t\r")
            open_end = text.rstrip(b"#")
            title = open_end if open_end[-1:] in b" \t" else text
            yield Heading(match.start(), len(match["hashes"]), plain_title(title))
        previous_end = match.end()


def _line_before(data: bytes, line: int, floor: int) -> int | None:
    """Return the start of the line before ``line``, or None if that has no text."""
    if line <= floor:
        return None
    start = max(data.rfind(b"\n", floor, line - 1) + 1, floor)
    if line - start > LONGEST_HEADING * 2 or not data[start:line].strip():
        return None
    return start


_ARTICLE = lazy_regex(
    r"[ \t]{0,3}(?:\*\*|__)?(?P<name>(?:art[ií]culo|article|artikel|articolo|artigo|art\.|section|sec\.|clause|§{1,2})"
    r"[ \t]*(?P<number>\d{1,4})(?:[ \t]?(?:bis|ter|quater)\b|[a-z]\b)?[°º]?(?![.-]?\d)"
    r"|第[〇零一二三四五六七八九十百千\d]{1,9}[条條])",
    re.IGNORECASE,
)
_ARTICLES = lazy_regex(
    rb"(?:\A|\n[ \t]*\r?\n)(?P<line>[ \t]{0,3}(?:\*\*|__)?"
    rb"(?:[Aa]rt|ART|[Ss]ec|SEC|[Cc]lause|CLAUSE|\xc2\xa7|\xe7\xac\xac)[^\n]*)"
)
_ARTICLE_TITLE = lazy_regex(r"[^\W\d_][^.:;\n]{2,79}(?=[.:]|$)")
_ARTICLE_ENDS = ".:)—–-*（("
_FEWEST_ARTICLES = 4
_RISING = 0.75
"""The share of a law's articles that have a higher number than the one before."""
_ARTICLE_LEVEL = 6


def article_title(line: str) -> str | None:
    """Return the number and title of the article of a law that a line begins; None if it begins none.

    "ARTÍCULO 11. — Plazos. Toda solicitud ..." begins ``ARTÍCULO 11 Plazos``, "Section 5 tells how" none.
    """
    match = _ARTICLE.match(line)
    if match is None:
        return None
    rest = line[match.end() :].strip()
    titled = _ARTICLE_TITLE.match(rest.lstrip(f"{_ARTICLE_ENDS}_ \t"))
    whole = titled is not None and titled[0] == rest and rest[0].isupper()
    if match["number"] and rest and rest[0] not in _ARTICLE_ENDS and not whole:
        return None
    return f"{match['name']} {titled[0].rstrip('*_） )') if titled else ''}".strip()


def numbered_articles(data: bytes, start: int) -> list[Heading]:
    """Return the articles of a law that are paragraphs without headings; none if they are few or not in order."""
    articles = []
    for begin in _ARTICLES.finditer(data, start):
        line = begin["line"][: 4 * LONGEST_HEADING].decode("utf-8", errors="ignore")
        if title := article_title(line):
            number = re.search(r"\d+", title)
            articles.append((int(number[0]) if number else 0, Heading(begin.start("line"), _ARTICLE_LEVEL, title)))
    rising = sum(one[0] <= other[0] for one, other in pairwise(articles))
    if len(articles) < _FEWEST_ARTICLES or rising < _RISING * (len(articles) - 1):
        return []
    return [heading for _, heading in articles]


_WIKI = lazy_regex(rb"^(={1,6})[ \t]*([^=\s][^\n]{0,400}?)[ \t]*\1[ \t]*\r?$", re.MULTILINE)


def mediawiki_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield headings between equals signs."""
    for match in _WIKI.finditer(data, start):
        title = plain_title(re.sub(rb"'{2,}", b"", match[2]))
        yield Heading(match.start(), len(match[1]), title)


_ADORNED = lazy_regex(rb"^(?P<mark>([!-/:-@\[-`{-~])\2{2,})[ \t]*\r?$", re.MULTILINE)


def adorned_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield titles with a line of punctuation under them, or over and under them.

    As in reStructuredText, each adornment is a level, in the order of first appearance.
    """
    levels: dict[tuple[bytes, bool], int] = {}
    over_at, over = -1, b""
    used_to = start
    for match in _ADORNED.finditer(data, start):
        mark = match["mark"]
        line = _line_before(data, match.start(), used_to)
        title = data[line : match.start()] if line is not None else b""
        if line is None or _length(title) > len(mark) + 1 or (title[:1].isspace() and over_at < 0):
            over_at, over = match.start(), mark
            continue
        overlined = over == mark and over_at >= 0 and data.find(b"\n", over_at) + 1 == line
        is_separate = overlined or line <= used_to or _line_before(data, line, used_to) is None
        over_at = -1
        if not is_separate or (title[:1].isspace() and not overlined) or _ADORNED.match(title):
            continue
        level = levels.setdefault((mark[:1], overlined), len(levels) + 1)
        begin = data.rfind(b"\n", used_to, line - 1) + 1 if overlined else line
        used_to = match.end()
        yield Heading(max(begin, start), level, plain_title(title))


def _length(title: bytes) -> int:
    """Return the columns of a title; a wide character fills two."""
    return len(title.strip().decode("utf-8", errors="replace"))


# An image, alone or as a link. A truncated heading may end within one.
_TARGET = r"(?:\([^)\n]*(?:\)|\Z)|\[[^\]\n]*\])"
_PICTURE = lazy_regex(rf"\[!\[([^\]]*)\]{_TARGET}(?:\]{_TARGET}|\Z)|(?<![\w`])!\[([^\]]*)\]{_TARGET}")
_MARKUP: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (lazy_regex(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])"), r"\1"),
    (lazy_regex(r"<br\s*/?>", re.IGNORECASE), " "),
    (lazy_regex(r"<[^>]{1,200}>"), ""),
    (lazy_regex(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z]\w{1,20});"), lambda found: unescape(found[0])),
    (lazy_regex(r"\s*\{#[^}]*\}\s*$"), ""),
    (lazy_regex(r"(?::[\w+-]+)+:(?=`)"), ""),
    (lazy_regex(r"(\*\*|__|``|`|\*)(\S(?:.*?\S)?)\1"), r"\2"),
    (lazy_regex(r"\\([!-/:-@\[-`{-~])"), r"\1"),
    (lazy_regex(r"\s+"), " "),
)


def plain_title(raw: bytes) -> str:
    """Return a heading's text without links, emphasis and anchors, and without images unless it has nothing else."""
    text = raw[: 4 * LONGEST_HEADING].decode("utf-8", errors="ignore").strip()
    text = _PICTURE.sub(" ", text).strip() or _PICTURE.sub(r"\1\2 ", text)
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return text.strip()[:LONGEST_HEADING]


_LINE = lazy_regex(
    rb"^(?P<mark>--|`{3,}\w*|\|={3,}|([-=~^+.*_/])\2{2,})[ \t]*\r?$"
    rb"|^(?P<signs>={1,6}|#{1,6})[ \t]+(?P<text>[^\n]+)"
    rb"|^(?P<term>[^\s/|+*][^\n]{0,199}?)(?P<colons>:{2,4}|;;)(?:[ \t][^\n]*|\r?)$"
    # A paragraph at the margin that is not a directive, term or title.
    rb"|(?P<blank>\n[ \t]*\r?\n)(?=[^\s+*.\[|/=<:-])(?!\w+::\S)(?![^\n]*(?::{2,4}|;;)(?:[ \t]|\r?$))"
    rb"(?![^\n]*\n(?:={3,}|-{3,}|~{3,}|\^{3,}|\+{3,})[ \t]*\r?$)",
    re.MULTILINE,
)
_PLACEHOLDER = lazy_regex(rb"<([^<>\n]*)>")  # --expire <time>: not a tag
_UNDERLINES = b"=-~^+"
_BLOCK_MARKS = b"-.=+*_/|`"
TERM_LEVEL = 7
"""From this level on, a heading is a term of a description list."""

_TERM_LEVELS = {b"::": 7, b":::": 8, b"::::": 9, b";;": 10}
_PARAGRAPH = 0
# Anchors and attributes above a heading or a term belong to it.
_ATTRIBUTES = lazy_regex(rb"(?:^\[[^\n]*\][ \t]*\r?\n)+\Z", re.MULTILINE)
_ATTRIBUTES_WITHIN = 400
_PURPOSE = lazy_regex(rb"\s*^(?:==[ \t]+)?NAME[ \t]*\r?\n(?:-+[ \t]*\r?\n)?\s*(?P<line>\S[^\n]* -+ \S[^\n]*)", re.M)


def asciidoc_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yield one-line and two-line headings and the terms of description lists; none from delimited blocks.

    If a paragraph ends a description list, the section around the list is yielded once more. A manual page gets its
    title from its NAME section: its name and its purpose.
    """
    section: Heading | None = None
    term: Heading | None = None
    following = -1  # where another term of the same item would begin
    for heading, end in _marked_headings(data, start):
        if heading.level >= TERM_LEVEL:
            if term is not None and heading.start == following and heading.level == term.level:
                term = term._replace(title=f"{term.title}, {heading.title}"[:LONGEST_HEADING])
            else:
                if term is not None:
                    yield term
                term = heading
            following = end
            continue
        if heading.level == _PARAGRAPH and end == following:
            continue  # right below a term: the item's own text
        if term is not None:
            yield term
        if heading.level != _PARAGRAPH:
            title = _purpose(data, end) if section is None else None
            section = heading._replace(title=title) if title else heading
            yield section
        elif term is not None and section is not None:
            yield section._replace(start=heading.start)
        term = None
    if term is not None:
        yield term


def _marked_headings(data: bytes, start: int) -> Iterator[tuple[Heading, int]]:
    """Yield headings, terms, and paragraphs at the margin with level 0.

    With each comes the start of the line after it; for a paragraph, that of the blank line before it.
    """
    block = b""
    for match in _LINE.finditer(data, start):
        mark = match["mark"]
        if block:
            if mark and (mark == block or mark[:3] == block[:3] == b"```"):
                block = b""
        elif mark:
            line = _title_line(data, match.start(), mark, start)
            if line is not None:
                level = 1 + _UNDERLINES.index(mark[:1])
                title = plain_title(data[line : match.start()])
                yield Heading(_with_attributes(data, line, start), level, title), match.end() + 1
            elif (len(mark) > 3 or mark == b"--" or mark[:1] in b"`|") and mark[:1] in _BLOCK_MARKS:
                block = mark
        elif match["signs"]:
            level, title = len(match["signs"]), plain_title(match["text"])
            yield Heading(_with_attributes(data, match.start(), start), level, title), match.end() + 1
        elif match["term"]:
            level = _TERM_LEVELS[match["colons"]]
            begin = _with_attributes(data, match.start(), start)
            yield Heading(begin, level, plain_title(_PLACEHOLDER.sub(rb"\1", match["term"]))), match.end() + 1
        else:
            yield Heading(match.end(), _PARAGRAPH, ""), match.start() + 1


def _title_line(data: bytes, underline: int, mark: bytes, start: int) -> int | None:
    """Return the offset of the title above an underline, or None if the line delimits a block.

    A title is alone in its line, below a blank line or attributes, and as long as its underline, within one
    character (two in old documents).
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
    """Return the start of the attributes right above a line, or of the line itself."""
    floor = max(start, line - _ATTRIBUTES_WITHIN)
    match = _ATTRIBUTES.search(data[floor:line])
    return floor + match.start() if match and (floor == start or match.start() > 0) else line


def _purpose(data: bytes, title_end: int) -> str | None:
    """Return "name - purpose" if the section after the title is a manual page's NAME, else None."""
    match = _PURPOSE.match(data, title_end)
    return plain_title(match["line"]) if match else None
