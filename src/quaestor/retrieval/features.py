"""The ranker's features: explicit measures of how a chunk fits a query.

All of them are computed from the query and the candidates alone. A ranker that was trained on one list of names
refuses another, so order and meaning here are part of the trained weights.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quaestor.retrieval.file_features import Told, agreement, file_features, group_by_file, path_features, weight_of
from quaestor.retrieval.likeness import likenesses
from quaestor.retrieval.phrases import Runs, read_runs, shares
from quaestor.retrieval.query import Query
from quaestor.retrieval.traits import FIXED, Traits, traits_of
from quaestor.stores import StoredChunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEATURES: tuple[str, ...] = (
    # the retrievers
    "lexical",
    "lexical_rank",
    "lexical_body",
    "lexical_symbol",
    "dense",
    "dense_relative",
    "dense_rank",
    # the words as they stand
    "phrase",
    "pairs",
    "pairs_relative",
    # its words by meaning, of prose only
    "likeness",
    # names
    "defines_name",
    "is_name",
    "symbol_coverage",
    "symbol_precision",
    "scope_coverage",
    # the path
    "stem_is_name",
    "stem_coverage",
    "stem_precision",
    "folder_coverage",
    "path_match",
    "line_match",
    # the file
    "file_lexical_sum",
    "file_lexical_best",
    "file_dense_best",
    "file_dense_mean",
    "file_candidates",
    "file_symbol_coverage",
    "file_defines_name",
    "file_coverage",
    "best_lexical_in_file",
    "best_dense_in_file",
    # the chunks before and after
    "neighbour_lexical",
    "neighbour_dense",
    # what it is
    *FIXED,
    # the query
    "query_symbol",
    "query_path",
    "query_trace",
    "query_length",
)
"""Names of the features, in the order of the matrix's columns."""


# BM25 over names: the usual constants, and some number of terms for the mean, which no ranking depends on.
_K1 = 1.2
_B = 0.75
_MEAN_NAMED = 12.0


class Candidate(NamedTuple):
    """A chunk that some retriever found.

    Attributes:
        stored: the chunk.
        lexical: its BM25 score over all fields, 0 if the lexical retriever did not find it.
        dense: its cosine similarity to the query, 0 if unknown.
        body: its BM25 score over the text alone, 0 if unknown.
    """

    stored: StoredChunk
    lexical: float
    dense: float
    body: float = 0.0


def compute_features(
    query: Query, candidates: Sequence[Candidate], weights: Mapping[str, float]
) -> NDArray[np.float32]:
    """Return the matrix of features, shape ``(len(candidates), len(FEATURES))``.

    Args:
        query: the query as read.
        candidates: all chunks to be ranked; features of a file are taken over its candidates.
        weights: the rarity of each content term of the query; they are scaled to sum to 1 here.
    """
    matrix = np.zeros((len(candidates), len(FEATURES)), dtype=np.float32)
    if not candidates:
        return matrix
    total = sum(weights.values()) or 1.0
    wanted = {term: weight / total for term, weight in weights.items()}
    traits = [traits_of(candidate.stored) for candidate in candidates]
    words = frozenset(wanted)
    told = [known.terms & words for known in traits]
    files = group_by_file(traits)
    _fill(matrix, "lexical", _retrievers(candidates, _named(traits, told, wanted)))
    runs = read_runs(query.text, wanted)
    if runs.pairs:
        _fill(matrix, "phrase", _verbatim(runs, traits))
    _fill(matrix, "defines_name", _names(query, traits, told, wanted))
    _fill(matrix, "stem_is_name", path_features(query, files, wanted)[files.owner])
    if query.places:
        matrix[:, _COLUMN["line_match"]] = [_has_line(query, candidate.stored) for candidate in candidates]
    fixed = np.frombuffer(b"".join([known.fixed for known in traits]), dtype=np.float32)
    _fill(matrix, FIXED[0], fixed.reshape(len(traits), len(FIXED)))
    _fill(matrix, "query_symbol", [_asked(query)])
    _fill_likeness(matrix, query, traits, wanted)
    known = (matrix[:, _COLUMN[name]] for name in ("lexical", "dense", "defines_name"))
    of_files = file_features(files, told, wanted, *known)
    for name, values in of_files.items():
        matrix[:, _COLUMN[name]] = values
    places = [candidate.stored.position for candidate in candidates]
    _fill(matrix, "neighbour_lexical", _neighbours(matrix, files.owner, places))
    return matrix


def _fill(matrix: NDArray[np.float32], first: str, block: object) -> None:
    """Write neighbouring columns, beginning with the one called ``first``."""
    values = np.asarray(block, dtype=np.float32)
    start = _COLUMN[first]
    matrix[:, start : start + values.shape[1]] = values


def _retrievers(candidates: Sequence[Candidate], named: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return lexical, lexical_rank, lexical_body, lexical_symbol, dense, dense_relative and dense_rank."""
    lexical, dense, body = np.array([scores for _, *scores in candidates], dtype=np.float32).T
    return np.stack(
        [
            lexical / max(float(lexical.max()), 1e-6),
            _reciprocal_ranks(lexical),
            body / max(float(body.max()), 1e-6),
            named / max(float(named.max()), 1e-6),
            dense,
            dense / max(float(dense.max()), 1e-6),
            _reciprocal_ranks(dense),
        ],
        axis=1,
    )


def _named(traits: Sequence[Traits], told: Told, wanted: Mapping[str, float]) -> NDArray[np.float32]:
    """Return how well the names in and around each chunk fit, by BM25 (Robertson and Zaragoza, 2009)."""
    scores = np.zeros(len(traits), dtype=np.float32)
    for number, (known, hit) in enumerate(zip(traits, told, strict=True)):
        if hit:
            norm = _K1 * (1 - _B + _B * len(known.named) / _MEAN_NAMED)
            counts = [(wanted[term], known.named.count(term)) for term in hit]
            scores[number] = math.fsum([weight * count / (count + norm) for weight, count in counts])
    return scores


def _verbatim(runs: Runs, traits: Sequence[Traits]) -> NDArray[np.float32]:
    """Return phrase, pairs and pairs_relative."""
    found = shares(runs, [known.words for known in traits]).astype(np.float32)
    return np.column_stack([found, found[:, 1] / max(float(found[:, 1].max()), 1e-6)])


def _fill_likeness(
    matrix: NDArray[np.float32], query: Query, traits: Sequence[Traits], wanted: Mapping[str, float]
) -> None:
    """Fill likeness, of prose only: from 0 for the least to 1 for the best among the candidates.

    What code is asked for stands in its names, which are matched as they are; so where most candidates are code, this
    would decide little, and it is left at 0.
    """
    rows = np.flatnonzero(matrix[:, _COLUMN["prose"]]).tolist()
    if 2 * len(rows) <= len(traits) or query.kind != "text":
        return
    alike = likenesses(query.text, wanted, [traits[row] for row in rows])
    matrix[rows, _COLUMN["likeness"]] = (alike - alike.min()) / max(float(np.ptp(alike)), 1e-6)


def _neighbours(matrix: NDArray[np.float32], owner: NDArray[np.intp], places: Sequence[int]) -> NDArray[np.float32]:
    """Return neighbour_lexical and neighbour_dense: the better score of the chunks right before and after."""
    count = len(owner)
    scores = np.zeros((count + 1, 2), dtype=np.float32)  # the last row: no neighbour
    scores[:count] = np.maximum(matrix[:, [_COLUMN["lexical"], _COLUMN["dense"]]], 0)
    keys = (owner.astype(np.int64) << 32) + np.array(places)
    order = np.append(np.argsort(keys), count)
    ascending = keys[order[:-1]]
    better = np.zeros((count, 2), dtype=np.float32)
    for beside in (keys - 1, keys + 1):
        ranks = np.searchsorted(ascending, beside)
        there = ascending[np.minimum(ranks, count - 1)] == beside
        better = np.maximum(better, scores[order[np.where(there, ranks, count)]])
    return better


def _reciprocal_ranks(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return 10 / (10 + rank) with rank 0 for the best, and 0 where the score is 0."""
    ranks = np.empty(len(scores), dtype=np.float32)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores), dtype=np.float32)
    return np.where(scores > 0, 10 / (10 + ranks), 0).astype(np.float32)


def _names(query: Query, traits: Sequence[Traits], told: Told, wanted: Mapping[str, float]) -> NDArray[np.float32]:
    """Return defines_name, is_name, symbol_coverage, symbol_precision and scope_coverage."""
    names, first = frozenset(query.names), query.names[0] if query.names else None
    rows = np.zeros((len(traits), 5), dtype=np.float32)
    for number, (known, hit) in enumerate(zip(traits, told, strict=True)):
        # Neither holds for most rows by far.
        if hit or (names and (known.symbol in names or not known.names.isdisjoint(names))):
            rows[number] = (
                not known.names.isdisjoint(names),
                first is not None and known.symbol == first,
                weight_of(known.name_terms & hit, wanted),
                len(known.symbol_terms & hit) / len(known.symbol_terms) if known.symbol_terms else 0.0,
                weight_of(known.scope_terms & hit, wanted),
            )
    return rows


def _has_line(query: Query, stored: StoredChunk) -> bool:
    """Return whether a query points at a line inside a chunk."""
    span = stored.chunk.span
    return any(
        place.line is not None
        and span.start_line <= place.line <= span.end_line
        and agreement(place.path, stored.document.path) > 0
        for place in query.places
    )


def _asked(query: Query) -> tuple[float, ...]:
    """Return query_symbol, query_path, query_trace and query_length."""
    return (
        query.kind == "symbol",
        query.kind == "path",
        query.kind == "trace",
        min(len(query.terms), 20) / 20,
    )


_COLUMN: Mapping[str, int] = {name: column for column, name in enumerate(FEATURES)}
