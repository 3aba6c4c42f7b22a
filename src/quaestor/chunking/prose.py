"""Cuts prose documents by their headings, and reads their metadata.

Title, author and date come from front matter or fields. Long sections are cut at paragraphs and list items, then at
sentences.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from textwrap import dedent

from quaestor.chunking import merge
from quaestor.chunking.chunk_settings import ChunkSettings
from quaestor.chunking.decode import DecodedFile
from quaestor.chunking.headings import (
    LONGEST_HEADING,
    TERM_LEVEL,
    Heading,
    adorned_headings,
    asciidoc_headings,
    markdown_headings,
    mediawiki_headings,
    numbered_articles,
    plain_title,
)
from quaestor.chunking.manual_headings import MANUALS
from quaestor.chunking.outline import NO_PARENT, Piece
from quaestor.core.bylines import author_line, iso_date
from quaestor.core.documents import Chunk

_FEWEST = 8
# The least share of a section that items take, and their greatest average size in bytes.
_SHARE = 0.6
_LONGEST = 600
_LINE = re.compile(
    rb"^(?P<fence>[ \t]*(?:```|~~~))"
    # The definition of a term is in the next line, indented or after a colon.
    rb"|^(?P<bullet> {0,3})(?:[-*+]|\xe2\x80\xa2)[ \t]+\S"
    rb"|(?:(?<=\n\n)|(?<=\n\r\n))(?P<term>)(?=[^\s.:|=#<>`~-][^\n]{0,150}\n(?:[ \t]{2,}\S|:[ \t]+\S))"
    rb"|(?:(?<=\n\n)|(?<=\n\r\n))(?P<text>)(?=\S)",
    re.MULTILINE,
)

_LARGEST = 1 << 16
_YAML = re.compile(rb"---[ \t]*\r?\n(?P<body>.*?)^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(rb"\+\+\+[ \t]*\r?\n(?P<body>.*?)^\+\+\+[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_AUTHOR = r"authors?|creators?|by"
# First fields for the date of writing, then those for the date of publication.
_DATES = ("date", "created", "date_created", "published", "date_published", "published_at", "pubdate", "publishdate")
_ENTRY = re.compile(
    rf"^(title|{_AUTHOR}|{'|'.join(_DATES)}|url)[ \t]*[:=][ \t]*(\S[^\n]*)", re.MULTILINE | re.IGNORECASE
)
# Several authors, one in each line, with a ``name`` field or without; or one, with the name in the next line.
_LISTED = re.compile(
    r"^authors?[ \t]*:[ \t]*\r?\n((?:(?:[ \t]+|-[ \t]+)\S[^\n]*(?:\n|\Z))+)", re.MULTILINE | re.IGNORECASE
)
_LISTED_NAME = re.compile(r"^(?:[ \t]*-[ \t]++(?![\w-]+:[ \t])|[ \t]*(?:-[ \t]+)?name:[ \t]*+)(\S[^\n]*)", re.MULTILINE)
_FIELD = re.compile(r"^:(authors?|date|revdate|title):[ \t]*(\S[^\n]*)", re.MULTILINE | re.IGNORECASE)
# A mail's header, as in Python's proposals and pages of some site generators.
_HEADER = re.compile(r"\A(?:[A-Z][\w-]{0,40}:[ \t]*\S?[^\n]*\n(?:[ \t]+\S[^\n]*\n)*){2,}")
# The same within a block, as in proposals in MediaWiki and Markdown.
_SET_APART = re.compile(r"\A\s*(?:<pre>|```\w*)[ \t]*\n(?P<header>.*?)(?:</pre>|```)", re.DOTALL)
_HEADER_FIELD = re.compile(
    r"^(title|authors?|from|date|created|published):[ \t]*(\S[^\n]*(?:\n[ \t]+\S[^\n]*)*)$",
    re.MULTILINE | re.IGNORECASE,
)
# Below the title of an AsciiDoc document: its author, and the version with its date.
_UNDER_TITLE = re.compile(
    r"\A(?:(?://|:)[^\n]*\n|\n)*= [^\n]+\n(?P<author>[^\s:=/|\[][^\n<]{0,80}<[^\n>]+@[^\n>]+>[^\n]*)\n"
    r"(?:v?[\d.]+,[ \t]*(?P<date>[^\n:]+))?"
)
_COMMENT = re.compile(r"(?<![ \t])[ \t]+#.*$")
_FIELDS_WITHIN = 2000


def list_items(data: bytes, start: int, end: int) -> list[int]:
    """Return the starts of the items of a section that is mostly one long list; none for any other section."""
    bullets: list[tuple[int, int]] = []
    terms: list[int] = []
    others: list[int] = []
    fenced = False
    for match in _LINE.finditer(data, start, end):
        kind, at = match.lastgroup, match.start()
        if kind == "fence":
            fenced = not fenced
        elif fenced:
            continue
        elif kind == "bullet":
            bullets.append((len(match["bullet"]), at))
        else:
            (terms if kind == "term" else others).append(at)
    margin = min((indent for indent, _ in bullets), default=0)
    items = [at for indent, at in bullets if indent == margin]
    if len(terms) > len(items):
        items = terms
    else:
        others += terms
    return items if _is_list(items, others, start, end) else []


def in_groups(items: list[int], least: int) -> list[int]:
    """Return the offsets of groups of items, each but the last with at least ``least`` bytes."""
    starts = items[:1]
    for item in items[1:]:
        if item - starts[-1] >= least:
            starts.append(item)
    return starts


def _is_list(items: list[int], others: list[int], start: int, end: int) -> bool:
    if len(items) < _FEWEST:
        return False
    # An item ends where the next item or another paragraph begins.
    breaks = [*sorted(others), end]
    total = sum(
        min(following, breaks[bisect_right(breaks, item)]) - item for item, following in pairwise([*items, end])
    )
    return total >= _SHARE * (end - start) and total <= _LONGEST * len(items)


_FINDERS: dict[str, Callable[[bytes, int], Iterator[Heading]]] = {
    "markdown": markdown_headings,
    "restructuredtext": adorned_headings,
    "asciidoc": asciidoc_headings,
    "mediawiki": mediawiki_headings,
    "text": adorned_headings,
    **MANUALS,
}
_ROW = re.compile(r"[ \t]*\|")
_RULE = re.compile(r"[ \t]*\|(?=[^-\n]*-)[ \t:|-]++\r?")
"""The line below the names of a table's columns."""
_OF_LAWS = frozenset(("markdown", "text"))
_FENCE = re.compile(rb"[ \t]*(?:```|~~~)")
# A paragraph begins after a blank line, or with a list item or fence within running text.
_BLOCK = re.compile(
    rb"(?:\A|\n[ \t]*\r?\n)(?P<after>[ \t]*(?=[^\s]))|\n(?P<item>[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?=\S))"
    rb"|\n(?P<fence>[ \t]*(?:```|~~~))"
)
_RELEASE = re.compile(r"\bv?\d+\.\d+")
# What a release changed is told line by line. Each line on its own would crowd out what does and explains the thing.
_CHANGES_TOGETHER = 700
_SENTENCE = re.compile(rb"[.!?][\"')\]]*(?:\r?\n|[ \t]+)|\r?\n|\xe3\x80\x82")


@dataclass(frozen=True, slots=True)
class CutProse:
    """A prose document that was cut.

    Attributes:
        chunks: the chunks in order; they cover the document.
        about: title, author and date.
        has_headings: whether it has any headings.
    """

    chunks: tuple[Chunk, ...]
    about: ProseMetadata
    has_headings: bool


def cut_prose(file: DecodedFile, language: str, settings: ChunkSettings, *, paged: bool = False) -> CutProse:
    """Cut a prose document by its headings; in a paged one no chunk spans two of its highest sections."""
    data, start = file.data, file.start
    about = read_front_matter(data, start)
    titled = list(_FINDERS[language](data, about.end))
    headings = _with_articles(data, titled, about.end, language)
    if about.end == start:
        about = read_fields(data, start)
    pieces = sections_of(data, headings, start)
    for piece in pieces:
        piece.page = paged and piece.parent == NO_PARENT
    pieces = [part for piece in pieces for part in _divide(piece, data, settings)]
    groups = merge.group(merge.split(pieces, data, settings), settings)
    # A MediaWiki page has no heading for its title.
    title = about.title or (None if paged or language == "mediawiki" else _top(titled))
    about = replace(about, title=title)
    chunks = tuple(_named_for_columns(merge.chunks(groups, data, file.encoding)))
    return CutProse(chunks, about, bool(headings))


def _named_for_columns(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Yield chunks; one that begins within a table is named after its columns, which its rows do not repeat."""
    columns = ""
    for chunk in chunks:
        lines = chunk.text.strip("\r\n").split("\n")
        amid = bool(columns) and _ROW.match(lines[0]) and not (len(lines) > 1 and _RULE.fullmatch(lines[1]))
        around = filter(None, (*chunk.scope, chunk.symbol))
        yield chunk._replace(symbol=columns, kind="section", scope=tuple(around)) if amid else chunk
        columns = _open_table(chunk.text, columns if amid else "")


def _open_table(text: str, columns: str) -> str:
    """Return the columns of the table that a text ends in, joined by commas; empty where it ends in none.

    ``columns`` are those of the table that it begins in.
    """
    before = ""
    for line in text.rstrip("\r\n").split("\n"):
        if _RULE.fullmatch(line) and before:
            columns = ", ".join(
                filter(None, (plain_title(cell.encode()) for cell in before.strip(" \t\r|").split("|")))
            )
        elif not _ROW.match(line):
            columns = ""
        before = line if _ROW.match(line) else ""
    return "" if re.search(r"\n[ \t]*\r?\n\s*\Z", text) else columns[:LONGEST_HEADING]


def _with_articles(data: bytes, headings: list[Heading], start: int, language: str) -> list[Heading]:
    """Return headings, including, for a law in plain text or Markdown, its articles between them."""
    articles = numbered_articles(data, start) if language in _OF_LAWS else []
    if not articles:
        return headings
    paragraphs = {*_blocks(data, start, len(data))} - {heading.start for heading in headings}
    between = [article for article in articles if article.start in paragraphs]
    return sorted([*headings, *between], key=lambda heading: heading.start)


def _top(headings: list[Heading]) -> str | None:
    """Return the first of the highest headings, or None."""
    titled = [heading for heading in headings if heading.title and heading.level < TERM_LEVEL]
    return min(titled, key=lambda heading: heading.level).title if titled else None


def sections_of(data: bytes, headings: list[Heading], start: int) -> list[Piece]:
    """Return a piece for the text before the first heading, and one for each section up to the next heading."""
    pieces: list[Piece] = []
    first = headings[0].start if headings else len(data)
    if data[start:first].strip():
        pieces.append(Piece(start, 0, NO_PARENT, end=first))
    elif headings:
        headings = [Heading(start, headings[0].level, headings[0].title), *headings[1:]]
    if not headings:
        return pieces
    above: list[tuple[Heading, Piece]] = []
    ends = [heading.start for heading in headings[1:]] + [len(data)]
    for heading, end in zip(headings, ends, strict=True):
        while above and above[-1][0].level >= heading.level:
            above.pop()
        parent = NO_PARENT
        if above:
            parent = above[-1][1].number
            above[-1][1].opens = True
        scope = tuple(outer.title for outer, _ in above)
        piece = Piece(heading.start, len(pieces), parent, heading.title or None, "section", scope, end=end)
        pieces.append(piece)
        above.append((heading, piece))
    return pieces


def _divide(piece: Piece, data: bytes, settings: ChunkSettings) -> Iterator[Piece]:
    """Yield a section, or its paragraphs and list items if it exceeds the target; each is within the limit."""
    if piece.end - piece.start <= settings.target:
        yield piece
        return
    items = list_items(data, piece.start, piece.end)
    if any(_RELEASE.search(heading) for heading in (piece.name or "", *piece.scope)):
        items = in_groups(items, _CHANGES_TOGETHER)
    alone = frozenset(items)
    cuts = [*_cuts(piece, data, settings, items), piece.end]
    if len(cuts) == 2:
        yield piece
        return
    piece.end, piece.opens = cuts[1], True
    yield piece
    for start, end in pairwise(cuts[1:]):
        part = Piece(start, piece.number, piece.number, piece.name, piece.kind, piece.scope, part=True, end=end)
        part.item = start in alone
        yield part


def _cuts(piece: Piece, data: bytes, settings: ChunkSettings, items: list[int]) -> Iterator[int]:
    """Yield the starts of paragraphs and list items, and of sentences in a paragraph over the limit.

    If there are ``items``, only their starts are yielded, unless an item exceeds the target.
    """
    blocks = [at for at in _blocks(data, piece.start, piece.end) if at > piece.start]
    starts = [piece.start, *(_item_starts(blocks, items, piece.end, settings.target) if items else blocks)]
    for start, end in zip(starts, [*starts[1:], piece.end], strict=True):
        yield start
        if end - start > settings.limit and not _FENCE.match(data, start):
            yield from _sentences(data, start, end, settings.target)


def _item_starts(blocks: list[int], items: list[int], end: int, target: int) -> list[int]:
    """Return the starts of items, and of blocks outside items and within those that exceed the target."""
    starts = blocks[: bisect_left(blocks, items[0])]
    for start, stop in pairwise([*items, end]):
        starts.append(start)
        if stop - start > target:
            starts.extend(blocks[bisect_right(blocks, start) : bisect_left(blocks, stop)])
    return starts


def _blocks(data: bytes, start: int, end: int) -> Iterator[int]:
    """Yield the offsets where a paragraph, a list item or fenced code begins; none within fenced code."""
    fenced = False
    for match in _BLOCK.finditer(data, start, end):
        group = match.lastgroup or "after"
        at = match.start(group)
        if group != "item" and _FENCE.match(data, at, end):
            fenced = not fenced
            if fenced:
                yield at
        elif not fenced:
            yield at


def _sentences(data: bytes, start: int, end: int, target: int) -> Iterator[int]:
    """Yield offsets after sentences, about ``target`` bytes apart."""
    last = start
    position = start
    for match in _SENTENCE.finditer(data, start, end):
        at = match.end()
        if at - last > target and position > last:
            yield position
            last = position
        position = at


@dataclass(frozen=True, slots=True)
class ProseMetadata:
    """A document's metadata.

    Attributes:
        title: its title.
        author: its authors in one line, separated by commas.
        date: its ISO 8601 date, as precise as it is written.
        end: offset after the front matter.
        url: its address.
    """

    title: str | None = None
    author: str | None = None
    date: str | None = None
    end: int = 0
    url: str | None = None


def read_front_matter(data: bytes, start: int) -> ProseMetadata:
    """Read YAML or TOML front matter at the start of a document."""
    for pattern in (_YAML, _TOML):
        match = pattern.match(data, start, start + _LARGEST)
        if match:
            return _metadata(match["body"].decode("utf-8", errors="replace"), match.end())
    return ProseMetadata(end=start)


def _metadata(body: str, end: int) -> ProseMetadata:
    entries: dict[str, str] = {}
    for key, value in _ENTRY.findall(body):
        entries.setdefault(key.lower(), value.strip())
    authors = next(
        (_names(entries[key]) for key in ("author", "authors", "creator", "creators", "by") if key in entries), ""
    )
    if not authors and (authors_match := _LISTED.search(body)):
        authors = ", ".join(_scalar(name) for name in _LISTED_NAME.findall(authors_match[1]))
    date = _first_date([_scalar(entries.get(key, "")) for key in _DATES])
    title, url = (_scalar(entries.get(key, "")) or None for key in ("title", "url"))
    return ProseMetadata(title, author_line(authors), date, end, url)


def read_fields(data: bytes, start: int) -> ProseMetadata:
    """Read a document's metadata from its first lines.

    Fields are ``:author:`` and ``:date:``, a header of ``Author:`` lines, in a block or not, or the lines under an
    AsciiDoc title.
    """
    head = data[start : start + _FIELDS_WITHIN].decode("utf-8", errors="replace").replace("\r\n", "\n")
    set_apart = _SET_APART.match(head)
    header = _HEADER.match(dedent(set_apart["header"]) if set_apart else head)
    pairs = _HEADER_FIELD.findall(header[0]) if header else _FIELD.findall(head)
    fields = {key.lower(): value.strip() for key, value in reversed(pairs)}
    under = _UNDER_TITLE.match(head)
    author = fields.get("author") or fields.get("authors") or fields.get("from") or (under["author"] if under else "")
    dates = [fields.get(key, "") for key in ("date", "revdate", "created", "published")]
    date = _first_date([*dates, under["date"] or "" if under else ""])
    return ProseMetadata(" ".join(fields.get("title", "").split()) or None, author_line(author), date, start)


def _first_date(texts: list[str]) -> str | None:
    return next((date for text in texts if (date := iso_date(text))), None)


def _names(value: str) -> str:
    """Return a scalar, or all elements of a list in brackets."""
    if not value.startswith("["):
        return _scalar(value)
    return ", ".join(filter(None, (name.strip(" \t'\"") for name in value.strip("[]").split(","))))


def _scalar(value: str) -> str:
    """Return a quoted scalar, a plain one without its comment, or the first element of a list in brackets."""
    value = value.strip()
    if value[:1] == "[":
        value = value.strip("[]").split(",")[0].strip()
    if value[:1] in {'"', "'"} and (closing := value.find(value[0], 1)) > 0:
        return value[1:closing]
    return _COMMENT.sub("", value).strip()
