"""Cutting passages into what can be quoted: a few sentences of prose together, and short runs of lines of code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from quaestor.models.content import content_terms
from quaestor.prompts.passages import Passage

PROSE = frozenset({"", "text", "markdown", "restructuredtext", "rst", "html", "asciidoc", "org", "mdx", "latex", "tex"})
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)")
_FENCED = re.compile(r"^[ \t]*(```+|~~~+).*?^[ \t]*\1", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(?:#{1,6}\s+\S|[=\-~^\"'*+#]{3,}\s*$)")
_BREAK = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)]|\||>|\.\. )\s*")
_STOP = re.compile(r"[.!?。！？][\"'”’)*_`]*(?=\s+[\"'“‘(*_`\[]*[A-Z0-9À-Þ]|(?<=[。！？]))")
_DEFINITION = re.compile(
    r"^\s*(?:@\w|(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|async|unsafe"
    r"|open|override|inline|const|virtual|extern)\b\s*)*"
    r"(?:def|class|func|fn|function|fun|interface|struct|enum|trait|impl|type|module|record|protocol|object|defmodule|defp?)\b"
)
_COMMENT = re.compile(r"^\s*(?:#(?!include|define|if|endif)|//|/\*|\*|--|;;|\"\"\"|''')")
_LONGEST_RUN = 12
_LONGEST_SENTENCE = 600
# What repeats a question is seldom its answer, which stands before or after it: so a quote is some sentences long.
_LONGEST_STRETCH = 450
_LINES_BEFORE_CODE = 3  # a line's end, an empty line, the fence


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of a passage that can be quoted.

    Attributes:
        passage: what it is a part of.
        start: offset in the passage's text.
        end: offset after it.
        terms: stems of its words.
        code: whether it is lines of code.
        weight: above 1 for what tells most: definitions and their explanations.
    """

    passage: Passage
    start: int
    end: int
    terms: frozenset[str]
    code: bool
    weight: float = 1.0

    @property
    def text(self) -> str:
        """The stretch, verbatim."""
        return self.passage.text[self.start : self.end]


def units(passage: Passage) -> Iterator[Unit]:
    """Yield all stretches of a passage that can be quoted; stretches of code overlap."""
    code = passage.language.lower() not in PROSE
    return _of_code(passage, 0, len(passage.text)) if code else _of_prose(passage)


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return (start, end) of each line between two offsets, without its line end."""
    found = []
    while start < end:
        newline = text.find("\n", start, end)
        stop = end if newline < 0 else newline
        found.append((start, stop - (stop > start and text[stop - 1] == "\r")))
        start = stop + 1
    return found


def _of_code(passage: Passage, start: int, end: int) -> Iterator[Unit]:
    """Yield runs of 1 to 12 lines that begin and end with text."""
    text = passage.text
    lines = _lines(text, start, end)
    terms = [content_terms(text[begin:stop][:_LONGEST_SENTENCE]) for begin, stop in lines]
    filled = [bool(text[begin:stop].strip()) for begin, stop in lines]
    for first in range(len(lines)):
        if not terms[first]:
            continue
        collected: frozenset[str] = frozenset()
        weight = _weight(text[slice(*lines[first])])
        for last in range(first, min(first + _LONGEST_RUN, len(lines))):
            collected |= terms[last]
            if filled[last]:
                yield Unit(passage, lines[first][0], lines[last][1], collected, code=True, weight=weight)


def _weight(line: str) -> float:
    if _DEFINITION.match(line):
        return 1.3
    return 1.1 if _COMMENT.match(line) else 1.0


def _of_prose(passage: Passage) -> Iterator[Unit]:
    """Yield stretches of sentences, runs of lines of the code among them, and sentences with the code they announce."""
    blocks = list(_blocks(passage.text))
    sentences: list[Unit] = []
    for (start, end, code), following in zip_longest(blocks, blocks[1:]):
        if code:
            yield from _of_code(passage, start, end)
            continue
        at = start
        for found in _STOP.finditer(passage.text, start, end):
            if not passage.text[found.end() : end].strip():
                break
            sentences += _sentence(passage, at, found.end())
            at = found.end()
        sentences += _sentence(passage, at, end)
        if following is not None:
            yield from _announced(passage, at, end, following)
    yield from _stretches(sentences)


def _stretches(sentences: Sequence[Unit]) -> Iterator[Unit]:
    """Yield, from each sentence on, as many sentences of its section as are read together, with what is between."""
    for first, begun in enumerate(sentences):
        last = begun
        for following in sentences[first + 1 :]:
            if following.end - begun.start > _LONGEST_STRETCH:
                break
            between = _FENCED.sub("", begun.passage.text[last.end : following.start])
            if any(map(_HEADING.match, between.split("\n"))):
                break
            last = following
        if last is begun:
            yield begun
            continue
        terms = content_terms(begun.passage.text[begun.start : last.end])
        yield replace(begun, end=last.end, terms=terms, weight=_weight_of_prose(terms))


def _announced(passage: Passage, start: int, end: int, following: tuple[int, int, bool]) -> Iterator[Unit]:
    """Yield a sentence with the block of code that comes right after it: "set it like this:" is answered by both."""
    text = passage.text
    begun, ended, code = following
    if not code or text.count("\n", begun, ended) > _LONGEST_RUN or text[end:begun].count("\n") > _LINES_BEFORE_CODE:
        return
    newline = text.find("\n", ended)  # behind the closing fence
    for alone in _sentence(passage, start, end):
        stop = len(text) if newline < 0 else newline
        terms = alone.terms | content_terms(text[begun:ended])
        yield replace(alone, end=stop, terms=terms, weight=_weight_of_prose(terms))


def _sentence(passage: Passage, start: int, end: int) -> Iterator[Unit]:
    text = passage.text[start:end]
    start += len(text) - len(text.lstrip())
    text = text.strip()
    if len(text) > _LONGEST_SENTENCE:
        text = text[:_LONGEST_SENTENCE].rpartition(" ")[0] or text[:_LONGEST_SENTENCE]
    terms = content_terms(text)
    if terms:
        # A fragment, a question or an announcement answers little, however well its words fit.
        weight = 0.3 if text.endswith((":", "?")) else _weight_of_prose(terms)
        yield Unit(passage, start, start + len(text), terms, code=False, weight=weight)


def _weight_of_prose(terms: frozenset[str]) -> float:
    return min(1.0, 0.5 + 0.1 * len(terms))


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, whether it is code) of paragraphs, items of lists and fenced blocks; headings are left out."""
    begun: int | None = None
    fence: tuple[str, int] | None = None
    for start, end in _lines(text, 0, len(text)):
        line = text[start:end]
        mark = _FENCE.match(line)
        if fence is not None:
            if mark and mark[1].startswith(fence[0]):
                yield fence[1], start, True
                fence = None
            continue
        item = _BREAK.match(line)
        if begun is not None and (mark or item or not line.strip() or _HEADING.match(line)):
            yield begun, start, False
            begun = None
        if mark:
            fence = (mark[1], end + 1)
        elif begun is None and line.strip() and not _HEADING.match(line):
            begun = start + (item.end() if item else 0)
    if fence is not None:
        yield fence[1], len(text), True
    if begun is not None:
        yield begun, len(text), False
