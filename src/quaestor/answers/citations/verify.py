"""Checks an answer's citations against the sources' own bytes.

A citation is ``verified`` if the quoted words are, character for character, in the cited lines, as these are written
or as ``readable_markup`` shows them; or, without a quote, if those lines support the sentence by the measure of
``claim_support``. Where the answer is made of quotes alone, it is enough that all words of the clause stand there in a
row. It is ``repaired`` if the words were found, but elsewhere in the document or with other blanks, case or quote
marks; place and words are corrected. Otherwise it is ``unverified``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence

from quaestor.answers.citations.citation_marks import Mark, Passage, parse, says_no_answer, without_marks
from quaestor.answers.citations.claim_support import Ground, find_support
from quaestor.answers.citations.judged_sentences import Judge
from quaestor.answers.citations.quote_match import Match, find, find_nearest, is_distinctive
from quaestor.answers.citations.sentences import Sentence, sentences
from quaestor.answers.quotes.readable_markup import lines_shown
from quaestor.chunking.decode import decode
from quaestor.core.documents import Citation, CitationStatus
from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import content_terms

Reader = Callable[[str], bytes | None]
"""Gives a document's bytes by its path; None if it is gone."""

_LONGEST_SHOWN = 400
_LEAST_WORDS = 3
_WORDS = re.compile(r"\w+")
_DESCRIBED = re.compile(r"^[\s*-]*(?:`[^`\n]+`|``[^\n]+?``)\s*:\s")
"""What a list describes, before its description: ``- `setup.py`: ``."""
_ESCAPED = re.compile(r"\\([\\*_<>\[\]])")
"""A character that Markdown would take for markup, with its backslash."""


class Verification(NamedTuple):
    """The result of checking an answer's citations.

    Attributes:
        citations: the checked citations without duplicates, in order of appearance.
        unsupported: the sentences that make a claim without support, without duplicates; see ``judged_sentences``.
        unknown: the numbers that the answer cites but no passage has.
    """

    citations: tuple[Citation, ...]
    unsupported: tuple[Sentence, ...]
    unknown: tuple[int, ...]


class _Source(NamedTuple):
    """A document's text, with the offsets at which its lines begin."""

    text: str
    starts: tuple[int, ...]

    def region(self, first: int, last: int) -> tuple[int, int]:
        """Return the offsets of lines ``first`` to ``last``, 1-based and inclusive."""
        number = len(self.starts)
        start = self.starts[first - 1] if 0 < first <= number else len(self.text)
        end = self.starts[last] if last < number else len(self.text)
        return start, max(start, end)

    def line_of(self, offset: int) -> int:
        """Return the 1-based line of an offset."""
        return bisect_right(self.starts, offset)


def verify(
    answer: str, passages: Sequence[Passage], read: Reader, question: str = "", *, claims: bool = True
) -> Verification:
    """Check every citation and every sentence of a finished answer.

    Args:
        answer: the visible text, with its marks.
        passages: the passages that the model was shown.
        read: returns the present bytes of a document.
        question: the question, whose names the answer may repeat.
        claims: whether to judge the answer's sentences, which an answer made of quotes does not need.
    """
    checker = _Checker(passages, read, quotes_only=not claims)
    marks = parse(answer)
    cut = sentences(answer)
    least = _LEAST_WORDS if claims else 0
    by_mark = {mark: checker.check(mark, _claim(answer, mark, marks, cut, least)) for mark in marks}
    known = [citation for citation in by_mark.values() if citation is not None]
    judged = claims and not says_no_answer(answer)
    weak = Judge(answer, cut, by_mark, checker.grounds(), question).unsupported_sentences() if judged else []
    return Verification(
        citations=tuple(dict.fromkeys(known)),
        unsupported=_each_once(weak),
        unknown=tuple(dict.fromkeys(mark.n for mark, citation in by_mark.items() if citation is None)),
    )


def check_quote(passage: Passage, quote: str, read: Reader) -> Citation:
    """Check one quote from a passage; used for answers that are made of quotes."""
    return _Checker([passage], read).check_quote(passage, quote)


class _Checker:
    """Resolves marks against documents that are read once each.

    ``quotes_only``: whether the answer says nothing of its own, so that any of its words that stand in a row in the
    passage are verified; a model's "No." stands in many passages and shows nothing.
    """

    def __init__(self, passages: Sequence[Passage], read: Reader, *, quotes_only: bool = False) -> None:
        self._quotes_only = quotes_only
        self._passages: Mapping[int, Passage] = {passage.n: passage for passage in passages}
        self._read = read
        self._sources: dict[str, _Source | None] = {}
        self._grounds: dict[int, Ground | None] = {}

    def check(self, mark: Mark, claim: str) -> Citation | None:
        """Return a mark's citation, or None if no passage has its number."""
        passage = self._passages.get(mark.n)
        if passage is None:
            return None
        # A quote of nothing but small words stands everywhere and shows nothing, unless its place says nothing else.
        claim = _ESCAPED.sub(r"\1", claim)
        ground = self._ground(passage)
        if self._quotes_only and ground is not None and not mark.quoted and _words_in_row(claim, ground):
            quote = _shorten("\n".join(ground.lines).strip("\r\n"))
            return _citation(passage, passage.start_line, passage.end_line, quote, "verified")
        if mark.quote is not None and (_names_anything(mark.quote) or _is_all_of(passage, mark.quote)):
            citation = self.check_quote(passage, mark.quote)
            # Words in quote marks before a bare number may be anything, so that they may be missing.
            if mark.quoted or citation.holds:
                return citation
        return self.check_claim(passage, claim)

    def check_quote(self, passage: Passage, quote: str) -> Citation:
        """Match a quote in its passage, then elsewhere in the document, then in the other passages."""
        here = self._match(passage, quote)
        if here is not None:
            return here
        if is_distinctive(quote):
            for other in self._passages.values():
                citation = self._match(other, quote) if other is not passage else None
                if citation is not None:
                    return Citation(
                        passage.n,
                        citation.path,
                        citation.start_line,
                        citation.end_line,
                        citation.quote,
                        "repaired",
                        citation.url,
                    )
        return _unverified_citation(passage, quote)

    def check_claim(self, passage: Passage, claim: str) -> Citation:
        """Look for a sentence without a quote in its passage."""
        ground = self._ground(passage)
        support = None if ground is None else find_support(claim, ground)
        if ground is None or support is None:
            return _unverified_citation(passage, "")
        quote = "\n".join(ground.lines[support.first : support.last + 1]).strip("\r\n")
        first = passage.start_line + support.first
        return _citation(passage, first, first + support.last - support.first, _shorten(quote), "verified")

    def grounds(self) -> dict[int, Ground]:
        """Return the present text of each passage by its number, without passages whose documents are gone."""
        by_number = ((n, self._ground(passage)) for n, passage in self._passages.items())
        return {n: ground for n, ground in by_number if ground is not None}

    def _match(self, passage: Passage, quote: str) -> Citation | None:
        source = self._source(passage)
        if source is None:
            return None
        start, end = source.region(passage.start_line, passage.end_line)
        match = find(quote, source.text, start, end)
        if match is not None and match.exact:
            return _citation_at(passage, source, match, "verified")
        lines = lines_shown(quote, source.text[start:end], passage.language)
        if lines is not None:
            region = source.region(*(source.line_of(start) + number for number in lines))
            return _citation_at(passage, source, Match(*region, exact=True), "verified")
        if match is not None:
            return _citation_at(passage, source, match, "repaired")
        nearest = find_nearest(quote, source.text, start, end) if is_distinctive(quote) else None
        return _citation_at(passage, source, nearest, "repaired") if nearest else None

    def _ground(self, passage: Passage) -> Ground | None:
        """Return the present text of a passage; None if its document is gone."""
        if passage.n not in self._grounds:
            source = self._source(passage)
            self._grounds[passage.n] = None if source is None else Ground(_lines(source, passage), _label(passage))
        return self._grounds[passage.n]

    def _source(self, passage: Passage) -> _Source | None:
        if passage.path not in self._sources:
            data = self._read(passage.path)
            self._sources[passage.path] = None if data is None else _decode(data)
        return self._sources[passage.path]


def _names_anything(quote: str) -> bool:
    return bool(content_terms(quote)) or not any(map(str.isalpha, quote))


def _words_in_row(claim: str, ground: Ground) -> bool:
    """Return whether a line's words, without the path that it describes, stand in a row in a passage."""
    words = _WORDS.findall(_DESCRIBED.sub("", claim).lower())
    return bool(words) and f" {' '.join(words)} " in f" {' '.join(_WORDS.findall(ground.lowered))} "


def _is_all_of(passage: Passage, quote: str) -> bool:
    """Return whether a quote is the whole passage, such as the line ``$ make``."""
    return _WORDS.findall(passage.text) == _WORDS.findall(quote)


def _each_once(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Return sentences in order, each distinct wording once."""
    once: dict[str, Sentence] = {}
    for sentence in sentences:
        once.setdefault(" ".join(sentence.text.split()), sentence)
    return tuple(once.values())


def _decode(data: bytes) -> _Source:
    """Return a document's text as the chunkers read it."""
    decoded = decode(data)
    text = decoded.data[decoded.start :].decode(decoded.encoding, "replace")
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return _Source(text, tuple(starts))


def _citation_at(passage: Passage, source: _Source, match: Match, status: CitationStatus) -> Citation:
    """Return the citation of a match, without the line ends at its edges."""
    quote = _shorten(source.text[match.start : match.end].strip("\r\n"))
    first = source.text.index(quote[:1], match.start)
    last = match.start + len(source.text[match.start : match.end].rstrip("\r\n")) - 1
    return _citation(passage, source.line_of(first), source.line_of(max(first, last)), quote, status)


def _citation(passage: Passage, first: int, last: int, quote: str, status: CitationStatus) -> Citation:
    return Citation(passage.n, passage.path, first, last, quote, status, passage.url)


def _unverified_citation(passage: Passage, quote: str) -> Citation:
    return _citation(passage, passage.start_line, passage.end_line, quote, "unverified")


def _shorten(quote: str) -> str:
    """Return a long quote's beginning up to the end of a line or word: still the source's own characters."""
    if len(quote) <= _LONGEST_SHOWN:
        return quote
    cut = quote[:_LONGEST_SHOWN]
    for separator in ("\n", " "):
        if separator in cut:
            return cut.rpartition(separator)[0].rstrip()
    return cut


def _lines(source: _Source, passage: Passage) -> list[str]:
    return source.text[slice(*source.region(passage.start_line, passage.end_line))].split("\n")


def _label(passage: Passage) -> str:
    return " ".join(filter(None, (passage.path, passage.title, passage.symbol)))


def _claim(answer: str, mark: Mark, marks: Sequence[Mark], cut: Sequence[Sentence], least: int = _LEAST_WORDS) -> str:
    """Return the claim that a mark supports: the clause before it, or its sentence if the clause has too few words."""
    sentence = next((sentence for sentence in cut if sentence.start <= mark.start < sentence.end), None)
    if sentence is None:
        return ""
    before = [other.end for other in marks if sentence.start <= other.start and other.end <= mark.start]
    # Marks in a row support the same clause.
    start = sentence.start
    for end in before:
        if answer[end : mark.start].strip(" ,;"):
            start = end
    clause = without_marks(answer[start : mark.start], marks, start)
    if len(content_terms(clause)) >= least:
        return clause
    return without_marks(sentence.text, marks, sentence.start)
