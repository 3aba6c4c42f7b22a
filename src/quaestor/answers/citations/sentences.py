"""Cuts an answer into sentences with their places; code, headings and tables are not sentences.

A block quote is cut into sentences, too, because an uncited one has not been checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quaestor.core.light_imports import NamedTuple, lazy_regex

# Possessive, so that a run of marks without a line behind it is read once.
_FENCE = lazy_regex(r"^(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_SKIPPED_LINE = lazy_regex(r"^[ \t]*(?:#{1,6}\s|\||[-=*_]{3,}\s*$)")
_BULLET = lazy_regex(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_QUOTED = lazy_regex(r"^[ \t]*>[ \t>]*")
# A full stop ends a sentence before a blank and a capital, digit, quotation or mark; not in `e.g. this` or `v1.2`.
_END = lazy_regex(
    r"(?:(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)(?<!\betc)(?<!\bapprox)\.|[!?。！？])"
    r"[\"'”’)\]*_`]*(?=\s|$|[\[【]\s*\^?\d|(?<=[。！？]))"
)
_TRAILING_MARKS = lazy_regex(r"(?:\s*[\[【][^\[\]【】\d]*\d[^\[\]【】]*[\]】])+[.!?]?")


class Sentence(NamedTuple):
    """A sentence of an answer.

    Attributes:
        text: the text with its citation marks.
        start: the offset in the answer.
        end: the offset after it.
        paragraph: the index of its paragraph or list item in the answer, from 0.
    """

    text: str
    start: int
    end: int
    paragraph: int = 0


def sentences(answer: str) -> tuple[Sentence, ...]:
    """Return the sentences of an answer in order; marks right after a full stop belong to the sentence before."""
    return tuple(_cut_sentences(answer))


def _cut_sentences(answer: str) -> Iterator[Sentence]:
    for number, (start, end) in enumerate(_paragraphs(answer)):
        at = start
        for match in _END.finditer(answer, start, end):
            if match.start() < at:
                continue
            marks = _TRAILING_MARKS.match(answer, match.end(), end)
            stop = marks.end() if marks else match.end()
            yield from _sentence(answer, at, stop, number)
            at = stop
        yield from _sentence(answer, at, end, number)


def _sentence(answer: str, start: int, end: int, paragraph: int) -> Iterator[Sentence]:
    text = answer[start:end]
    start += len(text) - len(text.lstrip())
    text = text.strip()
    if text:
        yield Sentence(text, start, start + len(text), paragraph)


def _paragraphs(answer: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of stretches of running text: paragraphs, items of lists, block quotes."""
    blocks = _FENCE.finditer(answer)
    block = next(blocks, None)
    first: int | None = None
    quoting = False
    at = 0
    for line in answer.splitlines(keepends=True):
        start, at = at, at + len(line)
        while block is not None and block.end() <= start:
            block = next(blocks, None)
        inside = block is not None and block.start() <= start
        quoted = _QUOTED.match(line)
        bullet = quoted if quoted and not quoting else _BULLET.match(line)
        changes = bullet or bool(quoted) != quoting
        quoting = bool(quoted)
        if first is not None and (inside or changes or not line.strip() or _SKIPPED_LINE.match(line)):
            yield first, start
            first = None
        if inside or not line.strip() or _SKIPPED_LINE.match(line):
            continue
        if first is None:
            first = start + (bullet.end() if bullet else 0)
    if first is not None:
        yield first, len(answer)
