"""Whether hits answer a question at all, judged before anything is quoted.

Six signals need no model: names in the question that the corpus never mentions, the share of its words that occur
nowhere, a word that it is about and no hit mentions, the first hit's lead over the rest, its similarity to the
question, and, of prose, the word of the question of which it says least. A hit that answers fits the question better
than its neighbours do; without one, the ten best are about equally good. A better first hit, a longer lead and a higher
similarity never lead to a refusal; a name or word that is missing never prevents one. A short question of one word that
the first hit says is never refused: none of the signals tells its answers from others. The weights were learned, by
logistic regression and a grid of round numbers around what it gave, from the part ``learn`` of two sets: questions
asked with and without the files that answer them, and near misses. They are in the ranker's units, which differ between
code and prose: another ranker needs new thresholds, which ``benchmarks/refusals.py`` prints. ``unmentioned`` finds the
names and words.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence

from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import find_words, has_unspaced
from quaestor.corpus.unmentioned import (
    UNSAID_BY_ANSWERS,
    missing_words,
    says_only_word,
    share_held,
    share_uncovered,
    share_unknown,
)
from quaestor.embedding.static import StaticEmbedder
from quaestor.search.certain_hits import STEP
from quaestor.search.language import language_of
from quaestor.search.query import read_query
from quaestor.search.spelling import UnknownWord, is_foreign
from quaestor.stores import TermCounts

_FIRST, _FIRST_OF_PROSE = 0.33, 0.1
"""Weight of the first score, if most hits are code, and if most are prose."""
_LEAD = 0.67
_NAMES = 3.2
_NAMED = -1.0
"""The highest score of hits if the question names something that the corpus never mentions."""
_ALIKE = 6.5
"""Weight of the first hit's similarity to the question."""
_ALIKE_UNSPACED = 0.54
"""The similarity assumed where question and hit are in one language without blanks between words."""
_ALIKE_LEAST, _ALIKE_BY_WORDS = 0.15, 0.62
"""The same in languages other than English: the least, and its growth with the share of the question that the hits
hold."""
_ALIKE_OF_NAMES = 0.25
"""The similarity assumed for a name, a path or a trace, which have no meaning to compare."""
_ABSENT = 1.2
"""Weight of the share of absent words. It is small, because a small corpus lacks most everyday words."""
_UNSAID = 6.0
"""The penalty for a word of the question that the first hit of prose does not cover, times the word's share of the
question."""
_MISSED = 2.2
"""Penalty if the whole query is a name or a path and no certain hit was found."""
_LEAST, _LEAST_OF_PROSE = 5.0, 4.5
"""The least score of hits that answer, if most are code, and if most are prose."""
_SURE = 1.0
"""The score from which on hits surely answer; below it, the first quote holds the answer half as often."""
_HIGHEST = 15.0
_LONGEST_LEAD = 6.0
_FEWEST = 10
"""The fewest hits for which a lead is computed."""
_BETWEEN_PARAGRAPHS = re.compile(r"\n\s*\n")
_ITEMS = re.compile(r"\n(?=[ \t]*(?:[-*+•]|\(?\w{1,3}[.)])[ \t]+\S)")
_FEWEST_WORDS = 4
_PLAIN = re.compile(r"[^\W\d]+|[^\W\d_]+/\d+(?:\.\d+)*")
"""A name without digits, or with its version; numbers, paths and the like may be values in a message."""
_CARRIED = re.compile(r"(?=.*[a-z_])[A-Za-z_]+[A-Z_][A-Za-z_]*|[A-Z]{3,}|[A-Za-z]+/\d+(?:\.\d+)*")
"""A name in any language: with a capital letter within, an underscore or a version, or of three capitals and more."""


class Doubt(NamedTuple):
    """Reasons to doubt that the hits answer.

    Attributes:
        names: names in the question that the corpus never mentions.
        worth: how surely the hits answer: 0 and above if they do; None if there are too few hits.
        missing: words that the question is about, and that no hit mentions.
    """

    names: tuple[str, ...] = ()
    worth: float | None = None
    missing: tuple[str, ...] = ()

    @property
    def refuses(self) -> bool | None:
        """Whether to refuse an answer; None if only quotes can decide."""
        if self.worth is None:
            return True if self.names else None
        return self.worth < 0

    @property
    def is_unsure(self) -> bool:
        """Whether an answer is given that may well be wrong; False if that is unknown."""
        return self.worth is not None and 0 <= self.worth < _SURE


def doubt_about(
    question: str,
    hits: Sequence[Hit],
    names: Sequence[str],
    unknown: Sequence[UnknownWord],
    counts: Sequence[TermCounts],
    original: str = "",
) -> Doubt:
    """Return the doubt whether hits answer a question, by all signals.

    Args:
        question: the question as it was searched.
        hits: the hits of a ranked search for the question, best first.
        names: the names as ``unmentioned_names`` returns them.
        unknown: the words of the question that the corpora lack.
        counts: the counts of ``terms_of_words(question)`` in the stores that were searched.
        original: the question in its own language, if it was translated for the search.
    """
    absent, alike = share_unknown(question, unknown), likeness(question, hits)
    unsaid = share_uncovered(question, hits, counts)
    missing = missing_words(question, hits, counts, original)
    doubt = doubt_of(question, hits, names, absent, alike=alike, uncovered=unsaid, translated=bool(original))
    if doubt.worth is None:
        return doubt
    if not doubt.names and says_only_word(question, hits[0]):
        return doubt._replace(worth=max(doubt.worth, 0.0))
    return doubt._replace(worth=doubt.worth - _NAMES * bool(missing), missing=missing)


def doubt_of(
    question: str,
    hits: Sequence[Hit],
    names: Sequence[str],
    unknown_share: float = 0.0,
    *,
    alike: float,
    uncovered: float = UNSAID_BY_ANSWERS,
    translated: bool = False,
) -> Doubt:
    """Return the doubt whether hits answer a question.

    Names in an error message do not count, because they may be values of another machine. In other languages than
    English only names that are not written like words count (``GraphQL``, ``insert_all``, ``HTTP/3``).

    Args:
        question: the question as it was searched.
        hits: the hits of a ranked search for the question, best first.
        names: the names as ``unmentioned_names`` returns them.
        unknown_share: the share of unknown words, as ``share_unknown`` returns it.
        alike: the first hit's similarity to the question, as ``likeness`` returns it.
        uncovered: the share of the question that no hit covers, as ``share_uncovered`` returns it.
        translated: whether the question was translated for the search.
    """
    foreign, kind = translated or is_foreign(question), read_query(question).kind
    counted = () if kind == "trace" else tuple(name for name in names if not foreign or _CARRIED.fullmatch(name))
    if len(hits) < _FEWEST:
        return Doubt(counted)
    certain = hits[0].score > STEP / 2
    first, lead = (_HIGHEST, _LONGEST_LEAD) if certain else _score_and_lead([hit.score for hit in hits[:_FEWEST]])
    near = alike if kind == "text" else _ALIKE_OF_NAMES
    prose = _is_mostly_prose(hits)
    worth = (_FIRST_OF_PROSE if prose else _FIRST) * first + _LEAD * lead + _ALIKE * near
    worth -= _NAMES * bool(counted)
    if prose and kind == "text":
        worth -= _UNSAID * (uncovered - UNSAID_BY_ANSWERS)
    if not foreign and kind != "trace":
        worth -= _ABSENT * unknown_share
    if kind in ("symbol", "path") and not certain and not question.strip().islower():
        worth -= _MISSED
    worth -= _LEAST_OF_PROSE if prose else _LEAST
    return Doubt(counted, min(worth, _NAMED) if kind == "text" and any(map(_PLAIN.fullmatch, counted)) else worth)


def likeness(question: str, hits: Sequence[Hit]) -> float:
    """Return the similarity in meaning of the first hit to a question, from -1 to 1; 0 without a hit.

    It is a cosine by the bundled embedder, because the weights fit its scale. Code is compared with the question moved
    towards answers, as in a search, because the two share few words. For prose the nearest paragraph counts, because a
    passage says much besides; for prose among code, the nearer of the two. In other languages than English the cosine
    says nothing (words of grammar and pieces of words make any two texts of a language alike); there the share of the
    question counts whose words are held.
    """
    if not hits:
        return 0.0
    embedder, text, among_code = StaticEmbedder.bundled(), hits[0].text, not _is_mostly_prose(hits)
    if (language := language_of(question)) and language_of(text) == language:
        if has_unspaced(question):
            return _ALIKE_UNSPACED
        return _ALIKE_LEAST + _ALIKE_BY_WORDS * share_held(question, hits)
    rows = _rows(hits[0])
    if among_code and hits[0].document.language not in PROSE and not rows:
        return float(embedder.question(question) @ embedder.encode([text])[0])
    query, *paragraphs = embedder.encode([question, text, *(rows or _paragraphs(text))])
    similarities = [embedder.question(question) @ paragraphs[0]] if among_code else []
    return float(max([*similarities, *(query @ one for one in paragraphs)]))


def _is_mostly_prose(hits: Sequence[Hit]) -> bool:
    best = hits[:_FEWEST]
    return 2 * sum(hit.document.language in PROSE for hit in best) > len(best)


def _rows(hit: Hit) -> Sequence[str]:
    """Return the lines of a chunk that is named for the columns of its table, each with these names; else none."""
    amid = hit.document.language == "csv" or (hit.document.language in PROSE and hit.text.startswith("|"))
    return [f"{hit.symbol}\n{row}" for row in hit.text.split("\n") if row.strip()] if amid and hit.symbol else []


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the parts of a text between blank lines, and the items of its lists, that have some words."""
    parts = [part for block in _BETWEEN_PARAGRAPHS.split(text) for part in (block, *_ITEMS.split(block))]
    return (part for part in dict.fromkeys(parts) if len(find_words(part)) >= _FEWEST_WORDS)


def _score_and_lead(scores: Sequence[float]) -> tuple[float, float]:
    """Return the first hit's score and its lead over the mean of the rest, each capped."""
    lead = scores[0] - statistics.fmean(scores[1:])
    return min(scores[0], _HIGHEST), min(lead, _LONGEST_LEAD)
