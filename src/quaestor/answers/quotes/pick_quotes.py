"""Answers without a language model: quotes the best passages and cites them.

Passages come in the order of the search. Prose is put in a new order, by each passage's paragraph that is nearest to
the question and by the number of hits in its document; code keeps its order, behind a section whose heading is the
question. If the search gave scores, the first passage is quoted up to sections at its edges that hold little of the
question, and narrowed to the part that tells most if it is long. If that is little to read, stretches of passages with
nearly the same score are quoted as well. Each is chosen by the rarity of the question's words in it, by its similarity
to the question, and by how much it shows of the chunk that was found. If a question asks for several things, one
stretch of each document is quoted.

Every quote is a verbatim part of its passage.
"""

from __future__ import annotations

import math
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from itertools import islice

from quaestor.answers.quotes.paragraphs import is_list_of_links
from quaestor.answers.quotes.passage_order import (
    Encode,
    guide_share,
    is_headed,
    label_terms,
    order_by_paragraphs,
    rarity_of,
    share_of,
    share_of_section,
    wanted_terms,
    weight_of_texts,
)
from quaestor.answers.quotes.quotable_stretches import (
    Stretch,
    is_prose,
    stretches_of,
    whole_passage,
    without_neighbours,
)
from quaestor.answers.quotes.quotes_in_markdown import LEAD, UNSURE, Quote, label_of, label_of_code, text_of_quotes
from quaestor.answers.quotes.telling_parts import Relevance, telling_part
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.core.messages import Usage
from quaestor.core.questions import asks_amount, asks_default, asks_for_several, says_amount, says_default
from quaestor.core.terms import content_terms
from quaestor.core.wording import WITHOUT_MODEL
from quaestor.llm.models import Delta, Finished, Request, TextDelta
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.search.joined_passages import DEFINITION, LARGEST
from quaestor.search.names_in_question import names_of_code
from quaestor.search.path_roles import profile_path

NOTHING = f"{WITHOUT_MODEL}, and nothing in the passages answers the question clearly enough to quote."
UNMENTIONED = f"{WITHOUT_MODEL}, and nothing here mentions {{}}."
NOT_FOUND = f"{WITHOUT_MODEL}, and no passage that was found mentions {{}}."

# Only where both fail is a question refused. They are low, since people ask in words of their own: higher ones refused
# a quarter of the questions that a corpus answers, and no more of those that it does not but that are close to it.
_LEAST_COVERAGE = 0.17
_LEAST_SIMILARITY = 0.5

_PASSAGES = 8
"""The number of passages to quote from; more only if the question asks for several things."""
_BEHIND = 0.5
"""The penalty for each point by which the ranker puts a passage behind the first."""
_BEHIND_UNKNOWN = 5.0
"""The points by which each passage is taken to be behind the one before if the ranker's scores are not known."""
_OF_FOUND = 0.5
"""The bonus of a stretch that shows all of the chunk that was found."""
_OF_PASSAGE = 0.45
"""The bonus of a stretch of code that shows all of its passage."""
_LEAST_WORTH = 0.05
_NEAR = math.log(15)
"""The most points by which the passage of a further quote may be behind the first. Points are logarithms of odds, so
such a passage is at least a fifteenth as likely to answer."""
_NEAR_OF_PROSE = 4.2
"""The same for prose, whose quotes are short."""
_HALF = math.log(2)
"""The points from which on a passage is less than half as likely to answer as the first one."""
_ENOUGH = 2800
"""From this many quoted characters on, no further passage is quoted, unless the question asks for several things."""
_ENOUGH_MORE = 1200
"""The characters that are added to it for each quote beyond the usual number."""
_FEWEST_READ = 2
"""The number of passages that are quoted in any case, because the first may be one long definition."""
MOST, MOST_OF_UNSURE = 4, 5
"""The most quotes of an answer, and of one that may be wrong: the right place is then often a later one."""
_OTHERS = 4
"""The most places that are named below the quotes; with ten, hardly more answers would have the right one."""
_LONGEST_WHOLE = max(LARGEST, DEFINITION)
"""The most characters of a passage that is quoted whole."""
_NEAR_OF_SEVERAL = 3.0
"""The most points by which a further document may be behind if the question asks for several things."""
_MOST_OF_SEVERAL = 3000
"""From this number of quoted characters on, no further document is quoted then."""
_LICENCE = re.compile(r"(?:^|/)(?:licen[cs]e|copying|unlicense|notice)\b[^/]*$", re.IGNORECASE)
"""Licences and notices, which mention authors, use and distribution of everything; they answer questions about
themselves only."""
_ASKS_WHERE = re.compile(r"\b(?:where|which|who|links?|resources?|further|more about|read)\b", re.IGNORECASE)
"""Words of a question that a link may answer."""
_ASKS_HOW_TO = re.compile(
    r"^\W*(?:how\s+(?:(?:do|can|could|should|would)\s+(?:i|we|you|one)\b|to\b)"
    r"|(?:can|could|do|does|is|may|must|should)\s+(?:i|it|one|there|they|we|you)\b)",
    re.IGNORECASE,
)
"""The beginning of a question by a user, which a document answers better than code."""
_OF_GUIDE = 0.6
"""The least share of the question, by the rarity of its words, in a guide that comes before code."""
_ASKS_TESTS = re.compile(r"\b(?:tests?|tested|testing|specs?|examples?)\b", re.IGNORECASE)


class ExtractiveAnswer(NamedTuple):
    """An answer made of quotes.

    Attributes:
        text: Markdown with a citation mark after each quote; says that it is quoting.
        quotes: the quotes, best first.
        known: whether the passages seem to hold an answer.
        coverage: share of the question's words, weighted by rarity, that the quotes hold, 0 to 1.
        lead: the sentence above the quotes.
        others: the best passages that are not quoted; the text names their places.
    """

    text: str
    quotes: tuple[Quote, ...]
    known: bool
    coverage: float
    lead: str = LEAD
    others: tuple[Passage, ...] = ()

    def unsure(self) -> ExtractiveAnswer:
        """Return the answer with the remark that its quotes may not answer."""
        if not self.quotes:
            return self
        return self._replace(text=text_of_quotes(self.quotes, lead=UNSURE, others=self.others), lead=UNSURE)

    def naming(self, missing: Sequence[str]) -> ExtractiveAnswer:
        """Return a refusal with the words that the question is about and no passage mentions; an answer as it is."""
        named = NOT_FOUND.format(" or ".join(map(repr, missing)))
        return self._replace(text=named) if missing and self.text == NOTHING else self

    def under(
        self,
        numbers: Mapping[int, int],
        earlier: Sequence[str] = (),
        question: str = "",
        encode: Encode | None = None,
    ) -> ExtractiveAnswer:
        """Return the answer with renumbered passages; what ``earlier`` answers quote is shortened for this question."""
        if not self.quotes:
            return self
        quotes = tuple(quote._replace(n=numbers[quote.n]) for quote in self.quotes)
        text = text_of_quotes(quotes, earlier, question, lead=self.lead, encode=encode, others=self.others)
        return self._replace(quotes=quotes, text=text)


def answer(
    question: str,
    passages: Sequence[Passage],
    encode: Encode | None = None,
    most: int = MOST,
    missing: Sequence[str] = (),
    refused: bool | None = None,
    hits: Sequence[Hit] = (),
) -> ExtractiveAnswer:
    """Answer a question with quotes from numbered passages.

    Args:
        question: the user's words.
        passages: best first.
        encode: an embedder's ``encode``, for similarity beyond shared words.
        most: how many stretches to quote at most; two more, each of another document, if the question asks for several
            things.
        missing: names in the question that occur nowhere in the corpus. Similar passages then do not answer it,
            unless ``refused`` is False.
        refused: whether the passages are known not to answer; None to decide by how much of the question they hold.
        hits: the hits of the passages, in their order, with the search's scores and the lines found. Without hits
            only the first passage is quoted.
    """
    wanted = wanted_terms(question)
    rarity = rarity_of(wanted, passages)
    if encode is not None and not asks_for_several(question):
        passages, hits = order_by_paragraphs(question, passages, hits, rarity, encode)
    refused = refused and not (passages and is_headed(question, passages[0], 1))
    candidates = _best_stretches(question, passages, hits, rarity, encode)
    relevance = Relevance(question, rarity, encode)
    chosen = _choose(relevance, candidates, most, _first_passage(relevance, passages, hits))
    chosen = _with_guide(relevance, chosen, passages, hits)
    coverage = share_of(_terms_held(chosen, wanted), rarity)
    refused = refused if _may_say_what_is_asked(question, chosen) else True
    if refused is None:
        # An answer is shorter than what speaks for there being one.
        alike = max((one.likeness for one in candidates), default=0.0)
        covered_share = share_of(_terms_held(candidates, wanted), rarity)
        refused = bool(missing) or (covered_share < _LEAST_COVERAGE and alike < _LEAST_SIMILARITY)
    quotes = () if refused else tuple(_quotes_of(question, chosen))
    others = _passages_besides(quotes, passages[: len(hits)])
    if quotes:
        text = text_of_quotes(quotes, others=others)
    else:
        text = UNMENTIONED.format(" or ".join(map(repr, missing))) if missing else NOTHING
    return ExtractiveAnswer(text, quotes, bool(quotes), coverage, others=others)


def _passages_besides(quotes: Sequence[Quote], passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the best passages that are not quoted; none if nothing is."""
    quoted = {quote.n for quote in quotes}
    return tuple(passage for passage in passages if quotes and passage.n not in quoted)[:_OTHERS]


def _may_say_what_is_asked(question: str, chosen: Sequence[_ScoredStretch]) -> bool:
    """Return whether quotes of documents state an amount if the question asks for one; code computes it instead."""
    if not asks_amount(question) or any(one.stretch.code for one in chosen):
        return True
    return any(says_amount(question, f"{one.stretch.section}\n{one.stretch.text}") for one in chosen)


def speaks(question: str, passages: Sequence[Passage], encode: Encode | None = None) -> bool:
    """Return whether passages seem to hold an answer: the same as ``answer(...).known``, but mostly much faster.

    One stretch that holds enough of the question suffices; quotes are chosen only if there is none. A server calls this
    for every turn, and choosing quotes takes longer than searching.
    """
    wanted = wanted_terms(question)
    rarity = rarity_of(wanted, passages)
    stretches = (stretch for passage in passages for stretch in stretches_of(passage))
    if any(share_of(stretch.terms & wanted, rarity) >= _LEAST_COVERAGE for stretch in stretches):
        return True
    return answer(question, passages, encode).known


class ExtractiveModel:
    """``answer`` behind the ``Model`` protocol, for one question; the request's messages are not read."""

    name = "extractive"
    capabilities = Capabilities()

    def __init__(self, question: str, passages: Sequence[Passage], encode: Encode | None = None) -> None:
        self._question = question
        self._passages = passages
        self._encode = encode

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Yield the answer quote by quote and, last, ``Finished`` without any tokens used."""
        text = answer(self._question, self._passages, self._encode).text
        pieces = text.split("\n\n")
        for number, piece in enumerate(pieces, 1):
            yield TextDelta(piece if number == len(pieces) else f"{piece}\n\n")
        yield Finished(reason="stop", usage=Usage(0, 0, reported=False), model=self.name)


class _ScoredStretch(NamedTuple):
    """The best stretch of a passage.

    Attributes:
        stretch: the lines that would be quoted.
        terms: the question's terms that it holds.
        likeness: similarity to the question, 0 to 1; 0 without an embedder.
        behind: how far the passage's score is behind the first one's.
        found_lines: first and last line of the chunk that was found.
        defines: the names that its passage defines.
    """

    stretch: Stretch
    terms: frozenset[str]
    likeness: float
    behind: float
    found_lines: tuple[int, int]
    defines: tuple[str, ...] = ()


def _best_stretches(
    question: str,
    passages: Sequence[Passage],
    hits: Sequence[Hit],
    rarity: Mapping[str, float],
    encode: Encode | None,
) -> list[_ScoredStretch]:
    """Return the best stretch of each of the best passages that has anything to do with the question."""
    wanted = frozenset(rarity)
    count = len(passages) if asks_for_several(question) else _PASSAGES
    distances = [_points_behind(rank, passage, hits) for rank, passage in enumerate(passages[:count])]
    every = [
        (rank, stretch) for rank, (_, span) in enumerate(distances) for stretch in stretches_of(passages[rank], span)
    ]
    likenesses = _likenesses(question, [stretch for _, stretch in every], encode)
    best: dict[int, tuple[float, _ScoredStretch]] = {}
    for (rank, stretch), likeness in zip(every, likenesses, strict=True):
        behind, span = distances[rank]
        one = _ScoredStretch(stretch, stretch.terms & wanted, likeness, behind, span, _names_defined(rank, hits))
        worth = share_of(one.terms, rarity) + max(0.0, likeness)
        if worth < _LEAST_WORTH:
            continue
        worth += _OF_FOUND * _shown_of(stretch, span) + _OF_PASSAGE * stretch.code * _of_passage(stretch)
        if rank not in best or worth > best[rank][0]:
            best[rank] = worth, one
    return [one for _, one in best.values()]


def _points_behind(rank: int, passage: Passage, hits: Sequence[Hit]) -> tuple[float, tuple[int, int]]:
    """Return how far a passage's score is behind the first one's, and the lines of the chunk that was found."""
    if rank >= len(hits):
        return _BEHIND_UNKNOWN * rank, (passage.start_line, passage.end_line)
    hit = hits[rank]
    span = hit.ranked_span or hit.chunk.span
    return max(0.0, hits[0].score - hit.score), (span.start_line, span.end_line)


def _names_defined(rank: int, hits: Sequence[Hit]) -> tuple[str, ...]:
    return hits[rank].chunk.defines if rank < len(hits) else ()


def _shown_of(stretch: Stretch, span: tuple[int, int]) -> float:
    """Return the share of the found chunk's lines that a stretch shows."""
    first, last = span
    parts = [stretch.lines_of(*part) for part in stretch.parts]
    shared = sum(max(0, min(last, end) - max(first, begin) + 1) for begin, end in parts)
    return min(1.0, shared / (last - first + 1))


def _of_passage(stretch: Stretch) -> float:
    return (stretch.end - stretch.start) / len(stretch.passage.text)


def _terms_held(stretches: Sequence[_ScoredStretch], wanted: frozenset[str]) -> frozenset[str]:
    """Return the question's terms that stretches, or the paths and names of their passages, hold."""
    return frozenset().union(*(wanted & (one.stretch.terms | label_terms(one.stretch.passage)) for one in stretches))


def _likenesses(question: str, stretches: Sequence[Stretch], encode: Encode | None) -> list[float]:
    if encode is None or not stretches:
        return [0.0] * len(stretches)
    vectors = encode([question, *(stretch.text for stretch in stretches)])
    return [float(value) for value in vectors[1:] @ vectors[0]]


def _first_passage(relevance: Relevance, passages: Sequence[Passage], hits: Sequence[Hit]) -> _ScoredStretch | None:
    """Return what tells most of the first passage; None if it is empty or too long.

    A passage with nearly the same score comes before a list of links, unless the question may ask for links.
    """
    if not hits or not passages:
        return None
    ranks = [0] if _ASKS_WHERE.search(relevance.question) else [*range(min(len(hits), len(passages), _PASSAGES))]
    near = [rank for rank in ranks if _points_behind(rank, passages[rank], hits)[0] <= _NEAR]
    rank = next((rank for rank in near if not is_list_of_links(passages[rank].text)), 0)
    if asks_default(relevance.question):
        # Where a name is asked about, the rest may be another question: "the default of x, and the least allowed".
        about = content_terms(" ".join(names_of_code(relevance.question))) or relevance.rarity.keys()
        rank = next((at for at, one in enumerate(passages) if says_default(one.text, about)), rank)
    return _of_whole_passage(relevance, rank, passages, hits)


def _with_guide(
    relevance: Relevance, chosen: list[_ScoredStretch], passages: Sequence[Passage], hits: Sequence[Hit]
) -> list[_ScoredStretch]:
    """Return stretches with a document's section on the subject if code comes first for "how do I ..."."""
    question, rarity = relevance.question, relevance.rarity
    if not rarity or not chosen or not hits or not chosen[0].stretch.code or not _ASKS_HOW_TO.search(question):
        return chosen
    near = passages[: len(hits)]
    shares = [guide_share(one, rarity, _points_behind(rank, one, hits)[0]) for rank, one in enumerate(near)]
    rank = shares.index(max(shares))
    guide = _of_whole_passage(relevance, rank, passages, hits) if shares[rank] else None
    if guide is None:
        return chosen
    rest = [one for one in chosen if one.stretch.passage is not guide.stretch.passage]
    return [guide, *rest] if share_of_section(passages[rank], rarity) >= _OF_GUIDE else [rest[0], guide, *rest[1:]]


def _of_whole_passage(
    relevance: Relevance, rank: int, passages: Sequence[Passage], hits: Sequence[Hit]
) -> _ScoredStretch | None:
    """Return what tells most of a passage; None if it is empty or too long."""
    passage = passages[rank]
    if len(passage.text) > _LONGEST_WHOLE:
        return None
    behind, span = _points_behind(rank, passage, hits)
    rarity = relevance.rarity
    stretch = whole_passage(passage, span, weight_of_texts(relevance.question, rarity, prose=is_prose(passage)))
    if stretch is None:
        return None
    stretch = _narrowed(stretch, span, relevance)
    return _ScoredStretch(stretch, stretch.terms & rarity.keys(), 0.0, behind, span, _names_defined(rank, hits))


def _narrowed(whole: Stretch, found_lines: tuple[int, int], relevance: Relevance) -> Stretch:
    """Return the part of a stretch that tells most; all of it if that part lacks the amount or default asked for."""
    question = relevance.question
    part = telling_part(whole, found_lines, relevance)
    about = content_terms(" ".join(names_of_code(question))) or relevance.rarity.keys()
    lacks_amount = asks_amount(question) and says_amount(question, whole.text) > says_amount(question, part.text)
    lacks_default = asks_default(question) and says_default(whole.text, about) > says_default(part.text, about)
    return whole if lacks_amount or lacks_default else part


def _choose(
    relevance: Relevance, best: Sequence[_ScoredStretch], most: int, first: _ScoredStretch | None
) -> list[_ScoredStretch]:
    """Return the stretch that answers best, and those of other passages that may answer too, or one a document.

    Args:
        relevance: tells how much of the question a text holds.
        best: the best stretch of each passage.
        most: how many are chosen at most.
        first: the stretch that comes first in any case; None to choose it by its words.
    """
    question, rarity = relevance.question, relevance.rarity

    def worth(one: _ScoredStretch) -> float:
        return share_of(one.terms, rarity) + max(0.0, one.likeness) - _BEHIND * one.behind

    rest = sorted(best, key=worth, reverse=True)
    if first is not None:
        rest = [first, *(one for one in rest if one.stretch.passage is not first.stretch.passage)]
    if not rest or most < 2:
        return rest[:most]
    behind = [one for one in rest[1:] if not _says_nothing_more(question, one, rest[0])]
    if not _ASKS_TESTS.search(question):
        behind.sort(key=lambda one: profile_path(one.stretch.passage.path).test)
    if asks_for_several(question):
        return _one_of_each_document([rest[0], *behind], most + 2)
    near = _NEAR if rest[0].stretch.code else _NEAR_OF_PROSE
    weight = weight_of_texts(question, rarity, prose=False)
    further = (
        one._replace(stretch=_narrowed(without_neighbours(one.stretch, weight), one.found_lines, relevance))
        for one in behind
        if one.behind - rest[0].behind <= near
    )
    enough = _ENOUGH + _ENOUGH_MORE * max(0, most - MOST)
    return _enough_to_read([rest[0], *islice(further, most - 1)], enough)


def _says_nothing_more(question: str, one: _ScoredStretch, first: _ScoredStretch) -> bool:
    """Return whether a stretch repeats the first one or the question, or is a licence or a list of links."""
    asks = one.stretch.code and question.strip().casefold() in one.stretch.text.casefold()
    licence = _LICENCE.search(one.stretch.passage.path) and not _LICENCE.search(first.stretch.passage.path)
    links = not _ASKS_WHERE.search(question) and is_list_of_links(one.stretch.text)
    return asks or links or bool(licence) or one.stretch.text in first.stretch.text


def _enough_to_read(candidates: Sequence[_ScoredStretch], enough: int) -> list[_ScoredStretch]:
    """Return the first stretches, as many as hold ``enough`` characters, but at least two."""
    chosen: list[_ScoredStretch] = []
    for one in candidates:
        if len(chosen) < _FEWEST_READ or sum(len(before.stretch.text) for before in chosen) < enough:
            chosen.append(one)
    return chosen


def _one_of_each_document(candidates: Sequence[_ScoredStretch], most: int) -> list[_ScoredStretch]:
    """Return the best stretch of each document whose score is near enough to the best."""
    chosen: dict[str, _ScoredStretch] = {}
    room = _MOST_OF_SEVERAL
    for one in candidates:
        if room > 0 and len(chosen) < most and one.behind - candidates[0].behind <= _NEAR_OF_SEVERAL:
            if one.stretch.passage.path not in chosen:
                room -= len(one.stretch.text)
            chosen.setdefault(one.stretch.passage.path, one)
    return list(chosen.values())


def _quotes_of(question: str, chosen: Sequence[_ScoredStretch]) -> Iterator[Quote]:
    """Yield stretches as quotes, those as further ones that are less than half as likely to answer as the first.

    Code is less likely below a guide, if a user asks how something is done.
    """
    guided = not chosen[0].stretch.code and _ASKS_HOW_TO.search(question) is not None if chosen else False
    several = asks_for_several(question)
    for one in chosen:
        further = not several and ((guided and one.stretch.code) or one.behind - chosen[0].behind >= _HALF)
        yield from (quote._replace(further=further) for quote in _quotes_of_stretch(one))


def _quotes_of_stretch(one: _ScoredStretch) -> list[Quote]:
    """Return a stretch as quotes: one, or two if lines are left out between a definition's head and the answer."""
    stretch, passage = one.stretch, one.stretch.passage
    quotes: list[Quote] = []
    for start, end in stretch.parts:
        first, last = stretch.lines_of(start, end)
        text = passage.text[start:end]
        label = _label(one, first, last)
        goes_on, language = bool(quotes), passage.language
        quotes.append(
            Quote(passage.n, passage.path, first, last, text, stretch.code, goes_on, label, language, passage.text)
        )
    return quotes


def _label(one: _ScoredStretch, first: int, last: int) -> str:
    """Return a quote's origin: its section, or the definitions that it shows or is a part of."""
    stretch, passage = one.stretch, one.stretch.passage
    if stretch.code:
        found = one.found_lines[0] <= last and first <= one.found_lines[1]
        return label_of_code(passage, one.defines, (first, last), found=found)
    section = stretch.section or (passage.symbol or "").rpartition(" > ")[2]
    return label_of(passage.title or "", stretch.page, section)
