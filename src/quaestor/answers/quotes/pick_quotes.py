"""Answers without a language model: quotes the best passages and cites them.

Passages come in the order of the search. Prose is put in a new order, by each passage's paragraph that is nearest to
the question and by the number of hits in its document; code keeps its order, behind a section whose heading is the
question. ``best_stretches`` chooses what is quoted of them. Every quote is a verbatim part of its passage.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

from quaestor.answers.quotes.best_stretches import (
    ASKS_HOW_TO,
    MOST,
    ScoredStretch,
    best_stretches,
    choose,
    first_passage,
    with_guide,
)
from quaestor.answers.quotes.passage_order import (
    Encode,
    is_headed,
    label_terms,
    order_by_paragraphs,
    rarity_of,
    share_of,
)
from quaestor.answers.quotes.quotable_stretches import stretches_of
from quaestor.answers.quotes.quotes_in_markdown import LEAD, UNSURE, Quote, label_of, label_of_code, text_of_quotes
from quaestor.answers.quotes.telling_parts import Relevance
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.core.messages import Usage
from quaestor.core.questions import asks_amount, asks_for_several, says_amount
from quaestor.core.terms import content_terms
from quaestor.core.wording import WITHOUT_MODEL
from quaestor.llm.models import Delta, Finished, Request, TextDelta
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.search.language import without_grammar

NOTHING = f"{WITHOUT_MODEL}, and nothing in the passages answers the question clearly enough to quote."
UNMENTIONED = f"{WITHOUT_MODEL}, and nothing here mentions {{}}."
NOT_FOUND = f"{WITHOUT_MODEL}, and no passage that was found mentions {{}}."

# Only where both fail is a question refused. They are low, since people ask in words of their own: higher ones refused
# a quarter of the questions that a corpus answers, and no more of those that it does not but that are close to it.
_LEAST_COVERAGE = 0.17
_LEAST_SIMILARITY = 0.5

_HALF = math.log(2)
"""The points from which on a passage is less than half as likely to answer as the first one."""
_OTHERS = 4
"""The most places that are named below the quotes; with ten, hardly more answers would have the right one."""


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
    wanted = content_terms(without_grammar(question))
    rarity = rarity_of(wanted, passages)
    if encode is not None and not asks_for_several(question):
        passages, hits = order_by_paragraphs(question, passages, hits, rarity, encode)
    refused = refused and not (passages and is_headed(question, passages[0], 1))
    candidates = best_stretches(question, passages, hits, rarity, encode)
    relevance = Relevance(question, rarity, encode)
    chosen = choose(relevance, candidates, most, first_passage(relevance, passages, hits))
    chosen = with_guide(relevance, chosen, passages, hits)
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


def _may_say_what_is_asked(question: str, chosen: Sequence[ScoredStretch]) -> bool:
    """Return whether quotes of documents state an amount if the question asks for one; code computes it instead."""
    if not asks_amount(question) or any(one.stretch.code for one in chosen):
        return True
    return any(says_amount(question, f"{one.stretch.section}\n{one.stretch.text}") for one in chosen)


def speaks(question: str, passages: Sequence[Passage], encode: Encode | None = None) -> bool:
    """Return whether passages seem to hold an answer: the same as ``answer(...).known``, but mostly much faster.

    One stretch that holds enough of the question suffices; quotes are chosen only if there is none. A server calls this
    for every turn, and choosing quotes takes longer than searching.
    """
    wanted = content_terms(without_grammar(question))
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


def _terms_held(stretches: Sequence[ScoredStretch], wanted: frozenset[str]) -> frozenset[str]:
    """Return the question's terms that stretches, or the paths and names of their passages, hold."""
    return frozenset().union(*(wanted & (one.stretch.terms | label_terms(one.stretch.passage)) for one in stretches))


def _quotes_of(question: str, chosen: Sequence[ScoredStretch]) -> Iterator[Quote]:
    """Yield stretches as quotes, those as further ones that are less than half as likely to answer as the first.

    Code is less likely below a guide, if a user asks how something is done.
    """
    guided = not chosen[0].stretch.code and ASKS_HOW_TO.search(question) is not None if chosen else False
    several = asks_for_several(question)
    for one in chosen:
        further = not several and ((guided and one.stretch.code) or one.behind - chosen[0].behind >= _HALF)
        yield from (quote._replace(further=further) for quote in _quotes_of_stretch(one))


def _quotes_of_stretch(one: ScoredStretch) -> list[Quote]:
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


def _label(one: ScoredStretch, first: int, last: int) -> str:
    """Return a quote's origin: its section, or the definitions that it shows or is a part of."""
    stretch, passage = one.stretch, one.stretch.passage
    if stretch.code:
        found = one.found_lines[0] <= last and first <= one.found_lines[1]
        return label_of_code(passage, one.defines, (first, last), found=found)
    section = stretch.section or (passage.symbol or "").rpartition(" > ")[2]
    return label_of(passage.title or "", stretch.page, section)
