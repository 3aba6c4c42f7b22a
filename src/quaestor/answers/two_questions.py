"""Answers a question that is two: what the project or a name is, and something else about it.

Examples are "What is this and how do I build it?" and "what is src/a.py for, and who uses it?". One search for both
would answer neither.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from quaestor.answers.callers import answer_with_callers
from quaestor.answers.drafts import CorpusLines, Draft
from quaestor.answers.explain_name import explain_name
from quaestor.answers.overview.overview_answer import answer_with_overview, introduce, wants_overview
from quaestor.answers.overview.overview_question import asks_for_more_than_what_it_is, asks_how_to_build
from quaestor.answers.passage_order import without_restated
from quaestor.answers.quotes import answer
from quaestor.answers.way import Question, WayAnswer
from quaestor.core.terms import content_terms
from quaestor.corpus import Corpus
from quaestor.llm.prompts.numbered_passages import number
from quaestor.search.names_in_question import names_of_code

_LONGEST = 300
_PASSAGES = 10
_ASKS = (
    r"how|what|which|where|who|why|when|can|does|do|is|are"
    r"|wie|was|welche|wo|wer|warum|comment|que|quelle?s?|où|pourquoi|cómo|qué|cuál|dónde|por"
)
_BETWEEN = re.compile(
    rf"[?.;!]\s+(?:and\s+)?|,?\s+(?:and|und|et|y)\s+(?=(?:{_ASKS})\b)|,\s+(?=(?:{_ASKS})\b)|[，。？]", re.I
)
_WHAT_AND_WHO = re.compile(
    r"^(\W*what(?:'s|\s+(?:is|are|does|do))\b.+?),?\s+and\s+((?:who|what|where|which)\b.*?\b)(?:it|that|this|they|them)\b(.*)$",
    re.I | re.S,
)
"""What a name is, and what of that: the second part names it by a pronoun."""
_NO_REST = "Nothing here answers the rest of the question clearly enough to quote.\n"


def answer_two_questions(
    question: Question, corpus: Corpus, answer: Callable[[Question, Corpus], WayAnswer | None]
) -> WayAnswer | None:
    """Answer what the project or a name is, and a second question; None for a question that does not ask both.

    Args:
        question: the question.
        corpus: the corpus that it is about.
        answer: answers one question by a way, or returns None.
    """
    match = _WHAT_AND_WHO.match(question.text[:_LONGEST])
    if match is not None and (explained := _explain_with_uses(question, match, corpus)) is not None:
        return explained
    both = _split_questions(question, corpus)
    if both is None:
        return None
    about, besides = both
    if asks_for_more_than_what_it_is(about):
        first = answer_with_overview(replace(question, text=about), corpus)
        if asks_how_to_build(besides):
            return first  # which an overview tells as well
    else:
        first = introduce(corpus)
    rest = answer(replace(question, text=besides), corpus) or _quote_passages(besides, corpus)
    return None if first is None else _join_answers(first, rest)


def _explain_with_uses(question: Question, match: re.Match[str], corpus: Corpus) -> WayAnswer | None:
    """Answer what a name is and who uses it; None if the question names nothing, or asks something else about it."""
    about, before, after = match.groups()
    names = names_of_code(about)
    if len(names) != 1:
        return None
    users = answer_with_callers(replace(question, text=f"{before}`{names[0]}`{after}"), corpus)
    first = explain_name(replace(question, text=f"{about}?"), corpus) if users is not None else None
    return None if first is None or users is None else _join_answers(first, users)


def _split_questions(question: Question, corpus: Corpus) -> tuple[str, str] | None:
    """Return the question about the project and the second question; None if there are not two."""
    text = question.text.strip()
    if len(text) > _LONGEST or "\n" in text or wants_overview(question, corpus):
        return None
    for match in _BETWEEN.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if wants_overview(replace(question, text=before), corpus):
            return (before, after) if content_terms(after) else None
        # After anything else, "where do I begin?" is where to begin with that.
        if asks_how_to_build(before) and wants_overview(replace(question, text=after), corpus):
            return after, before
    return None


def _quote_passages(text: str, corpus: Corpus) -> WayAnswer:
    sought = corpus.in_english(text)
    hits = without_restated(text, corpus.search(sought, _PASSAGES))
    doubt = corpus.doubt(sought, hits, translated=sought != text)
    encode = corpus.meaning.local_embedder.encode
    quotes = answer(sought, number(hits), encode, missing=doubt.names, refused=doubt.refuses, hits=hits)
    lines, draft = CorpusLines(corpus), Draft()
    symbols = dict(enumerate((hit.symbol for hit in hits), 1))
    for quote in quotes.quotes:
        draft.quote(lines.hit(quote.path, quote.start_line, quote.end_line, symbols.get(quote.n)))
    return draft.finish("quotes")


def _join_answers(first: WayAnswer, rest: WayAnswer) -> WayAnswer:
    """Return one answer after the other."""
    if not rest.known or not rest.pieces:
        return replace(first, pieces=(*first.pieces, f"\n{_NO_REST}"))
    moved = [piece if isinstance(piece, str) else piece + len(first.hits) for piece in rest.pieces]
    if isinstance(moved[0], str):
        ended = isinstance(first.pieces[-1], str) and first.pieces[-1].endswith("\n")
        moved[0] = ("\n" if ended else "\n\n") + moved[0].lstrip("\n")
    return WayAnswer(first.way, (*first.pieces, *moved), (*first.hits, *rest.hits))
