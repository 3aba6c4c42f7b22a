"""Searches for a turn of a conversation by two readings of the newest question, weighed by how likely each is.

The question either goes on with its topic or begins another. Under each reading the ranked search scores the chunks,
a softmax turns scores into probabilities, and the mixture of both ranks the chunks. A confident search so weighs more
than a vague one, and where the readings agree the result is the same as theirs.

When the topic goes on, two questions are kept apart: which files, and which place in a file. The replies' names tell
the files, but the places that define those names have been shown already; within a file the newest question decides.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Mapping

from quaestor.core.documents import Chunk, Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.search.chunk_traits import is_inline_test
from quaestor.search.path_roles import profile_path
from quaestor.search.query import read_query
from quaestor.search.ranker import diversify
from quaestor.search.retriever import Mode, Retriever
from quaestor.search.turns.query_policies import TurnQuery
from quaestor.stores import StoredChunk, Where

# With names, what is sought stands near the top; the newest question alone must reach far down to tell the places in
# the files that the names lead to.
_CANDIDATES_ALONE = 150
_CANDIDATES_GOING_ON = 50
# The temperature of the softmax, in the distance of the best score from the median: that holds for any ranker.
_TEMPERATURE = 0.3
# Distances that set chunks apart as whole groups, in the same unit.
_SHOWN = 1.5
_TEST = 2.0
# A question that is this unlikely to go on is searched alone; a likely one never quite surely goes on.
_SLIM = 0.1
_SURE = 0.99
_LEAST = 1e-9
_TEST_NAME = re.compile(r"tests?(?:_|$)|Tests?(?:[A-Z]|$)|(?:it|describe)\b")

Scores = Mapping[int, float]


class _ScoredChunks(NamedTuple):
    """The chunks that one reading finds; ``unit`` is the distance of the best score from the median."""

    chunks: Mapping[int, StoredChunk]
    scores: Scores
    unit: float


def search_turn(
    retriever: Retriever, turn: TurnQuery, k: int, *, mode: Mode = "ranked", where: Where | None = None
) -> list[Hit]:
    """Return up to ``k`` hits for a turn, best first; none when nothing matches.

    Modes other than ``ranked`` search for the turn's single text.
    """
    if mode != "ranked" or turn.text == turn.newest or turn.continuity < _SLIM:
        return retriever.search(turn.single, k, mode=mode, where=where)
    if turn.policy != "adaptive":
        return retriever.search(turn.text, k, where=where)
    alone = _find(retriever, turn.newest, max(_CANDIDATES_ALONE, k), where)
    going_on = _find(retriever, turn.text, max(_CANDIDATES_GOING_ON, k), where)
    chunks = {**alone.chunks, **going_on.chunks}
    if not chunks:
        return []
    scores = _mixed_probabilities(turn, alone, going_on)
    return _hits(retriever, chunks, scores, k)


def _find(retriever: Retriever, text: str, count: int, where: Where | None) -> _ScoredChunks:
    scored = retriever.score_candidates(retriever.in_words_of_corpus(read_query(text)), count, where)
    scores = {stored.id: score for stored, score in scored}
    unit = max(scores.values()) - statistics.median(scores.values()) if scores else 0.0
    return _ScoredChunks({stored.id: stored for stored, _ in scored}, scores, unit or 1.0)


def _mixed_probabilities(turn: TurnQuery, alone: _ScoredChunks, going_on: _ScoredChunks) -> dict[int, float]:
    """Return the logarithm of each chunk's probability, in units of the scores."""
    temperature = _TEMPERATURE * going_on.unit
    sure = min(turn.continuity, _SURE)
    first = _softmax(_going_on_scores(turn, alone, going_on), temperature)
    second = _softmax(alone.scores, _TEMPERATURE * alone.unit)
    return {
        number: temperature * math.log(sure * first.get(number, 0.0) + (1 - sure) * second.get(number, 0.0) + _LEAST)
        for number in {**first, **second}
    }


def _going_on_scores(turn: TurnQuery, alone: _ScoredChunks, going_on: _ScoredChunks) -> Scores:
    """Return scores on the assumption that the topic continues."""
    if turn.seeks_tests:
        boost = _TEST * going_on.unit
        return {number: score + boost * _is_test(going_on.chunks[number]) for number, score in going_on.scores.items()}
    return _scores_by_place(going_on, _place_scores(turn, alone, going_on))


def _place_scores(turn: TurnQuery, alone: _ScoredChunks, going_on: _ScoredChunks) -> Scores:
    """Return how well each chunk answers within its file: new to the conversation, and fitting the newest question."""
    missing = min(alone.scores.values(), default=0.0)
    shown = _SHOWN * going_on.unit
    return {
        number: score
        + alone.scores.get(number, missing)
        - shown * (not turn.identifiers.isdisjoint(name.lower() for name in going_on.chunks[number].chunk.defines))
        for number, score in going_on.scores.items()
    }


def _scores_by_place(scored: _ScoredChunks, places: Scores) -> Scores:
    """Return scores that order files by their best score, and the chunks of each file by ``places``."""
    best: dict[str, float] = {}
    first: dict[str, float] = {}
    for number, score in scored.scores.items():
        path = scored.chunks[number].document.path
        best[path] = max(score, best.get(path, -math.inf))
        first[path] = max(places[number], first.get(path, -math.inf))
    paths = {number: scored.chunks[number].document.path for number in places}
    return {number: best[paths[number]] - (first[paths[number]] - place) for number, place in places.items()}


def _is_test(stored: StoredChunk) -> bool:
    chunk = stored.chunk
    names = (*chunk.scope, chunk.symbol or "")
    return profile_path(stored.document.path).test or any(map(_TEST_NAME.match, names)) or is_inline_test(stored)


def _softmax(scores: Scores, temperature: float) -> Scores:
    best = max(scores.values(), default=0.0)
    shares = {number: math.exp((score - best) / temperature) for number, score in scores.items()}
    total = sum(shares.values())
    return {number: share / total for number, share in shares.items()}


def _hits(retriever: Retriever, chunks: Mapping[int, StoredChunk], scores: Scores, k: int) -> list[Hit]:
    """Return the best hits, no file flooding the list."""
    order = sorted(chunks, key=lambda number: (chunks[number].document.path, chunks[number].position))
    paths = [chunks[number].document.path for number in order]
    chosen = diversify([scores[number] for number in order], paths, retriever.ranker.decay, len(order))
    scored = [(chunks[order[index]], score) for index, score in chosen]
    passages = retriever.join([stored for stored, _ in scored], k)
    return [_hit(*scored[rank], chunk) for rank, chunk in passages]


def _hit(stored: StoredChunk, score: float, chunk: Chunk) -> Hit:
    """Return a passage as a hit; ``stored`` is the best of the chunks that it shows."""
    span = None if chunk is stored.chunk else stored.chunk.span
    return Hit(stored.document, chunk, score, chunk_id=stored.id, ranked_span=span)
