"""Cuts prose into paragraphs, list items and fenced blocks, each with the heading above it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quaestor.chunking.headings import TERM_LEVEL, Heading, article_title, asciidoc_headings, plain_title
from quaestor.chunking.manual_headings import MANUALS
from quaestor.core.light_imports import NamedTuple, lazy_regex

FENCE = lazy_regex(r"^[ \t]*(```+|~~~+)")
_TITLE = lazy_regex(
    r"^(?:#{1,6}|={1,6}(?!\s+\"))\s+(?P<title>\S.*)|^(?P<marks>={2,6})(?P<wiki>[^=\s].*[^=\s])(?P=marks)\s*$"
)
_UNDERLINE = lazy_regex(r"^([=\-~^\"'*+#])\1{2,}\s*$")
_LISTING = lazy_regex(r"^(-{4,}|\.{4,}|\+{4,})[ \t]*$")
"""The first and the last line of a listing in AsciiDoc. Below a title of the same length, hyphens are an underline."""
_EMPTY = lazy_regex(r"^[\W_]*$")
NO_WORDS = lazy_regex(
    r"^\s*(?:\[[^\]^][^\]]*\]:\s*\S+.*"  # where a link leads
    r"|(?:\{\{[%<].*?[%>]\}\}\s*)+|(?:\{%.*?%\}\s*)+|\{[:#.][^{}]*\}|(?:1\.|[-*])\s+TOC"  # shortcodes, attributes
    r"|(?:(?:<!--(?:(?!-->).)*-->|<a\s+(?:id|name)=[^>]*+>(?:\s*+</a>)?+"
    r"|</?(?:br|hr|div|p|center|details|section)\b[^>]*+>?+"
    r"|</?[A-Z][\w.]*+(?:\s[^<>]*+)?+>)\s*+)++"  # components of MDX, each of which is written with a capital
    r"|import\s[^'\"]*\sfrom\s+(?:'[^']*'|\"[^\"]*\");?"
    # of a tag that goes over several lines
    r"|(?:class|role|id|style|align|width|height|(?:aria|data)-[a-z-]+)=(?:\"[^\"]*\"|'[^']*')\s*/?>?"
    r"|\[\[[^\[\]]*\]\]"  # AsciiDoc's anchors
    # reStructuredText's labels, directives about the page, and the lines of its tables
    r"|\.\. _[^:\n]+:|\.\. (?:class|contents|currentmodule|highlight|index|only|program|raw|rst-class)::.*|\+[-=+]+\+"
    r"|\.\. (?:title|slug|date|tags|category|link|description|type|author): .*"  # of Nikola's pages
    r"|:::+\s*(?:\{.*\})?"
    r"|include::[^\s\[]*\[.*\]|\(\(\(.*\)\)\)"  # AsciiDoc's, and its index
    r")\s*$"
)
"""Lines that only programs read."""
_APART = lazy_regex(
    r"(?P<indent>\s*)\.\. (?:TODO\b"
    r"|(?:todo|(?:section|code|module)author|figure|image|digraph|graph|graphviz|toctree|meta|include)::)"
)
"""The first line of a block of reStructuredText about the page; the block's lines are indented more."""
_REQUEST = lazy_regex(
    r"[.'](?:\\\".*|(?:B[dl]|br|E[dl]|fi|HP|in|LP|nf|PD|Pp?|PP|R[ES]|sp|TP|TQ|ad|nh|hy|na|ne|ns|ta)(?:\s.*)?)"
    r"|=(?:over|back|cut|pod|encoding|begin|end|for)\b.*|@(?:node|end|menu|[cfkpv]index|c|comment|need|sp|page)\b.*"
    r"|\\(?:begin|end|label|index|name|alias|keyword)\{.*|\}|#\+\w+:.*"
)
"""Layout commands of roff, POD, Texinfo, LaTeX and Org that hold no words."""
_ITEM = lazy_regex(r"^\s*(?:[-*+•]|\d{1,3}[.)]|\||>|\.\. )\s*")
LISTED = lazy_regex(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+[*_`\"]*")
_LINKED = lazy_regex(rf"{LISTED.pattern}(?:\[[^\]]+\][(\[]|`[^`<]+<|<?https?://)")
_LINKED_WITHIN = lazy_regex(rf"{LISTED.pattern}(?:\[[^\]]+\]\(#|\[\[#)")
_CONTENTS = 3
"""The fewest items of a table of contents."""
LIST_ITEM = lazy_regex(r"\s*(?:[-*+•]+|\.{1,3}|#\.|\(?\w{1,3}[.)])\s+\S")
_TABLE_ROW = lazy_regex(r"\s*\|.*\|")
TABLE_RULE = lazy_regex(r"\s*\|[\s:|-]+\|\s*")
_FEWEST_ITEMS, _LINES_OF_LEAD = 2, 4
_FRONT_MATTER = lazy_regex(r"\A(---|\+\+\+)[ \t]*\r?\n.*?^\1[ \t]*\r?$", re.MULTILINE | re.DOTALL)


class Piece(NamedTuple):
    """A paragraph, an item of a list, or a fenced block with its fences.

    Attributes:
        start: offset in the text.
        end: offset after it.
        section: how many headings, or numbered articles of a law, begin before it.
        heading: the last of these; empty if there is none.
    """

    start: int
    end: int
    section: int
    heading: str


def pieces_of(text: str, *, begins: bool, language: str = "markdown") -> list[Piece]:
    """Return the pieces of a text in order, without headings, rules and empty lines.

    Args:
        text: Markdown, or a text in a similar format.
        begins: whether the text begins its document, so that front matter is left out.
        language: the language of the document; AsciiDoc has listings of its own, MediaWiki numbered items.
    """
    front = _FRONT_MATTER.match(text) if begins else None
    return _Cutter(text, language.lower()).run(front.end() if front else 0)


class _Cutter:
    """Goes through a text line by line."""

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._asciidoc = language == "asciidoc"
        self._numbers = language == "mediawiki"  # where "# Collect the keys." is an item
        self._pieces: list[Piece] = []
        self._paragraph_start: int | None = None
        self._paragraph_end = 0
        self._fence: tuple[str, int] | None = None
        self._section = 0
        self._heading = ""
        self._apart: int | None = None
        self._manual = language in MANUALS
        self._titles = _titles_within(text, language)

    def run(self, start: int) -> list[Piece]:
        for begin, end in _lines(self._text, start):
            if self._fence is None:
                self._take(begin, end)
            else:
                self._go_on(self._fence, begin, end)
        if self._fence is not None:
            self._add(self._fence[1], len(self._text.rstrip()))
        self._close()
        return self._pieces

    def _go_on(self, fence: tuple[str, int], begin: int, end: int) -> None:
        """Take a line within a fenced block."""
        line = self._text[begin:end]
        mark = (_LISTING if _LISTING.match(fence[0]) else FENCE).match(line)
        if mark and mark[1].startswith(fence[0]):
            self._add(fence[1], end)
            self._fence = None

    def _take(self, begin: int, end: int) -> None:
        """Take a line of prose."""
        line = self._text[begin:end]
        if title := self._titles.get(begin):
            self._close()
            self._section, self._heading = self._section + 1, title.title
            if title.level >= TERM_LEVEL and not _REQUEST.fullmatch(line):
                self._take_words(begin, end)
            return
        if self._is_about_page(line) or (self._manual and _REQUEST.fullmatch(line)):
            self._close()
            return
        listing = _LISTING.match(line) if self._asciidoc else None
        if listing and not self._is_underline(line):
            self._close()
            self._fence = listing[1], begin
        elif self._is_underline(line):
            self._take_title_above()
        elif (titled := _TITLE.match(line)) and not (self._numbers and line.startswith("#")):
            self._close()
            self._head((titled["title"] or titled["wiki"]).rstrip("#= "))
        elif mark := FENCE.match(line):
            self._close()
            self._fence = mark[1], begin
        elif _EMPTY.match(line) or NO_WORDS.match(line):
            self._close()
        else:
            if self._paragraph_start is None and (article := article_title(line)):
                self._section, self._heading = self._section + 1, article
            self._take_words(begin, end)

    def _is_about_page(self, line: str) -> bool:
        """Return whether a line begins, or belongs to, a block of directives about the page."""
        words = line.lstrip()
        if mark := _APART.match(line):
            self._apart = len(mark["indent"])
        elif self._apart is not None and words and len(line) - len(words) <= self._apart:
            self._apart = None
        return self._apart is not None

    def _take_words(self, begin: int, end: int) -> None:
        line = self._text[begin:end]
        if _ITEM.match(line) or (self._numbers and line.startswith(("#", ":"))):
            self._close()
        if self._paragraph_start is None:
            self._paragraph_start = begin
        self._paragraph_end = end

    def _is_underline(self, line: str) -> bool:
        """Return whether a line underlines the text right above it, which is then a title.

        In AsciiDoc both are about equally long; any other such line begins or ends a block, such as a note.
        """
        if self._paragraph_start is None or not _UNDERLINE.match(line):
            return False
        above = self._text[self._paragraph_start : self._paragraph_end].rpartition("\n")[2]
        return not self._asciidoc or (not above.startswith(("[", ".")) and abs(len(above) - len(line)) <= 2)

    def _take_title_above(self) -> None:
        """Make the line above an underline the heading of the next pieces."""
        assert self._paragraph_start is not None
        start, end = self._paragraph_start, self._paragraph_end
        above = self._text.rfind("\n", start, end) + 1 or start
        self._paragraph_start = None
        if self._text[start:above].strip():
            self._add(start, above)
        self._head(self._text[above:end].strip())

    def _head(self, heading: str) -> None:
        self._section, self._heading = self._section + 1, plain_title(heading.encode("utf-8", "replace"))

    def _close(self) -> None:
        """End the paragraph that has begun."""
        if self._paragraph_start is not None:
            self._add(self._paragraph_start, self._paragraph_end)
        self._paragraph_start = None

    def _add(self, start: int, end: int) -> None:
        self._pieces.append(Piece(start, end, self._section, self._heading))


def _titles_within(text: str, language: str) -> dict[int, Heading]:
    """Return the headings of a manual, and the terms of an AsciiDoc document, by the offset of their lines."""
    if language not in MANUALS and language != "asciidoc":
        return {}
    data = text.encode("utf-8", "replace")
    titles = {}
    at = letters = 0
    for heading in sorted(MANUALS.get(language, asciidoc_headings)(data, 0), key=lambda heading: heading.start):
        letters, at = letters + len(data[at : heading.start].decode("utf-8", "replace")), heading.start
        if language in MANUALS or heading.level >= TERM_LEVEL:
            titles[letters] = heading
    return titles


def _lines(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each line, without its line end."""
    for line in text[start:].split("\n"):
        yield start, start + len(line) - line.endswith("\r")
        start += len(line) + 1


def is_list_of_links(text: str) -> bool:
    """Return whether a section consists of links: all of its list items begin with one, or it is a table of contents.

    In a table of contents, most items begin with a link to a section of the same page.
    """
    pieces = [text[piece.start : piece.end] for piece in pieces_of(text, begins=False)]
    items = [piece for piece in pieces if LISTED.match(piece)]
    within = sum(_LINKED_WITHIN.match(item) is not None for item in items)
    return len(items) > 1 and (all(map(_LINKED.match, pieces)) or (len(items) >= _CONTENTS and 2 * within > len(items)))


def end_of_items(lines: Sequence[str], first: int, end: int) -> int | None:
    """Return the last line of the list or table that begins on a line; None if there are not several items.

    Args:
        lines: the lines of a document.
        first: the line of the first item or of the table's head, 1-based.
        end: the last line that may belong to it.
    """
    begins = (
        _TABLE_ROW if _TABLE_ROW.match(lines[first - 1]) else LIST_ITEM if LIST_ITEM.match(lines[first - 1]) else None
    )
    if begins is None:
        return None
    items, last, margin = 0, first, len(lines[first - 1]) - len(lines[first - 1].lstrip())
    for at in range(first, end + 1):
        line = lines[at - 1]
        depth = len(line) - len(line.lstrip())
        if line.strip() and depth < margin:
            break
        if begins.match(line) and depth <= margin:
            items += TABLE_RULE.fullmatch(line) is None
        elif line.strip() and (begins is _TABLE_ROW or (depth <= margin and not lines[at - 2].strip())):
            break
        last = at if line.strip() else last
    rows = items - 1 if begins is _TABLE_ROW else items
    return last if rows >= _FEWEST_ITEMS else None


def end_of_clause(lines: Sequence[str], first: int) -> int:
    """Return the last line of a clause: before the next one that is indented no deeper, or the next heading."""
    margin = len(lines[first - 1]) - len(lines[first - 1].lstrip())
    item = LIST_ITEM.match(lines[first - 1])
    if item is None and lines[first - 1].rstrip().endswith(":"):
        begins = next_line(lines, first)
        return (end_of_items(lines, begins, len(lines)) if begins else None) or first
    for at in range(first + 1, len(lines) + 1):
        line = lines[at - 1]
        depth = len(line) - len(line.lstrip())
        if line.startswith("#") or (not line.strip() and item is None):
            return at - 1
        if item is not None and line.strip() and depth <= margin:
            return at - 1
    return len(lines)


def next_line(lines: Sequence[str], at: int) -> int | None:
    """Return the number of the next line that is not blank; None if it is not near."""
    return next((one for one in range(at + 1, min(len(lines), at + 2) + 1) if lines[one - 1].strip()), None)


def paragraph_up_to(lines: Sequence[str], at: int) -> str:
    """Return a line with the lines of its paragraph above it."""
    first = at
    while first > max(1, at - _LINES_OF_LEAD) and not LIST_ITEM.match(lines[first - 1]) and lines[first - 2].strip():
        first -= 1
    return " ".join(lines[first - 1 : at])
