"""Writes quotes as an answer in Markdown, each with its place, its symbol or section, and its citation mark."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quaestor.answers.paragraphs import FENCE
from quaestor.core.terms import content_terms
from quaestor.llm.prompts.numbered_passages import Passage, where
from quaestor.search.language import without_grammar

LEAD = "No language model is configured, so the answer is quoted from what matches best:"
UNSURE = "No language model is configured, so what comes nearest is quoted. It may not answer the question:"
SAME = "No language model is configured, and nothing matches better than what is quoted above:"
_GAP = "⋯"
_MOST_AGAIN = 100
"""Characters shown of the beginning of a quote that an earlier answer shows whole."""
_LONGEST_SENTENCE = 400
_SENTENCE = re.compile(r"\S.*?(?:[.!?]['\")\]*_`]*(?=\s)|(?=\n\s*\n)|(?=\n\s*(?:[-*+|]|\d+[.)])\s)|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim part of a passage.

    Attributes:
        n: the passage's number.
        path: the document's path.
        start_line: first line, 1-based.
        end_line: last line, inclusive.
        text: the quoted words, verbatim.
        code: whether they are lines of code.
        continues: whether the quote before is the beginning of the same definition, with lines left out between.
        label: the symbol or the section that it is from; empty if that is not known.
        language: the language of the document.
    """

    n: int
    path: str
    start_line: int
    end_line: int
    text: str
    code: bool
    continues: bool = False
    label: str = ""
    language: str = ""


def text_of_quotes(
    quotes: Sequence[Quote], earlier: Sequence[str] = (), question: str = "", *, lead: str = LEAD
) -> str:
    """Return quotes in Markdown; one that an earlier answer shows is cut to its sentence that fits this question."""
    shown = [_in_markdown(quote) for quote in quotes]
    again = [any(one in text for text in earlier) for one in shown]
    texts = (
        _in_markdown(_shorten(quote, question), ", quoted above") if known else one
        for quote, one, known in zip(quotes, shown, again, strict=True)
    )
    return "\n\n".join([SAME if all(again) else lead, *texts])


def _shorten(quote: Quote, question: str) -> Quote:
    """Return a quote shortened to the sentence that holds most of a question's rarest words, or to its beginning."""
    wanted = frozenset() if quote.code else content_terms(without_grammar(question))
    sentences = [match[0] for match in _SENTENCE.finditer(quote.text) if len(match[0]) <= _LONGEST_SENTENCE]
    terms_by_sentence = [wanted & content_terms(sentence) for sentence in sentences]
    counts = Counter(term for terms in terms_by_sentence for term in terms)
    best = max(
        range(len(terms_by_sentence)), key=lambda at: sum(1 / counts[term] for term in terms_by_sentence[at]), default=0
    )
    if counts:
        return replace(quote, text=sentences[best])
    line = quote.text.split("\n", 1)[0]
    return replace(quote, text=line if len(line) <= _MOST_AGAIN else line[:_MOST_AGAIN].rpartition(" ")[0] or line)


def _place(quote: Quote) -> str:
    return where(Passage(quote.n, quote.path, quote.start_line, quote.end_line, ""))


def _in_markdown(quote: Quote, besides: str = "") -> str:
    """Return a quote in Markdown with its place, a remark, and its citation mark."""
    label = f"`{quote.label}`".replace(", ", "`, `") if quote.code else quote.label
    head = _GAP if quote.continues else f"`{_place(quote)}`" + (f" ({label})" if quote.label else "") + f"{besides}:"
    if not quote.code:
        return "\n".join([head, "", *(f"> {line}" for line in _with_whole_fences(quote.text)), "", f"[{quote.n}]"])
    longest = max((len(run) for run in re.findall(r"`+", quote.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{head}\n\n{fence}{quote.language}\n{quote.text}\n{fence}\n[{quote.n}]"


def _with_whole_fences(text: str) -> list[str]:
    """Return a quote's lines, with an unmatched fence opened or closed, so that what follows is not taken for code."""
    lines = text.split("\n")
    marks = [match for line in lines if (match := FENCE.match(line))]
    if len(marks) % 2 == 0:
        return lines
    # What opens a block names its language more often than not; what closes one never does.
    has_language = any(mark.string[mark.end() :].strip() for mark in (marks[0], marks[-1]))
    return [*lines, marks[-1][1]] if has_language else [marks[0][1], *lines]
