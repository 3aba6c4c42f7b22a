"""Chooses the stretches of passages that answer a question best, within what is enough to read.

If the search gave scores, the first passage is shown up to sections at its edges that hold little of the question, and
narrowed to the part that tells most if it is long. If that is little to read, stretches of passages with nearly the
same score follow. Each is chosen by the rarity of the question's words in it, by its similarity to the question, and by
how much it shows of the chunk that was found. If a question asks for several things, one stretch of each document is
shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from quaestor.answers.quotes.paragraphs import is_list_of_links
from quaestor.answers.quotes.passage_order import (
    Encode,
    guide_share,
    headed_paragraph,
    share_of,
    share_of_section,
    weight_of_texts,
)
from quaestor.answers.quotes.quotable_stretches import (
    Stretch,
    is_prose,
    stretches_of,
    whole_passage,
    without_neighbours,
)
from quaestor.answers.quotes.telling_parts import Relevance, telling_part
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.core.questions import asks_amount, asks_default, asks_for_several, says_amount, says_default
from quaestor.core.terms import content_terms
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.search.joined_passages import DEFINITION, LARGEST
from quaestor.search.names_in_question import names_of_code
from quaestor.search.path_roles import profile_path

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
_ENOUGH = 2800
"""From this many quoted characters on, no further passage is quoted, unless the question asks for several things."""
_ENOUGH_MORE = 1200
"""The characters that are added to it for each quote beyond the usual number."""
_FEWEST_READ = 2
"""The number of passages that are quoted in any case, because the first may be one long definition."""
MOST, MOST_OF_UNSURE = 4, 5
"""The most quotes of an answer, and of one that may be wrong: the right place is then often a later one."""
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
ASKS_HOW_TO = re.compile(
    r"^\W*(?:how\s+(?:(?:do|can|could|should|would)\s+(?:i|we|you|one)\b|to\b)"
    r"|(?:can|could|do|does|is|may|must|should)\s+(?:i|it|one|there|they|we|you)\b)",
    re.IGNORECASE,
)
"""The beginning of a question by a user, which a document answers better than code."""
_OF_GUIDE = 0.6
"""The least share of the question, by the rarity of its words, in a guide that comes before code."""
_ASKS_TESTS = re.compile(r"\b(?:tests?|tested|testing|specs?|examples?)\b", re.IGNORECASE)


class ScoredStretch(NamedTuple):
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


def best_stretches(
    question: str,
    passages: Sequence[Passage],
    hits: Sequence[Hit],
    rarity: Mapping[str, float],
    encode: Encode | None,
) -> list[ScoredStretch]:
    """Return the best stretch of each of the best passages that has anything to do with the question."""
    wanted = frozenset(rarity)
    count = len(passages) if asks_for_several(question) else _PASSAGES
    distances = [_points_behind(rank, passage, hits) for rank, passage in enumerate(passages[:count])]
    every = [
        (rank, stretch) for rank, (_, span) in enumerate(distances) for stretch in stretches_of(passages[rank], span)
    ]
    likenesses = _likenesses(question, [stretch for _, stretch in every], encode)
    best: dict[int, tuple[float, ScoredStretch]] = {}
    for (rank, stretch), likeness in zip(every, likenesses, strict=True):
        behind, span = distances[rank]
        one = ScoredStretch(stretch, stretch.terms & wanted, likeness, behind, span, _names_defined(rank, hits))
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


def _likenesses(question: str, stretches: Sequence[Stretch], encode: Encode | None) -> list[float]:
    if encode is None or not stretches:
        return [0.0] * len(stretches)
    vectors = encode([question, *(stretch.text for stretch in stretches)])
    return [float(value) for value in vectors[1:] @ vectors[0]]


def first_passage(relevance: Relevance, passages: Sequence[Passage], hits: Sequence[Hit]) -> ScoredStretch | None:
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


def with_guide(
    relevance: Relevance, chosen: list[ScoredStretch], passages: Sequence[Passage], hits: Sequence[Hit]
) -> list[ScoredStretch]:
    """Return stretches with a document's section on the subject if code comes first for "how do I ..."."""
    question, rarity = relevance.question, relevance.rarity
    if not rarity or not chosen or not hits or not chosen[0].stretch.code or not ASKS_HOW_TO.search(question):
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
) -> ScoredStretch | None:
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
    return ScoredStretch(stretch, stretch.terms & rarity.keys(), 0.0, behind, span, _names_defined(rank, hits))


def _narrowed(whole: Stretch, found_lines: tuple[int, int], relevance: Relevance) -> Stretch:
    """Return the part of a stretch that tells most; all of it if that part lacks the amount or default asked for.

    A paragraph that has the question for its heading tells most in any case.
    """
    question = relevance.question
    headed = None if whole.code else headed_paragraph(question, whole.passage.text)
    if headed is not None and whole.start <= headed[0] < headed[1] <= whole.end:
        return replace(whole, start=headed[0], end=headed[1])
    part = telling_part(whole, found_lines, relevance)
    about = content_terms(" ".join(names_of_code(question))) or relevance.rarity.keys()
    lacks_amount = asks_amount(question) and says_amount(question, whole.text) > says_amount(question, part.text)
    lacks_default = asks_default(question) and says_default(whole.text, about) > says_default(part.text, about)
    return whole if lacks_amount or lacks_default else part


def choose(
    relevance: Relevance, best: Sequence[ScoredStretch], most: int, first: ScoredStretch | None
) -> list[ScoredStretch]:
    """Return the stretch that answers best, and those of other passages that may answer too, or one a document.

    Args:
        relevance: tells how much of the question a text holds.
        best: the best stretch of each passage.
        most: how many are chosen at most.
        first: the stretch that comes first in any case; None to choose it by its words.
    """
    question, rarity = relevance.question, relevance.rarity

    def worth(one: ScoredStretch) -> float:
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


def _says_nothing_more(question: str, one: ScoredStretch, first: ScoredStretch) -> bool:
    """Return whether a stretch repeats the first one or the question, or is a licence or a list of links."""
    asks = one.stretch.code and question.strip().casefold() in one.stretch.text.casefold()
    licence = _LICENCE.search(one.stretch.passage.path) and not _LICENCE.search(first.stretch.passage.path)
    links = not _ASKS_WHERE.search(question) and is_list_of_links(one.stretch.text)
    return asks or links or bool(licence) or one.stretch.text in first.stretch.text


def _enough_to_read(candidates: Sequence[ScoredStretch], enough: int) -> list[ScoredStretch]:
    """Return the first stretches, as many as hold ``enough`` characters, but at least two."""
    chosen: list[ScoredStretch] = []
    for one in candidates:
        if len(chosen) < _FEWEST_READ or sum(len(before.stretch.text) for before in chosen) < enough:
            chosen.append(one)
    return chosen


def _one_of_each_document(candidates: Sequence[ScoredStretch], most: int) -> list[ScoredStretch]:
    """Return the best stretch of each document whose score is near enough to the best."""
    chosen: dict[str, ScoredStretch] = {}
    room = _MOST_OF_SEVERAL
    for one in candidates:
        if room > 0 and len(chosen) < most and one.behind - candidates[0].behind <= _NEAR_OF_SEVERAL:
            if one.stretch.passage.path not in chosen:
                room -= len(one.stretch.text)
            chosen.setdefault(one.stretch.passage.path, one)
    return list(chosen.values())
