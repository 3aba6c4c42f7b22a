"""Cuts passages into stretches that can be quoted: paragraphs of one section, and whole definitions or statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, groupby

from quaestor.answers.quotes.blocks import COMMENT, GOES_ON, Block, blocks_of
from quaestor.answers.quotes.paragraphs import FENCE, LISTED, Piece, pieces_of
from quaestor.chunking.languages import PROSE as DOCUMENTS
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import content_terms
from quaestor.llm.prompts.numbered_passages import Passage

PROSE = frozenset(("", "mdx", "rst", "tex", *DOCUMENTS))
_PLAIN = frozenset(("", "text"))
_COMMENTED = lazy_regex(r"[#;](?![#;])")
_BLOCK = lazy_regex(r"(?:^[^\S\n]*\S[^\n]*(?:\n|\Z))+", re.MULTILINE)
MOST_LINES = 30
"""The most lines of code that are quoted together."""
MOST_CHARACTERS = 1000
"""The most characters of prose that are quoted together."""

_OF_BEST = 0.5
"""A section at a passage's edge is quoted with it if it is worth at least this share of the passage's best section."""
_OF_BEST_FURTHER = 0.2
"""The same share for a definition in a further quote, which is less certain to be the answer."""
_MOST_HEAD_LINES = 12
_MOST_CHECKED = 1900  # characters: a longer quote is not read as one when its citation is checked
_STOP = lazy_regex(r"[.!?。！？][\"'”’)*_`]*(?=\s+[\"'“‘(*_`\[]*[A-Z0-9À-Þ]|(?<=[。！？]))")
_WITHIN_SENTENCE = lazy_regex(
    r"\s*(?:and|or|but|that|which|who|whose|to|of|in|for|with|by|from|is|are|does|do|has|have|can|should|will|not|und|oder|dass"
    r"|et|ou|qui|que|y|o|de|del)\s+[^\W\d_]|[ \t]+[a-zà-þ]+[ \t]+[^\W\d_]"
)
"""The beginning of a passage that was cut within a sentence: a word of grammar, or indentation below an item."""
_IMPORTS = lazy_regex(
    r"\s*(?:package\s+[\w.]+;?\s*$|import\b|from\s+\S+\s+import\b|(?:pub\s+)?use\s+[\w:\\{]|extern\s+crate\b|mod\s+\w+;"
    r"|\#\s*(?:include|pragma|import)\b|(?:global\s+)?using\s+[\w.]+;|require(?:_relative|_once)?\b[^=]*$"
    r"|(?:const|let|var)\s[^=]*=\s*require\(|['\"]use strict)"
)
_LICENCE = lazy_regex(r"\s*(?:/\*.*?\*/|<!--.*?-->|(?:(?://|#|--|;)[^\n]*(?:\n[^\S\n]*|\Z))+)\s*", re.DOTALL)
"""A comment at the beginning of a file, which may be its licence."""
_LICENSED = lazy_regex(r"\b(?:copyright|licen[sc]ed?\b.{0,40}\bunder|SPDX-License)\b", re.IGNORECASE | re.DOTALL)
_DOCSTRING = lazy_regex(r"\s*[rRuUbB]?(?:\"\"\"|'''|\")")
_ROW = lazy_regex(r"[ \t]*\|")
_RULE = lazy_regex(r"\s*\|(?=[^-\n]*-)[ \t:|-]++$|\s*\+=[=+]*\+", re.MULTILINE)
"""The line below the head of a table, in Markdown and in reStructuredText."""
_PAGE = re.compile(r"^(?:## )?(Page \d+)(?!\S*\d)", re.MULTILINE)
"""A page of a PDF, which is a section."""
_LONGEST_LEAD = 300
_MANY_ROWS = 8
"""From this number of rows on, only telling rows are quoted."""
_LOOKED_BACK = 40
"""The most items or rows above a quote in which the beginning of its list or table is searched for."""
_DEFINITION = lazy_regex(
    r"^\s*(?:@\w|(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|async|unsafe"
    r"|open|override|inline|const|virtual|extern)\b\s*)*"
    r"(?:class|func|fn|function|fun|interface|struct|enum|trait|impl|type|module|record|protocol|object|defmodule|defp?)\b"
)


@dataclass(frozen=True)
class Stretch:
    """A part of a passage that can be quoted by itself.

    Attributes:
        passage: the passage that it is a part of.
        start: offset in the passage's text.
        end: offset after it.
        code: whether it is lines of code.
        head: (start, end) of the text that it needs and does not follow directly: its definition's signature and
            docstring, its list's introduction, or its table's head; None if there is none.
        section: the heading above it, if the passage holds one.
    """

    passage: Passage
    start: int
    end: int
    code: bool
    head: tuple[int, int] | None = None
    section: str = ""

    @property
    def text(self) -> str:
        """The stretch, verbatim, without its head."""
        return self.passage.text[self.start : self.end]

    @property
    def page(self) -> str:
        """The page of a PDF that it begins on, as ``Page 3``; empty if its section is named so, or there is no page."""
        if not self.passage.path.lower().endswith(".pdf") or _PAGE.match(self.section):
            return ""
        pages = _PAGE.findall(f"{self.passage.symbol or ''}\n{self.passage.text[: self.start]}")
        return pages[-1] if pages else ""

    @property
    def parts(self) -> tuple[tuple[int, int], ...]:
        """(start, end) of its head, if it has one, and of the stretch itself."""
        stretch = (self.start, self.end)
        return (stretch,) if self.head is None else (self.head, stretch)

    def lines_of(self, start: int, end: int) -> tuple[int, int]:
        """Return the document's first and last line of a part."""
        text = self.passage.text
        first = self.passage.start_line + text.count("\n", 0, start)
        return first, first + text.count("\n", start, end)

    @cached_property
    def terms(self) -> frozenset[str]:
        """The stems of the words of the stretch, its head and its heading."""
        start, end = self.head or (0, 0)
        return content_terms(f"{self.section}\n{self.passage.text[start:end]}\n{self.text}")


def stretches_of(passage: Passage, found_lines: tuple[int, int] | None = None) -> list[Stretch]:
    """Return all stretches of a passage that can be quoted, in order; they overlap.

    Args:
        passage: the passage to cut.
        found_lines: first and last line, in the document, of the chunk that was found: short sections within it are
            quoted together.
    """
    lines = passage.text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    if is_prose(passage):
        first, last = (one - passage.start_line for one in found_lines) if found_lines else (0, -1)
        whole = (starts[max(0, first)], starts[min(len(lines), last + 1)]) if last >= first else (0, 0)
        return list(_of_prose(passage, whole))
    return [
        Stretch(
            passage,
            starts[run.first],
            starts[run.last + 1] - 1,
            code=True,
            head=run.head and (starts[run.head[0]], starts[run.head[1] + 1] - 1),
        )
        for run in _runs(blocks_of(passage.text, passage.language), lines, None)
    ]


def whole_passage(passage: Passage, found_lines: tuple[int, int], weight: Callable[[str], float]) -> Stretch | None:
    """Return a whole passage as one stretch, without front matter, imports, and headings and blank lines at its edges.

    Sections of prose at its beginning and end that hold far less of the question than the best section are left out,
    because a passage may hold several short sections, or the end of one and the beginning of the next. So are
    definitions at the edges of a chunk of several short ones.

    Args:
        passage: the passage to quote.
        found_lines: first and last line, in the document, of the chunk that was found; its section names the stretch.
        weight: returns how much of the question a text holds.

    Returns:
        The stretch; None if the passage has no words.
    """
    text = passage.text
    if _is_commented(passage):
        # One setting after the other, each with what is said of it.
        found_blocks = enumerate(_BLOCK.finditer(text.rstrip()))
        settings = _without_edges(
            text, [Piece(one.start(), one.start() + len(one[0].rstrip()), at, "") for at, one in found_blocks], weight
        )
        return Stretch(passage, settings[0].start, settings[-1].end, code=True)
    if not is_prose(passage):
        start, end = _definitions_that_tell(passage, found_lines, weight)
        return Stretch(passage, start, end, code=True) if text.strip() else None
    pieces = _pieces_of(passage)
    if not pieces:
        return None
    all_pieces, pieces = pieces, _without_edges(text, _rows_apart(text, pieces, weight), weight)
    first = text.count("\n", 0, pieces[0].start) + passage.start_line
    lines = (first + text.count("\n", pieces[0].start, piece.start) for piece in pieces)
    at = next((number for number, line in enumerate(lines) if line >= found_lines[0]), len(pieces) - 1)
    before = [piece for piece in all_pieces if piece.end <= pieces[0].start]
    head = _head_of_table(text, before, pieces[0].start) if _ROW.match(text, pieces[0].start) else None
    beside = head is not None and not text[head[1] : pieces[0].start].strip()
    start, head = (head[0], None) if head is not None and beside else (pieces[0].start, head)
    return Stretch(passage, start, pieces[-1].end, code=False, head=head, section=pieces[at].heading)


def without_neighbours(stretch: Stretch, weight: Callable[[str], float]) -> Stretch:
    """Return a stretch of code without the definitions at its edges that hold hardly anything of the question.

    Args:
        stretch: the stretch; one of prose stays as it is.
        weight: returns how much of the question a text holds.
    """
    if not stretch.code:
        return stretch
    text = stretch.text
    bounds = _without_outermost(text, stretch.passage.language, 0, len(text), weight, _OF_BEST_FURTHER)
    start, end = _whole_lines(text, *bounds)
    return replace(stretch, start=stretch.start + start, end=stretch.start + end)


def _pieces_of(passage: Passage) -> list[Piece]:
    """Return the pieces of a passage of prose, without the end of a sentence that begins before the passage."""
    text = passage.text
    pieces = pieces_of(text, begins=passage.start_line == 1, language=passage.language)
    if not pieces or passage.start_line == 1 or not _WITHIN_SENTENCE.match(text):
        return pieces
    first = pieces[0]
    stop = _STOP.search(text, first.start, first.end)
    if stop is not None:
        start = stop.end() + len(text[stop.end() :]) - len(text[stop.end() :].lstrip())
        return [first._replace(start=start), *pieces[1:]]
    return pieces[1:] or pieces


def parts_of_prose(passage: Passage) -> list[Piece]:
    """Return the pieces of a passage of prose in order; long ones are cut into sentences."""
    return [part for piece in _pieces_of(passage) for part in _parts(passage.text, piece)]


def _rows_apart(text: str, pieces: Sequence[Piece], weight: Callable[[str], float]) -> Sequence[Piece]:
    """Return pieces; each row of a long table becomes its own section if one row holds most of the question."""
    rows = [piece for piece in pieces if _ROW.match(text, piece.start)]
    weights = {piece.start: weight(text[piece.start : piece.end]) for piece in pieces}
    most = max((weights[row.start] for row in rows), default=0.0)
    if len(rows) < _MANY_ROWS or not most or most < max(weights.values()):
        return pieces
    row_starts = {row.start for row in rows}
    return [
        Piece(one.start, one.end, len(pieces) + number if one.start in row_starts else one.section, one.heading)
        for number, one in enumerate(pieces)
    ]


def is_prose(passage: Passage) -> bool:
    """Return whether a passage is cut as prose: one of a document, and not of a configuration full of comments."""
    return passage.language.lower() in PROSE and not _is_commented(passage)


def _is_commented(passage: Passage) -> bool:
    """Return whether a passage is from a configuration file that consists mostly of comments, as ``.env.example``.

    Read as prose, such comments would be headings without any text.
    """
    lines = [line for line in passage.text.split("\n") if line.strip()] if passage.language.lower() in _PLAIN else []
    return 2 * sum(_COMMENTED.match(line) is not None for line in lines) > len(lines)


def _past_imports(text: str) -> int:
    """Return the end of a file's licence, package and import lines."""
    licence = _LICENCE.match(text)
    at = past = licence.end() if licence and _LICENSED.search(licence[0]) else 0
    depth = 0
    for line in text[at:].splitlines(keepends=True):
        if not depth and line.strip() and not _IMPORTS.match(line):
            break
        depth += sum(line.count(bracket) for bracket in "([{") - sum(line.count(bracket) for bracket in ")]}")
        at += len(line)
        past = at if not depth else past
    return past


def _definitions_that_tell(passage: Passage, span: tuple[int, int], weight: Callable[[str], float]) -> tuple[int, int]:
    """Return (start, end) of the definitions in a passage of code that hold enough of the question.

    The file's imports are left out, unless a word of the question occurs only there. Of several short definitions in
    one chunk, those at the edges that hold far less than the best are left out; of a longer passage, whose parts were
    found one by one, none is.
    """
    text = passage.text
    start, end = _past_imports(text), len(text.rstrip())
    if not text[start:].strip() or weight(text[start:]) < weight(text):
        start = 0
    elif passage.language == "csv":
        start, end = _rows_that_tell(text, weight)
    elif span == (passage.start_line, passage.end_line):
        start, end = _without_outermost(text, passage.language, start, end, weight, _OF_BEST)
    return _whole_lines(text, start, end)


def _rows_that_tell(text: str, weight: Callable[[str], float]) -> tuple[int, int]:
    """Return the start and end of the rows, in a table of values, that hold enough of the question."""
    rows = [Piece(*line.span(), number, "") for number, line in enumerate(re.finditer(r"[^\n]+", text))]
    kept_rows = _without_edges(text, rows, weight) if len(rows) >= _MANY_ROWS else rows
    return kept_rows[0].start, kept_rows[-1].end


def _whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """Return (start, end) of a part of a text, extended to the beginning of its first line that is not blank."""
    start += len(text[start:]) - len(text[start:].lstrip())
    return text.rfind("\n", 0, start) + 1, end


def _without_outermost(
    text: str, language: str, start: int, end: int, weight: Callable[[str], float], least: float
) -> tuple[int, int]:
    """Return (start, end) of some code without the first and last definitions that hold far less than the best one.

    A single line, such as a constant, belongs to the definition below it.
    """
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    blocks = [(max(start, starts[one.first]), min(end, starts[one.last + 1] - 1)) for one in blocks_of(text, language)]
    ends = accumulate(("\n" in text[first:last] for first, last in blocks), initial=0)
    pieces = [
        Piece(first, last, number, "") for number, (first, last) in zip(ends, blocks, strict=False) if first < last
    ]
    if not pieces:
        return start, end
    inner = _without_edges(text, pieces, weight, least)
    # What belongs to no definition stays with the outermost ones.
    return (start if inner[0] == pieces[0] else inner[0].start, end if inner[-1] == pieces[-1] else inner[-1].end)


def _without_edges(
    text: str, pieces: Sequence[Piece], weight: Callable[[str], float], least: float = _OF_BEST
) -> list[Piece]:
    """Return pieces without the first and last sections that hold less than the best one's share times ``least``."""
    sections = [list(section) for _, section in groupby(pieces, key=lambda piece: piece.section)]
    texts = ("\n".join([part[0].heading, *(text[one.start : one.end] for one in part)]) for part in sections)
    shares = [weight(words) for words in texts]
    best = [number for number, share in enumerate(shares) if share >= least * max(shares)]
    return [piece for section in sections[best[0] : best[-1] + 1] for piece in section]


class _Run(NamedTuple):
    """Lines of code from ``first`` to ``last``, and the lines of their definition's head."""

    first: int
    last: int
    head: tuple[int, int] | None


def _runs(blocks: Sequence[Block], lines: Sequence[str], head: tuple[int, int] | None) -> Iterator[_Run]:
    """Yield each block, alone and joined with following ones up to a limit; a long block is yielded in parts."""
    room = MOST_LINES - (head[1] - head[0] + 1 if head else 0)
    for number, block in enumerate(blocks):
        if not _fits(lines, block.first, block.last, room):
            yield from _within(block, lines, head)
            continue
        ends = [block.last]
        for following in blocks[number + 1 :]:
            if GOES_ON.match(lines[following.first]) or not _fits(lines, block.first, following.last, room):
                break
            ends.append(following.last)
        for last in dict.fromkeys((ends[0], ends[-1])):
            yield _with_head(block.first, last, head)


def _fits(lines: Sequence[str], first: int, last: int, room: int) -> bool:
    return last - first < room and sum(map(len, lines[first : last + 1])) <= _MOST_CHECKED


def _within(block: Block, lines: Sequence[str], head: tuple[int, int] | None) -> Iterator[_Run]:
    """Yield the quotable parts of a block that is too long to be quoted whole."""
    inner = block.inner
    if not inner:  # a table, a long text: there is no better place to cut
        step = MOST_LINES // 2
        for first in range(block.first, max(block.first + 1, block.last - step + 1), step):
            yield _Run(first, min(block.last, first + MOST_LINES - 1), head)
        return
    own_head = head_of(block, lines)
    yield from _runs(inner, lines, own_head if own_head is not None else head)


def head_of(block: Block, lines: Sequence[str]) -> tuple[int, int] | None:
    """Return the first and last line of a definition's signature and docstring; None if the block is no definition."""
    first, last = block.first, block.inner[0].first - 1
    if _DOCSTRING.match(lines[block.inner[0].first]):
        last = block.inner[0].last
    while first < last and (COMMENT.match(lines[first]) or not lines[first].strip()):
        first += 1
    if last < first or not _DEFINITION.match(lines[first]):
        return None
    if last - block.first < _MOST_HEAD_LINES:
        return block.first, last
    last = min(last, max(first, block.inner[0].first - 1))
    return (first, last) if last - first < _MOST_HEAD_LINES else None


def _with_head(first: int, last: int, head: tuple[int, int] | None) -> _Run:
    """Return a run with its head, joined if the head is right before it."""
    if head is None or head[0] >= first or head[1] >= last:
        return _Run(first, last, None)
    return _Run(head[0], last, None) if head[1] >= first - 1 else _Run(first, last, head)


def _of_prose(passage: Passage, whole: tuple[int, int]) -> Iterator[Stretch]:
    """Yield, from each piece on, as many pieces of its section, or of the part ``whole``, as fit together."""
    text = passage.text
    pieces = parts_of_prose(passage)
    reached = -1
    for number, piece in enumerate(pieces):
        end = piece.end
        for following in pieces[number + 1 :]:
            together = following.section == piece.section or (whole[0] <= piece.start and following.end <= whole[1])
            if not together or following.end - piece.start > MOST_CHARACTERS:
                break
            end = following.end
        if end > reached:
            lead = lead_of(text, pieces, number)
            beside = lead is not None and not text[lead[1] : piece.start].strip()
            start, head = (lead[0], None) if lead is not None and beside else (piece.start, lead)
            yield Stretch(passage, start, end, code=False, head=head, section=piece.heading)
            reached = end


def lead_of(text: str, pieces: Sequence[Piece], number: int) -> tuple[int, int] | None:
    """Return (start, end) of the introduction of an item's list or of the head of a row's table; None for other pieces.

    An item says little without "The following is not allowed:", and a row says nothing without the columns' names.
    """
    start, end = pieces[number].start, pieces[number].end
    nearest = pieces[max(0, number - _LOOKED_BACK) : number]
    before = [piece for piece in nearest if piece.section == pieces[number].section]
    if _ROW.match(text, start):
        return _head_of_table(text, before, start)
    if not LISTED.match(text[start:end]):
        return None
    margin = _margin(text, start)
    for piece in reversed(before):
        words = text[piece.start : piece.end]
        if _margin(text, piece.start) > margin or (LISTED.match(words) and _margin(text, piece.start) == margin):
            continue
        leads = words.rstrip(" *_`\n").endswith((":", "：")) and len(words) <= _LONGEST_LEAD
        return (piece.start, piece.end) if leads else None
    return None


def _margin(text: str, start: int) -> int:
    """Return the width of the indentation of the line at an offset."""
    begins = text.rfind("\n", 0, start) + 1
    line = text[begins : max(text.find("\n", start), start)]
    return len(line) - len(line.lstrip())


def _head_of_table(text: str, before: Sequence[Piece], start: int) -> tuple[int, int] | None:
    """Return (start, end) of the head of the table with a row at ``start``: its first row and the line below it."""
    after = start
    head = None
    for piece in reversed(before):
        between = text[piece.end : after]
        if not _ROW.match(text, piece.start) or "\n\n" in between:
            break
        ruled = _RULE.match(between)
        head, after = (piece.start, piece.end + ruled.end()) if ruled else None, piece.start
    return head


def _parts(text: str, piece: Piece) -> Iterator[Piece]:
    """Yield a piece; where it is long, its sentences or, of a fenced block, its lines."""
    at, end = piece.start, piece.end
    if end - at > MOST_CHARACTERS or text.count("\n", at, end) > MOST_LINES:
        stop = re.compile("\n") if FENCE.match(text[at:end]) else _STOP
        for match in stop.finditer(text, at, end):
            yield from _without_blanks(text, at, match.end(), piece)
            at = match.end()
    yield from _without_blanks(text, at, end, piece)


def _without_blanks(text: str, start: int, end: int, piece: Piece) -> Iterator[Piece]:
    """Yield a part of a piece without surrounding blanks, if it is not empty, up to a length that can be checked."""
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    part = part.strip()
    if len(part) > _MOST_CHECKED:
        part = part[:_MOST_CHECKED].rpartition(" ")[0] or part[:_MOST_CHECKED]
    if part:
        yield Piece(start, start + len(part), piece.section, piece.heading)
