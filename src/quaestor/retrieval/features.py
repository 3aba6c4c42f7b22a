"""The ranker's features: explicit measures of how a chunk fits a query.

All of them are computed from the query and the candidates alone. A ranker that was trained on one list of names
refuses another, so order and meaning here are part of the trained weights.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quaestor.named import NamedTuple
from quaestor.questions import asks_how_to
from quaestor.retrieval.file_features import (
    Files,
    coverage,
    file_features,
    line_match,
    path_features,
    shadowed,
)
from quaestor.retrieval.likeness import likenesses
from quaestor.retrieval.matching import in_names, in_paths
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
    "words",
    # its words by meaning
    "likeness",
    # names
    "defines_name",
    "is_name",
    "symbol_coverage",
    "symbol_precision",
    "symbol_whole",
    "scope_coverage",
    "qualified",
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
    # what it is, and what is asked for
    "test_unasked",
    "prose_how_to",
    "code_how_to",
    "prose_of_few",
)
"""Names of the features, in the order of the matrix's columns."""

_COMPARED_BY_MEANING = 64
# So large a share of a name's terms is all of them, whatever rounding does.
_WHOLE = 0.999
_ASKS_TESTS = re.compile(r"\btests?\b|\btest_|\btested\b|\bspecs?\b|\bassert", re.IGNORECASE)

_MOST_CHUNKS = 1 << 32
"""No file has as many."""


class Candidates(NamedTuple):
    """Chunks that some retriever found, and what each retriever says of them; arrays have the shape ``(chunks,)``.

    Attributes:
        chunks: no chunk twice.
        lexical: their BM25 scores over all fields, 0 where the lexical retriever did not find it.
        dense: their cosine similarities to the query, 0 where unknown.
        body: their BM25 scores over the text alone, 0 where unknown.
        rarity: how much each content term of the query tells: the fewer chunks hold it, the more.
        files: the chunks by file.
    """

    chunks: Sequence[StoredChunk]
    lexical: NDArray[np.float32]
    dense: NDArray[np.float32]
    body: NDArray[np.float32]
    rarity: Mapping[str, float]
    files: Files


def compute_features(query: Query, candidates: Candidates) -> NDArray[np.float32]:
    """Return the matrix of features, shape ``(chunks, len(FEATURES))``.

    Args:
        query: the query as read.
        candidates: all chunks to be ranked; features of a file are taken over its candidates.
    """
    chunks = candidates.chunks
    if not chunks:
        return np.zeros((0, len(FEATURES)), dtype=np.float32)
    # A feature a row while they are filled in, which takes half the time.
    matrix = np.zeros((len(FEATURES), len(chunks)), dtype=np.float32)
    total = sum(candidates.rarity.values()) or 1.0
    wanted = {term: weight / total for term, weight in candidates.rarity.items()}
    traits = list(map(traits_of, chunks))
    files = candidates.files
    matches = in_names(traits, wanted)
    named, symbol_coverage, symbol_precision, scope_coverage, _ = matches.sums(len(traits))
    _fill(matrix, "lexical", _retrievers(candidates, named))
    runs = read_runs(query.text, wanted)
    if runs.words:
        _fill(matrix, "phrase", _verbatim(runs, traits))
    if query.names:
        _fill(matrix, "defines_name", _names(query.names, traits))
        _fill(matrix, "qualified", [_qualified(query.qualified, traits)])
    whole = symbol_coverage * (symbol_precision > _WHOLE)
    _fill(matrix, "symbol_coverage", (symbol_coverage, symbol_precision, whole, scope_coverage))
    paths = in_paths(files.profiles, wanted)
    _fill(matrix, "stem_is_name", [column[files.owner] for column in path_features(query, files, paths)])
    if query.places:
        matrix[_COLUMN["line_match"]] = line_match(query.places, files, chunks)
    fixed = np.frombuffer(b"".join([known.fixed for known in traits]), dtype=np.float32)
    _fill(matrix, FIXED[0], fixed.reshape(len(traits), len(FIXED)).T)
    _fill(matrix, "test_unasked", _asked(query, matrix))
    _fill_likeness(matrix, query, traits, wanted)
    lexical, dense, defines_name = (matrix[_COLUMN[name]] for name in ("lexical", "dense", "defines_name"))
    covered = coverage(files, matches, paths, list(wanted.values()))
    _fill(matrix, "file_lexical_sum", file_features(files.owner, lexical, dense, defines_name, covered))
    matrix[_COLUMN["shadowed"]] = shadowed(files)[files.owner]
    _fill(matrix, "neighbour_lexical", _neighbours(np.array((lexical, dense)), files.owner, chunks))
    return np.ascontiguousarray(matrix.T)


def _fill(matrix: NDArray[np.float32], first: str, features: Sequence[Any] | NDArray[Any]) -> None:
    """Write neighbouring features, beginning with the one called ``first``."""
    start = _COLUMN[first]
    matrix[start : start + len(features)] = features


def _retrievers(candidates: Candidates, named: NDArray[np.float64]) -> list[NDArray[np.float32]]:
    """Return lexical, lexical_rank, lexical_body, lexical_symbol, dense, dense_relative and dense_rank."""
    lexical, dense, body = candidates.lexical, candidates.dense, candidates.body
    return [
        _relative(lexical),
        _reciprocal_ranks(lexical),
        _relative(body),
        _relative(named.astype(np.float32)),
        np.clip(dense, 0, 1),
        np.clip(_relative(dense), 0, 1),
        _reciprocal_ranks(dense),
    ]


def _relative(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return scores in units of the best."""
    return scores / max(float(scores.max()), 1e-6)


def _verbatim(runs: Runs, traits: Sequence[Traits]) -> list[NDArray[np.float32]]:
    """Return phrase, pairs, pairs_relative and words."""
    phrase, pairs, words = shares(runs, [known.words or known.plain() for known in traits]).astype(np.float32).T
    return [phrase, pairs, _relative(pairs), words]


def _fill_likeness(
    matrix: NDArray[np.float32], query: Query, traits: Sequence[Traits], wanted: Mapping[str, float]
) -> None:
    """Fill likeness, from 0 for the least to 1 for the best, of the candidates that the retrievers put first.

    It takes longer than all else, and what both retrievers put far down it seldom brings up. Names are matched as they
    are.
    """
    if query.kind != "text":
        return
    promise = matrix[_COLUMN["lexical"]] + matrix[_COLUMN["dense_relative"]]
    rows = np.argsort(-promise, kind="stable")[:_COMPARED_BY_MEANING]
    alike = likenesses(query.text, wanted, [traits[row] for row in rows.tolist()])
    matrix[_COLUMN["likeness"], rows] = (alike - alike.min()) / max(float(np.ptp(alike)), 1e-6)


def _neighbours(
    scores: NDArray[np.float32], owner: NDArray[np.intp], chunks: Sequence[StoredChunk]
) -> NDArray[np.float32]:
    """Return neighbour_lexical and neighbour_dense: the better score of the chunks right before and after."""
    places = owner * _MOST_CHUNKS + [chunk.position for chunk in chunks]
    order = places.argsort()
    ascending = places[order]
    # Chunks in order: where the next one's place is the next, each of the two is beside the other.
    [beside] = np.nonzero(ascending[1:] - ascending[:-1] == 1)
    one, other = order[beside], order[beside + 1]
    scores = np.maximum(scores, 0)
    better = np.zeros_like(scores)
    better[:, one] = scores[:, other]
    better[:, other] = np.maximum(better[:, other], scores[:, one])
    return better


def _reciprocal_ranks(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return 10 / (10 + rank) with rank 0 for the best, and 0 where the score is 0."""
    ranked = np.count_nonzero(scores > 0)
    reciprocal = np.zeros(len(scores), dtype=np.float32)
    reciprocal[np.argsort(-scores, kind="stable")[:ranked]] = 10 / (10 + np.arange(ranked, dtype=np.float32))
    return reciprocal


def _names(names: Sequence[str], traits: Sequence[Traits]) -> list[list[bool]]:
    """Return defines_name and is_name for what a query names."""
    first, asked = names[0], frozenset(names)
    return [
        [not known.names.isdisjoint(asked) for known in traits],
        [known.symbol == first for known in traits],
    ]


def _qualified(pairs: Sequence[tuple[str, str]], traits: Sequence[Traits]) -> list[bool]:
    """Return which chunks define a name of the query within what it names as the owner."""
    return [any(name in known.names and owner in known.owners for owner, name in pairs) for known in traits]


def _asked(query: Query, matrix: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """Return test_unasked, prose_how_to, code_how_to and prose_of_few: what a chunk is beside what is asked for."""
    test, prose = matrix[_COLUMN["test"]], matrix[_COLUMN["prose"]]
    how_to = np.float32(asks_how_to(query.text))
    # In a corpus of documents prose is no exception, and says nothing for or against a chunk.
    share = np.float32(prose.mean())
    return [test * (_ASKS_TESTS.search(query.text) is None), prose * how_to, (1 - prose) * how_to, prose * (1 - share)]


_COLUMN: Mapping[str, int] = {name: column for column, name in enumerate(FEATURES)}
