"""Reads citation marks in a finished answer.

The prompt asks for the form ``[2: "decisive words"]``. Other forms that models write are read, too: ``[2]``,
``[1, 2]``, ``[1][2]``, ``[1-3]``, ``[2, "words"]``, ``[1: "a"; 2: "b"]``, ``[passage 2]``, ``[^2]``, ``【2】``, curly
quotes, and a quotation, a block quote or a fenced block just before a bare number. Marks inside code are code; marks
within a line of a block quote belong to the quoted text, as footnotes and lists of numbers do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.llm.prompts.numbered_passages import Passage, number, show, show_all, where

__all__ = [
    "NO_ANSWER",
    "Mark",
    "Passage",
    "number",
    "parse",
    "says_no_answer",
    "show",
    "show_all",
    "where",
    "without_marks",
    "words_of_sentence",
]

NO_ANSWER = "[no answer]"
"""What a model writes when the passages do not hold the answer."""

_NO_ANSWER = lazy_regex(r"(?<![\[【(<*_`])[\[【(<*_`]+\s*no[ _-]answer\s*[\])】>*_`]+", re.IGNORECASE)
_KNOWS_NOT = lazy_regex(
    r"(?:(?:sorry|unfortunately|i\s*['’]?a?m\s+sorry),?\s+(?:but\s+)?)?"
    r"(?:i\s+(?:do\s+not|don['’]?t|cannot|can\s+not|can['’]?t)\s+(?:know|tell|say|answer\s+(?:that|this|it|the\s+question))"
    r"|(?:the|these)\s+(?:(?:given|provided)\s+)?(?:passages?|documents?|sources?|corpus|context|text)"
    r"\s+do(?:es)?(?:\s+not|n['’]t)\s+(?:say|tell|contain|mention|hold|answer|provide|include)\b[^.,;:!?\[\n]{0,120})\s*[.!]?",
    re.IGNORECASE,
)
"""A reply of a single sentence by which a model says that it does not know, instead of by the mark."""
_LONGEST_REFUSAL = 250
_FENCE_OPENS = {
    prefix: lazy_regex(rf"^{prefix}(`{{3,}}+|~{{3,}}+)[^\n]*+\n", re.MULTILINE) for prefix in ("", r"[ \t]*+>[ \t]?+")
}
"""Patterns for the opening line of a fenced block, by what precedes it in the line: nothing, or a block quote's mark.
"""
_ENDS_LINE = lazy_regex(r"[\s.,;:!?*_\"”’\[\]【】\d–-]*(?:\n|\Z)")
_CODE = lazy_regex(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_BLOCK_QUOTE = lazy_regex(r"(?:^[ \t]*>[^\n]*\n?)+", re.MULTILINE)
_QUOTE_MARKS = "\"'“”„‟‘’«»`"
# Blanks are taken once and not given back, and of a run of marks only the first is tried.
_OPENING = lazy_regex(r"[\[【]\s*+(?:\^\s*+)?(?:(?:passages?|sources?|p|no)\b\.?\s*+)?#?(?=\d)", re.IGNORECASE)
_NUMBERS = lazy_regex(r"\d{1,3}(?:\s*[-–]\s*\d{1,3})?(?!\d)")
_SEPARATOR = lazy_regex(r"\s*(?:[,;&]|and)\s*#?(?:(?:passages?|sources?)\s*)?(?=\d)", re.IGNORECASE)
_LONGEST_QUOTE = 2000
_MOST_MARKS = 1000
_LONGEST_RANGE = 9

_BEFORE_END = lazy_regex(r"(?<!\s)\s+([.,;:!?])")
_BOX = lazy_regex(r"\[[ xX]\]\s+")


class Mark(NamedTuple):
    """One citation of one passage as the answer writes it.

    Attributes:
        n: the passage's number.
        quote: the words that the answer quotes, or None.
        quoted: whether the quote is inside the mark; otherwise it was found just before it.
        start: the offset of the whole mark in the answer.
        end: the offset after the mark.
    """

    n: int
    quote: str | None
    quoted: bool
    start: int
    end: int


class _Fence(NamedTuple):
    """A fenced block of code: its offsets in the answer, and its content."""

    start: int
    end: int
    code: str


def says_no_answer(answer: str) -> bool:
    """Return whether an answer says, by the marker from the prompt or in one sentence, that nothing tells it."""
    return (
        _NO_ANSWER.search(answer[:200]) is not None
        or _KNOWS_NOT.fullmatch(answer[:_LONGEST_REFUSAL].strip()) is not None
    )


def without_no_answer(answer: str) -> str:
    """Return an answer without that marker, for display."""
    return _NO_ANSWER.sub("", answer).strip()


def parse(answer: str) -> tuple[Mark, ...]:
    """Return the marks of a finished answer in order; a mark with several passages gives one mark for each.

    At most a thousand are read, so that an answer that repeats itself endlessly takes little time.
    """
    plain, quoted = (list(_fences(answer, prefix)) for prefix in _FENCE_OPENS)
    fences = {fence.end: fence for fence in plain}
    spans = ((match.start(), match.end()) for match in _code_spans(answer))
    code = sorted([*((fence.start, fence.end) for fence in (*plain, *quoted)), *spans], reverse=True)
    marks: list[Mark] = []
    at = code_end = 0
    while len(marks) < _MOST_MARKS and (opening := _OPENING.search(answer, at)):
        start, at = opening.start(), opening.end()
        while code and code[-1][0] <= start:
            code_end = max(code_end, code.pop()[1])
        if start < code_end:
            continue
        read = _read_mark(answer, opening.end())
        if read is None:
            continue
        references, end = read
        if _is_quoted(answer, start, end):
            continue
        before = None if any(quote for _, quote in references) else _quote_before(answer, start, marks, fences)
        for n, quote in references:
            marks.append(Mark(n, quote or before, quote is not None, start, end))
        at = end
    return tuple(marks)


def _is_quoted(answer: str, start: int, end: int) -> bool:
    """Return whether a mark is part of a quoted line of a block quote rather than the citation at its end."""
    line = max(answer.rfind("\n", max(0, start - 2 * _LONGEST_QUOTE), start) + 1, start - 2 * _LONGEST_QUOTE)
    if not answer[max(0, line) : start].lstrip(" \t").startswith(">"):
        return False
    return "^" in answer[start:end] or _ENDS_LINE.match(answer, end) is None


def words_of_sentence(sentence: str) -> str:
    """Return a sentence on one line, without citations and check boxes."""
    words = " ".join(without_marks(sentence, parse(sentence)).split())
    return _BEFORE_END.sub(r"\1", _BOX.sub("", words, count=1) if _BOX.match(words) else words)


def without_marks(text: str, marks: Sequence[Mark], offset: int = 0) -> str:
    """Return ``text``, which stands at ``offset`` of the answer, without the marks inside it."""
    pieces, at = [], offset
    for mark in marks:
        if mark.start >= at and mark.end <= offset + len(text):
            pieces.append(text[at - offset : mark.start - offset])
            at = mark.end
    return "".join([*pieces, text[at - offset :]])


def _fences(answer: str, prefix: str = "") -> Iterator[_Fence]:
    """Yield the closed fenced blocks; the answer is searched only once for the end of unclosed ones.

    ``prefix`` is a pattern with which their first and last lines begin.
    """
    at, unclosed = 0, set[str]()
    while opening := _FENCE_OPENS[prefix].search(answer, at):
        marks, at = opening[1], opening.end()
        closing = (
            None if marks in unclosed else re.compile(rf"^{prefix}{marks}[ \t]*$", re.MULTILINE).search(answer, at)
        )
        if closing is None:
            unclosed.add(marks)
        else:
            yield _Fence(opening.start(), closing.end(), answer[at : closing.start()])
            at = closing.end()


def _code_spans(answer: str) -> Iterator[re.Match[str]]:
    # A code span never crosses a blank line; without this one stray backtick would hide the rest of the answer.
    return (match for match in _CODE.finditer(answer) if "\n\n" not in match[0])


def _read_mark(answer: str, at: int) -> tuple[list[tuple[int, str | None]], int] | None:
    """Read numbers and quotes from ``at`` up to the closing bracket; None if it is not a mark."""
    references: list[tuple[int, str | None]] = []
    while numbers := _NUMBERS.match(answer, at):
        at = numbers.end()
        quote, at = _read_quote(answer, at)
        references += [(n, quote) for n in _numbers_of_range(numbers[0])]
        closing = re.compile(r"\s*[\]】]").match(answer, at)
        if closing:
            link = re.compile(r"\([^()\s]*\)").match(answer, closing.end())
            return references, (link or closing).end()
        separator = _SEPARATOR.match(answer, at)
        if separator is None:
            return None
        at = separator.end()
    return None


def _read_quote(answer: str, at: int) -> tuple[str | None, int]:
    """Read an optional quote after a number; return it and the offset after it."""
    opening = re.compile(rf"\s*[:,]?\s*([{_QUOTE_MARKS}]+)").match(answer, at)
    if opening is None:
        return _read_bare_quote(answer, at)
    # The quote may hold quote marks and brackets itself: it ends at a quote mark before a bracket or a further number.
    ending = re.compile(rf"[{_QUOTE_MARKS}]+[.,…]?\s*(?=[\]】]|[,;]\s*#?\d{{1,3}}\s*(?:[:,\]】]))")
    closings = list(ending.finditer(answer, opening.end(), opening.end() + _LONGEST_QUOTE))
    if not closings:
        return None, at
    balanced = (match for match in closings if _brackets_closed(answer[opening.end() : match.start()]))
    closing = next(balanced, closings[0])
    quote = answer[opening.end() : closing.start()]
    # `""` at the end of a quotation of a string: only as many marks as were opened belong to the form.
    surplus = closing[0].rstrip(" \t\n.,…")[: -len(opening[1])]
    return (quote + surplus).strip() or None, closing.end()


def _brackets_closed(quote: str) -> bool:
    """Return whether no bracket is open at the end: a quote of code does not end after ``a["key``."""
    return quote.count("[") <= quote.count("]")


def _read_bare_quote(answer: str, at: int) -> tuple[str | None, int]:
    """Read a quote without quote marks: ``[2: retries three times]``."""
    match = re.compile(r"\s*:\s*([^\[\]【】\n]{3,300}?)\s*(?=[\]】])").match(answer, at)
    return (match[1], match.end()) if match else (None, at)


def _numbers_of_range(numbers: str) -> list[int]:
    """Return the numbers of ``3`` or ``3-5``; of a range that is too long, only its two ends."""
    ends = [int(part) for part in re.split(r"\s*[-–]\s*", numbers)]
    first, last = ends[0], ends[-1]
    return list(range(first, last + 1)) if 0 <= last - first <= _LONGEST_RANGE else ends


def _quote_before(answer: str, start: int, marks: Sequence[Mark], fences: Mapping[int, _Fence]) -> str | None:
    """Return the quotation, block quote or fenced block that ends just before a bare mark."""
    if marks and not answer[marks[-1].end : start].strip(" ,;"):
        return marks[-1].quote if not marks[-1].quoted else None
    # Only what is near can belong to the mark; looking further would take forever on an answer of nothing but marks.
    offset = max(0, start - 2 * _LONGEST_QUOTE)
    before = answer[offset:start].rstrip()
    fenced = fences.get(offset + len(before))
    if fenced is not None:
        return fenced.code.strip("\r\n") or None
    line = before.rfind("\n") + 1
    if before[line:].lstrip().startswith(">"):
        block = [match for match in _BLOCK_QUOTE.finditer(before) if match.end() == len(before)]
        return _text_of_block_quote(block[-1][0]) if block else None
    inline = re.compile(rf"[{_QUOTE_MARKS}]([^{_QUOTE_MARKS}\n]{{3,400}})[{_QUOTE_MARKS}]+[.,;:!?)]*$").search(
        before, line
    )
    return inline[1].strip() if inline else None


def _text_of_block_quote(block: str) -> str | None:
    """Return the text of a block quote without its marks."""
    lines = [re.sub(r"^[ \t]*> ?", "", line) for line in block.splitlines()]
    return "\n".join(lines).strip() or None
