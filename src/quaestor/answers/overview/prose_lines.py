"""Separates a document's prose from its decoration: badges, logos, HTML, tables of contents. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from quaestor.core.light_imports import NamedTuple, lazy_regex

_HEADING_MARK = lazy_regex(r"(?: {0,3}#{1,6}|={1,6}(?!\s+\"))\s+")
"""Not that of a tab of MkDocs: ``=== "Linux"``."""
_DEEPEST_HEADING = 6
_UNDERLINE = lazy_regex(r"^([=\-~^\"'*+#`:.])\1{2,}\s*$")
_IMAGE = lazy_regex(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|image::?\S*\[[^\]]*\]|:image:\S*|\|[\w .-]+\|(?!\s*\w+\s*\|)")
_LINK = lazy_regex(r"\[([^\][]*)\](?:\([^)\s]*(?:\s+\"[^\"]*\")?\)|\[[^\]]*\])")
_RST_LINK = lazy_regex(r"`([^`<]+?)\s*<[^`>]*>`__?")
ROLE = lazy_regex(r":[a-z:]+:`~?([^`<]+?)(?:\s*<[^`>]*>)?`")
"""A role of reStructuredText: ``:class:`the base <shop.Base>```, of which the first words are shown."""
_ADOC_LINK = lazy_regex(r"(?:link:|https?://)\S*?\[([^\]]*)\]")
_TAG = lazy_regex(r"<!--.*?-->|</?[a-zA-Z][^<>]*>", re.DOTALL)
_AUTOLINK = lazy_regex(r"<(https?://[^<>\s]+)>")
_OPEN_TAG = lazy_regex(r"<(?:img|a|source|p|div|picture|h[1-6])\b[^<>]*$")
_LONGEST_TAG = 8
"""The most lines of a tag; a blank line ends it, too."""
_LINK_OPENS = lazy_regex(r"\s*<a\b[^<>]*>\s*(?:<[^<>]*>\s*)*$", re.IGNORECASE)
_TITLE_TAG = lazy_regex(r"<h[1-6]\b", re.IGNORECASE)
_LONGEST_LINKED = 30
# <b>slide</b>s is one word.
_WITHIN_WORD = lazy_regex(r"(?<=\w)</?(?:b|code|em|font|i|span|strong|u)(?:\s[^<>]*)?>(?=\w)")
_DIRECTIVE = lazy_regex(
    r"^\s*(?:\.\. |:[\w-]+:|\[[^\]]*\]:|\[\[|\[[\w=,\" .%#-]+\]\s*$|ifdef::|endif::|include::|---\s*$)"
)
_SCRIPT = lazy_regex(r"^\s*(?:import|export)\s.*\bfrom\s+['\"]")
"""An import at the head of a page of components."""
_MARKERS = lazy_regex(r"^\s*(?:>+|[-*+•]|\d{1,3}[.)])\s+")
_EMPHASIS = lazy_regex(r"(\*\*|__|``|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w))")
# Without spaces between words, each sign counts.
_WORD = lazy_regex(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]|[^\W\d_]{2,}")
_SPACES = lazy_regex(r"\s+")
_ADDRESS = lazy_regex(r"\bhttps?://\S+")
_FEWEST_WORDS = 4
_LONGEST = 4_000
_LISTING = lazy_regex(r"-{4,}|\.{4,}")
"""The first and the last line of a listing in AsciiDoc; both have the same length."""
_MARKED_LINE = lazy_regex(r"#{1,6}\s|={1,4}\s")
_BLOCK = 24
"""The most lines by which a block of code may extend an excerpt."""
_COMMENT_START = lazy_regex(r"<!--")


class Paragraph(NamedTuple):
    """Some lines of prose.

    Attributes:
        text: their words on one line, without markup.
        start_line: first line, 1-based.
        end_line: last line, inclusive.
        heading: the heading above them; empty if there is none.
    """

    text: str
    start_line: int
    end_line: int
    heading: str = ""


class Part(NamedTuple):
    """A section of a document, with its subsections.

    Attributes:
        title: its heading without markup.
        first: the line below the heading, 1-based.
        last: its last line that is not blank.
        above: the titles of the sections around it, the outermost first.
    """

    title: str
    first: int
    last: int
    above: tuple[str, ...]


def plain(text: str) -> str:
    """Return the words of some lines on one line, without markup; only the beginning of very long ones."""
    # On text that only looks like markup, the time of the patterns grows with its square.
    text = _AUTOLINK.sub(r"\1", _WITHIN_WORD.sub("", _IMAGE.sub(" ", text[:_LONGEST])))
    # An address in reStructuredText looks like a tag.
    text = ROLE.sub(r"\1", _RST_LINK.sub(r"\1", text))
    text = _TAG.sub(" ", text).replace("&nbsp;", " ")
    text = _ADOC_LINK.sub(r"\1", _LINK.sub(r"\1", text))
    # reStructuredText joins what emphasis parts: **f**\ riendly.
    return _SPACES.sub(" ", _EMPHASIS.sub("", text.replace("\\ ", ""))).strip(" |\\")


def says_something(text: str) -> bool:
    """Return whether a text has enough words to be a sentence."""
    return len(_WORD.findall(_ADDRESS.sub("", text))) >= _FEWEST_WORDS


def paragraphs(lines: Sequence[str]) -> Iterator[Paragraph]:
    """Yield the paragraphs of a document in order, without lists, tables, code and decoration."""
    heading, first_line, words, in_list = "", 0, list[str](), False
    before = ""
    shown = _without_linked_blocks(_without_open_tags([line for _, line in _outside_code(lines)]))
    for number, line in enumerate(shown, 1):
        # What is indented below a tag is text of that element, and no code.
        line = line.lstrip() if before.startswith("<") else line
        before = line.strip() or before
        title = _heading(shown, number)
        # What is indented below an item of a list is a part of it.
        in_list = (
            bool(_MARKERS.match(line))
            or line.startswith(".. ")
            or (in_list and (not line or line.startswith((" ", "\t"))))
        )
        if title is None and not in_list and _is_text(line):
            first_line = first_line or number
            words.append(line)
            continue
        if words:
            yield from _paragraph_of(words, first_line, heading)
            first_line, words = 0, []
        heading = title or heading
    if words:
        yield from _paragraph_of(words, first_line, heading)


def _without_open_tags(lines: Sequence[str]) -> list[str]:
    """Return the lines without the tags that reach over several of them: ``<img`` with its attributes below."""
    pieces, inside = list[str](), 0
    for line in lines:
        if not line.strip():
            inside = 0
        if inside and ">" in line:
            line, inside = line.partition(">")[2], 0
        if inside:
            inside -= 1
            pieces.append("")
            continue
        opened = _OPEN_TAG.search(line)
        inside = _LONGEST_TAG if opened else 0
        pieces.append(line[: opened.start()] if opened else line)
    return pieces


def _without_linked_blocks(lines: Sequence[str]) -> list[str]:
    """Return the lines without elements that are links as a whole, such as a sponsor's picture and slogan."""
    pieces, inside = list[str](), 0
    for number, line in enumerate(lines):
        if not inside and _LINK_OPENS.match(line) and "</a>" not in line.lower():
            block = list(takewhile(lambda one: "</a>" not in one.lower(), lines[number : number + _LONGEST_LINKED]))
            closed = len(block) < len(lines[number : number + _LONGEST_LINKED])
            inside = len(block) + 1 if closed and not _TITLE_TAG.search("\n".join(block)) else 0
        pieces.append("" if inside else line)
        inside = max(0, inside - 1)
    return pieces


def headings(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield a document's headings with the numbers of their lines, from 1."""
    shown = [line for _, line in _outside_code(lines)]
    for number in range(1, len(shown) + 1):
        if title := _heading(shown, number):
            yield number, title


def parts_of(lines: Sequence[str]) -> Iterator[Part]:
    """Yield the sections of a document in order; a section comes before those in it."""
    heads = [(at, title) for at, title in headings(lines) if title]
    marks = list(dict.fromkeys(filter(None, (_underline(lines, at) for at, _ in heads))))
    levels = [_level(lines, at, marks) for at, _ in heads]
    around: list[tuple[int, str]] = []
    for number, (at, title) in enumerate(heads):
        ends = (heads[one][0] - 1 for one in range(number + 1, len(heads)) if levels[one] <= levels[number])
        first, end = at + 1 + bool(_underline(lines, at)), next(ends, len(lines))
        while end >= first and not lines[end - 1].strip(" =-~^*#"):
            end -= 1
        around = [one for one in around if one[0] < levels[number]]
        yield Part(title, first, end, tuple(above for _, above in around))
        around.append((levels[number], title))


def _underline(lines: Sequence[str], at: int) -> str:
    """Return the character that underlines a heading; empty if the heading has a mark of its own."""
    below = lines[at].strip() if at < len(lines) else ""
    marked = _marked_heading(lines[at - 1]) is not None
    return below[0] if not marked and _UNDERLINE.match(below) else ""


def _level(lines: Sequence[str], at: int, marks: Sequence[str]) -> int:
    """Return the level of a heading, from 1; underlines have their levels by the order in which they come first."""
    line, mark = lines[at - 1], _underline(lines, at)
    return (
        marks.index(mark) + 1 if mark else max(len(line) - len(line.lstrip("#")), len(line) - len(line.lstrip("=")), 1)
    )


def start_of_lead(lines: Sequence[str], at: int, least: int) -> int:
    """Return the first line of the paragraph that leads to a line of code."""
    fences = [one for one in range(least, at + 1) if is_fence(lines[one - 1])]
    first = fences[-1] if len(fences) % 2 else at
    while first > least and lines[first - 2].strip() and (lines[first - 2][0] in " \t" or len(fences) % 2 == 0):
        first -= 1
    above = first - 1
    while above >= least and not lines[above - 1].strip():
        above -= 1
    while above >= least and lines[above - 1].strip() and not lines[above - 1].startswith(("#", "=", "```")):
        first, above = above, above - 1
    return first


def end_of_blocks(lines: Sequence[str], first: int, last: int, end: int, *, opened: int = 0) -> int:
    """Return the last line of an excerpt that cuts no paragraph, item or block of code and ends with no heading."""
    last = _end_of_block(lines, last, end, fences=opened + sum(map(is_fence, lines[first - 1 : last])))
    while last > first and (not lines[last - 1].strip(" =-^~") or _MARKED_LINE.match(lines[last - 1])):
        last -= 1
    return last


def _end_of_block(lines: Sequence[str], last: int, end: int, fences: int) -> int:
    """Return the first line from ``last`` on with which an excerpt may end; ``last`` if there is none near."""
    for at in range(last, min(end, last + _BLOCK) + 1):
        fences += at > last and is_fence(lines[at - 1])
        if fences % 2 == 0 and _may_end(lines, at, end):
            return at
    return last


def _may_end(lines: Sequence[str], at: int, end: int) -> bool:
    """Return whether an excerpt may end with a line, counted from 1.

    A paragraph is whole, and what is indented below a line, or announced by its colon, belongs to it.
    """
    line = lines[at - 1]
    if at >= end or is_fence(line):
        return True
    below = lines[at]
    if line.strip() and below.strip():
        return below.lstrip().startswith("|") or any(mark.match(below) for mark in (_MARKERS, _MARKED_LINE))
    said = next(filter(str.strip, reversed(lines[:at])), "")
    below = next(filter(str.strip, lines[at:end]), "")
    return not below[:1].isspace() and not said.rstrip().endswith(":")


def is_fence(line: str) -> bool:
    """Return whether a line opens or closes a block of code in Markdown."""
    return line.lstrip().startswith(("```", "~~~"))


def _paragraph_of(words: Sequence[str], first_line: int, heading: str) -> Iterator[Paragraph]:
    text = plain("\n".join(words))
    if says_something(text) and not text.startswith("<"):
        yield Paragraph(text, first_line, first_line + len(words) - 1, heading)


def _outside_code(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield (number, line) of all lines; those within fences and comments are blank."""
    fence, comment = "", False
    front = end_of_front_matter(lines)
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if number <= front:
            yield number, ""
        elif comment:
            comment = "-->" not in line
            yield number, ""
        elif fence:
            if stripped == fence if fence[0] in "-." else stripped.startswith(fence):
                fence = ""
            yield number, ""
        elif stripped.startswith("~~~") and _underlines(lines, number):
            yield number, line
        elif stripped.startswith(("```", "~~~")):
            fence = stripped[:3]
            yield number, ""
        elif _LISTING.fullmatch(stripped) and _opens_listing(lines, number):
            fence = stripped
            yield number, ""
        elif _COMMENT_START.search(line) and "-->" not in line:
            comment = True
            yield number, ""
        else:
            yield number, line


def _opens_listing(lines: Sequence[str], number: int) -> bool:
    """Return whether a line of hyphens or dots begins a block, and is neither an underline nor a rule."""
    mark, following = lines[number - 1].strip(), next((line.strip() for line in lines[number : number + 1]), "")
    # Right below a rule in Markdown a section begins.
    closed = (
        bool(following) and not following.startswith("##") and any(line.strip() == mark for line in lines[number + 1 :])
    )
    return closed and not _underlines(lines, number)


def _underlines(lines: Sequence[str], number: int) -> bool:
    """Return whether a line is one character again and again, about as long as the words above it."""
    mark, above = lines[number - 1].strip(), lines[number - 2].strip() if number > 1 else ""
    return len(set(mark)) == 1 and above[:1].isalnum() and abs(len(above) - len(mark)) <= 2


def end_of_front_matter(lines: Sequence[str]) -> int:
    """Return the number of the line that ends a document's front matter; 0 if it has none."""
    mark = lines[0].rstrip() if lines else ""
    if mark not in ("---", "+++"):
        return 0
    return next((number for number, line in enumerate(lines[1:], 2) if line.rstrip() == mark), 0)


def _heading(lines: Sequence[str], number: int) -> str | None:
    """Return the heading on a line, empty if the line underlines one, or None if it is no heading."""
    line = lines[number - 1]
    marked = _marked_heading(line)
    if marked is not None:
        return plain(marked)
    following = lines[number] if number < len(lines) else ""
    # Between two lines of one mark, a title of reStructuredText is often indented.
    overlined = number > 1 and following.strip() == lines[number - 2].strip()
    if line.strip() and (overlined or not line.startswith((" ", "\t"))) and _UNDERLINE.match(following):
        return plain(line) if len(following.strip()) >= len(line.strip()) * 0.6 else None
    return "" if _UNDERLINE.match(line) else None


def header_of_table(lines: Sequence[str], at: int) -> str:
    """Return the first row of the Markdown table that a line, counted from 1, is a row of; empty for other lines."""
    while at > 1 and lines[at - 1].lstrip().startswith("|") and lines[at - 2].lstrip().startswith("|"):
        at -= 1
    return lines[at - 1] if lines[at - 1].lstrip().startswith("|") else ""


def _wiki_title(line: str) -> str:
    """Return the title between equals signs, as many behind it as before it (``== Title ==``); "" for another line."""
    depth = len(line) - len(line.lstrip("="))
    closed = line.rstrip()
    if not 0 < depth <= _DEEPEST_HEADING or len(closed) <= 2 * depth or not closed.endswith("=" * depth):
        return ""
    title = closed[depth:-depth].strip()
    return "" if title.startswith("=") else title


def _marked_heading(line: str) -> str | None:
    """Return the text after the mark of a heading, without a closing mark; None if there is no mark."""
    if wiki := _wiki_title(line):
        return wiki
    mark = _HEADING_MARK.match(line)
    title = line[mark.end() :].rstrip() if mark else ""
    if mark is None or (line.startswith("=") and not title):
        return None
    unclosed = title.rstrip("#")
    # "F#" is a name; only what stands apart closes a heading.
    return unclosed.rstrip() if not unclosed or unclosed[-1].isspace() else title


def _is_text(line: str) -> bool:
    if not line.strip() or line.startswith(("    ", "\t")) or line.lstrip().startswith("|"):
        return False
    if _DIRECTIVE.match(line) or _SCRIPT.match(line):
        return False
    return bool(_WORD.search(plain(line)))
