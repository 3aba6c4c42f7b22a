"""Narrows a long stretch of a passage to the part that tells most about the question.

Code is narrowed to statements or definitions that follow one another, with the head of the definition around them;
prose to paragraphs, items or rows, with what introduces them. Each line counts by how much its block tells, less what
it costs to read, and the part with the largest sum is quoted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from quaestor.answers.quotes.blocks import Block, blocks_of
from quaestor.answers.quotes.paragraphs import FENCE, LISTED, Piece
from quaestor.answers.quotes.passage_order import Encode, share_of, word_nearness
from quaestor.answers.quotes.quotable_stretches import Stretch, head_of, lead_of, parts_of_prose
from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import content_terms
from quaestor.search.language import language_of

_LONG_CODE, _LONG_PROSE = 16, 10
"""The lines from which on a stretch is narrowed."""
_LONG_BLOCK = 8
"""The lines from which on a block of code counts by its statements."""
_MOST_TOGETHER = 22
"""The most lines of code of several blocks; a single definition that tells all through is quoted whole."""
_OF_LIKENESS, _OF_DEFINITION, _OF_FOUND, _COST = 1.0, 2.0, 0.5, 0.25
"""What a line of code counts by: the likeness of its statement to the question, the share of the question in its
definition, and whether the search found it; the first two relative to the best of the passage. It costs this share of
what the best line counts. Chosen on the part ``learn``."""
_OF_WORDS_OF_PROSE, _OF_PROSE, _OF_FOUND_PROSE, _COST_OF_PROSE = 2.0, 1.0, 1.0, 0.45
"""The same for a paragraph: the nearness of its words to the question's, its likeness, and whether it was found."""
_MOST_OF_PROSE = 40
_MARKS = " *_`\n"
_MOST_ITEMS = 12
"""The most items of a list that are quoted because the line above announces them."""
_FEWEST = 4
"""The fewest lines of code that are quoted of a long stretch, if any part of it has so many."""
_LONGEST_GAP = 6
"""Lines between a definition's head and its quoted statements that are quoted rather than left out."""


class Relevance(NamedTuple):
    """Tells how much of a question texts hold.

    Attributes:
        question: the user's words.
        rarity: each wanted term's share of the question.
        encode: an embedder's ``encode``; None if words alone count.
    """

    question: str
    rarity: Mapping[str, float]
    encode: Encode | None

    def shares(self, texts: Sequence[str]) -> Sequence[float]:
        """Return the share of the question that each text holds, relative to the largest, 0 to 1."""
        return _relative([share_of(content_terms(text) & self.rarity.keys(), self.rarity) for text in texts])

    def alike(self, texts: Sequence[str]) -> Sequence[float]:
        """Return how much each text is like the question, relative to the one most like it, 0 to 1."""
        if self.encode is None:
            return self.shares(texts)
        vectors = self.encode([self.question, *texts])
        return _relative([float(value) for value in vectors[1:] @ vectors[0]])

    def near(self, texts: Sequence[str]) -> Sequence[float]:
        """Return how near each text's words are to those of the question, relative to the nearest, 0 to 1."""
        return _relative(word_nearness(self.question, texts, self.rarity))


def _relative(values: Sequence[float]) -> list[float]:
    most = max(values, default=0.0)
    return [max(0.0, value) / most if most > 0 else 0.0 for value in values]


def telling_part(stretch: Stretch, found_lines: tuple[int, int], relevance: Relevance) -> Stretch:
    """Return the part of a stretch that tells most; a short stretch, or one of which nothing tells, as it is.

    For questions in other languages than English it stays, too, because likeness is known for English words only.

    Args:
        stretch: whole lines of a passage.
        found_lines: first and last line, in the document, of the chunk that was found.
        relevance: tells how much of the question a text holds.
    """
    first, last = stretch.lines_of(stretch.start, stretch.end)
    if last - first < (_LONG_CODE if stretch.code else _LONG_PROSE) or language_of(relevance.question):
        return stretch
    found = range(found_lines[0] - stretch.passage.start_line, found_lines[1] - stretch.passage.start_line + 1)
    return (_of_code if stretch.code else _of_prose)(stretch, found, relevance)


def _of_code(stretch: Stretch, found: range, relevance: Relevance) -> Stretch:
    text, offset = stretch.passage.text, stretch.passage.start_line
    first, last = (line - offset for line in stretch.lines_of(stretch.start, stretch.end))
    lines = text.split("\n")
    blocks = [one for one in blocks_of(text, stretch.passage.language) if first <= one.first and one.last <= last]
    told = _told_by_line(blocks, lines, found, relevance)
    if not any(told):
        return stretch
    cost = _COST * max(told)
    sums = [0.0, *accumulate(one - cost if one else 0.0 for one in told)]
    every = [*_runs(blocks, lines, None)]
    runs = [run for run in every if run.last - run.first >= _FEWEST - 1] or every
    best = max(runs, key=lambda run: sum(sums[end + 1] - sums[begin] for begin, end in _parts_of(run)))
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    head = None if best.head is None else (starts[best.head[0]], starts[best.head[1] + 1] - 1)
    return replace(stretch, start=starts[best.first], end=starts[best.last + 1] - 1, head=head)


def _told_by_line(blocks: Sequence[Block], lines: Sequence[str], found: range, relevance: Relevance) -> list[float]:
    """Return what each line counts by; 0 for one that belongs to no statement, or if nothing tells."""
    tops = _definitions(blocks)
    leaves = [(leaf, number) for number, top in enumerate(tops) for leaf in _leaves(top)]
    alike = relevance.alike([_text_of(lines, *leaf) for leaf, _ in leaves])
    shares = relevance.shares([_text_of(lines, top.first, top.last) for top in tops])
    told = [0.0] * len(lines)
    for ((first, last), number), likeness in zip(leaves if any(alike) else (), alike, strict=False):
        for at in range(first, last + 1):
            if lines[at].strip():
                told[at] = _OF_LIKENESS * likeness + _OF_DEFINITION * shares[number] + _OF_FOUND * (at in found)
    return told


def _definitions(blocks: Sequence[Block]) -> Sequence[Block]:
    """Return blocks; if all is one long block, its head and the blocks within it."""
    while len(blocks) == 1 and blocks[0].inner and blocks[0].last - blocks[0].first >= _LONG_BLOCK:
        [whole] = blocks
        blocks = [Block(whole.first, max(whole.first, whole.inner[0].first - 1)), *whole.inner]
    return blocks


def _text_of(lines: Sequence[str], first: int, last: int) -> str:
    return "\n".join(lines[first : last + 1])


def _leaves(block: Block) -> Iterator[tuple[int, int]]:
    """Yield the first and last lines of a block, or of its head and of the blocks within it if it is long."""
    if block.last - block.first < _LONG_BLOCK or not block.inner:
        yield block.first, block.last
        return
    if block.inner[0].first > block.first:
        yield block.first, block.inner[0].first - 1
    for inner in block.inner:
        yield from _leaves(inner)


class _Run(NamedTuple):
    """Blocks that follow one another, from line ``first`` to ``last``, and the lines of the head that they need."""

    first: int
    last: int
    head: tuple[int, int] | None


def _parts_of(run: _Run) -> tuple[tuple[int, int], ...]:
    return ((run.first, run.last),) if run.head is None else (run.head, (run.first, run.last))


def _runs(blocks: Sequence[Block], lines: Sequence[str], head: tuple[int, int] | None) -> Iterator[_Run]:
    """Yield each block, alone and with those that follow it, and the same of the blocks within long ones.

    A statement needs the head of its definition; a method does not need that of its class, which its label names.
    """
    for number, block in enumerate(blocks):
        own = head_of(block, lines) if block.inner else None
        needed = head if own is None else None
        of_head = needed[1] - needed[0] + 1 if needed else 0
        for last in blocks[number:]:
            if last is not block and last.last - block.first + of_head >= _MOST_TOGETHER:
                break
            yield _with_head(block.first, last.last, needed)
        if block.inner and block.last - block.first >= _LONG_BLOCK:
            yield from _runs(block.inner, lines, head if own is None else own)


def _with_head(first: int, last: int, head: tuple[int, int] | None) -> _Run:
    """Return a run with its head; the few lines between them are quoted as well."""
    if head is None or head[0] >= first:
        return _Run(first, last, None)
    return _Run(head[0], last, None) if first - head[1] - 1 <= _LONGEST_GAP else _Run(first, last, head)


def _of_prose(stretch: Stretch, found: range, relevance: Relevance) -> Stretch:
    text = stretch.passage.text
    within = [one for one in parts_of_prose(stretch.passage) if stretch.start <= one.start and one.end <= stretch.end]
    pieces = _with_whole_quotations(text, within)
    lines = [(text.count("\n", 0, one.start), text.count("\n", 0, one.end)) for one in pieces]
    texts = [text[one.start : one.end] for one in pieces]
    headed = [f"{one.heading}\n{words}" for one, words in zip(pieces, texts, strict=True)]
    told = [
        _OF_WORDS_OF_PROSE * words + _OF_PROSE * likeness + _OF_FOUND_PROSE * (first in found)
        for (first, _), words, likeness in zip(lines, relevance.near(headed), relevance.alike(texts), strict=True)
    ]
    return _with_introduction(stretch, pieces, *_best_pieces(lines, told)) if any(told) else stretch


def _with_introduction(stretch: Stretch, pieces: Sequence[Piece], begin: int, end: int) -> Stretch:
    """Return the pieces from ``begin`` to ``end`` as a stretch, with what introduces them and what they introduce."""
    text = stretch.passage.text
    while begin and _announces(text, pieces[begin - 1], pieces[begin]):
        begin -= 1
    end = _with_announced(text, pieces, end)
    lead = lead_of(text, pieces, begin)
    beside = lead is not None and not text[lead[1] : pieces[begin].start].strip()
    start, head = (lead[0], None) if lead is not None and beside else (pieces[begin].start, lead)
    return replace(stretch, start=start, end=pieces[end].end, head=head, section=pieces[begin].heading)


def _best_pieces(lines: Sequence[tuple[int, int]], told: Sequence[float]) -> tuple[int, int]:
    """Return the numbers of the first and last of the pieces that together tell most."""
    cost = _COST_OF_PROSE * max(told)
    worth = (math.sqrt(last - first + 1) * (one - cost) for (first, last), one in zip(lines, told, strict=True))
    sums = [0.0, *accumulate(worth)]
    runs = (
        (begin, end)
        for begin in range(len(lines))
        for end in range(begin, len(lines))
        if begin == end or lines[end][1] - lines[begin][0] < _MOST_OF_PROSE
    )
    return max(runs, key=lambda run: sums[run[1] + 1] - sums[run[0]])


def _with_whole_quotations(text: str, pieces: Sequence[Piece]) -> list[Piece]:
    """Return pieces, with the lines of a quotation as one, because a sentence may go on in its next line."""
    joined: list[Piece] = []
    for piece in pieces:
        if joined and text[piece.start] == text[joined[-1].start] == ">" and piece.start == joined[-1].end + 1:
            joined[-1] = joined[-1]._replace(end=piece.end)
        else:
            joined.append(piece)
    return joined


def _announces(text: str, piece: Piece, following: Piece) -> bool:
    """Return whether a piece introduces the block of code that follows it."""
    between = text[piece.end : following.start]
    leads = text[piece.start : piece.end].rstrip(_MARKS).endswith((":", "："))
    return FENCE.match(text[following.start : following.end]) is not None and (leads or between.count("\n") == 1)


def _with_announced(text: str, pieces: Sequence[Piece], end: int) -> int:
    """Return the number of the last piece of a part of prose, with the list, row or block that its end announces."""
    while end + 1 < len(pieces):
        one, following = pieces[end], pieces[end + 1]
        if not text[one.start : one.end].rstrip(_MARKS).endswith((":", "：")) and not _announces(text, one, following):
            break
        end += 1
        last = min(len(pieces), end + _MOST_ITEMS)
        if LISTED.match(text, following.start):
            end = next((at for at in range(end, last) if not LISTED.match(text, pieces[at].start)), last) - 1
    return end
