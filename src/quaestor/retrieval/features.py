"""The ranker's features: explicit measures of how a chunk fits a query.

All of them are computed from the query and the candidates alone. A ranker that was trained on one list of names
refuses another, so order and meaning here are part of the trained weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.retrieval.paths import PathProfile
from quaestor.retrieval.phrases import Runs, read_runs, shares
from quaestor.retrieval.query import Query
from quaestor.retrieval.traits import FIXED, Traits, traits_of
from quaestor.stores import StoredChunk

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


# Not frozen: some hundred are made in every search, and freezing triples what that takes.
@dataclass(slots=True)
class Candidate:
    """A chunk that some retriever found.

    Attributes:
        stored: the chunk.
        lexical: its BM25 score over all fields, 0 if the lexical retriever did not find it.
        dense: its cosine similarity to the query, 0 if unknown.
        body: its BM25 score over the text alone.
        symbol: its BM25 score over names alone.
    """

    stored: StoredChunk
    lexical: float
    dense: float
    body: float = 0.0
    symbol: float = 0.0


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
    paths = [candidate.stored.document.path for candidate in candidates]
    _fill(matrix, "lexical", _retrievers(candidates))
    runs = read_runs(query.text, wanted)
    if runs.pairs:
        _fill(matrix, "phrase", _verbatim(runs, traits))
    _fill(matrix, "defines_name", _names(query, traits, wanted))
    _fill(matrix, "stem_is_name", _paths(query, paths, traits, wanted))
    if query.places:
        matrix[:, _COLUMN["line_match"]] = [_has_line(query, candidate.stored) for candidate in candidates]
    fixed = np.frombuffer(b"".join([known.fixed for known in traits]), dtype=np.float32)
    _fill(matrix, FIXED[0], fixed.reshape(len(traits), len(FIXED)))
    _fill(matrix, "query_symbol", [_asked(query)])
    _fill_files(matrix, paths, traits, wanted)
    _fill(matrix, "neighbour_lexical", _neighbours(matrix, candidates))
    return matrix


def _fill(matrix: NDArray[np.float32], first: str, block: object) -> None:
    """Write neighbouring columns, beginning with the one called ``first``."""
    values = np.asarray(block, dtype=np.float32)
    start = _COLUMN[first]
    matrix[:, start : start + values.shape[1]] = values


def _weight(found: AbstractSet[str], wanted: Mapping[str, float]) -> float:
    """Return the share of the wanted terms' weight that is found; exact, so that the order of a set does not matter."""
    hit = found & wanted.keys()
    return math.fsum(map(wanted.__getitem__, hit)) if hit else 0.0


def _retrievers(candidates: Sequence[Candidate]) -> NDArray[np.float32]:
    """Return lexical, lexical_rank, lexical_body, lexical_symbol, dense, dense_relative and dense_rank."""
    scores = [(candidate.lexical, candidate.body, candidate.symbol, candidate.dense) for candidate in candidates]
    lexical, body, symbol, dense = np.array(scores, dtype=np.float32).T
    return np.stack(
        [
            lexical / max(float(lexical.max()), 1e-6),
            _reciprocal_ranks(lexical),
            body / max(float(body.max()), 1e-6),
            symbol / max(float(symbol.max()), 1e-6),
            dense,
            dense / max(float(dense.max()), 1e-6),
            _reciprocal_ranks(dense),
        ],
        axis=1,
    )


def _verbatim(runs: Runs, traits: Sequence[Traits]) -> NDArray[np.float32]:
    """Return phrase, pairs and pairs_relative."""
    found = np.array(shares(runs, [known.words for known in traits]), dtype=np.float32)
    return np.column_stack([found, found[:, 1] / max(float(found[:, 1].max()), 1e-6)])


def _neighbours(matrix: NDArray[np.float32], candidates: Sequence[Candidate]) -> NDArray[np.float32]:
    """Return neighbour_lexical and neighbour_dense: the better score of the chunks right before and after."""
    count = len(candidates)
    scores = np.zeros((count + 1, 2), dtype=np.float32)  # the last row: no neighbour
    scores[:count] = np.maximum(matrix[:, [_COLUMN["lexical"], _COLUMN["dense"]]], 0)
    places = [(candidate.stored.document.path, candidate.stored.position) for candidate in candidates]
    rows = {place: row for row, place in enumerate(places)}
    before = [rows.get((path, position - 1), count) for path, position in places]
    after = [rows.get((path, position + 1), count) for path, position in places]
    better: NDArray[np.float32] = np.maximum(scores[before], scores[after])
    return better


def _reciprocal_ranks(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return 10 / (10 + rank) with rank 0 for the best, and 0 where the score is 0."""
    ranks = np.empty(len(scores), dtype=np.float32)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores), dtype=np.float32)
    return np.where(scores > 0, 10 / (10 + ranks), 0).astype(np.float32)


def _names(query: Query, traits: Sequence[Traits], wanted: Mapping[str, float]) -> list[tuple[float, ...]]:
    """Return defines_name, is_name, symbol_coverage, symbol_precision and scope_coverage."""
    names, first = frozenset(query.names), query.names[0] if query.names else None
    words = frozenset(wanted)
    nothing = (0.0,) * 5  # the most frequent row by far
    return [
        nothing
        if known.terms.isdisjoint(words) and known.names.isdisjoint(names) and known.symbol not in names
        else (
            not known.names.isdisjoint(names),
            first is not None and known.symbol == first,
            _weight(known.name_terms, wanted),
            len(known.symbol_terms & words) / len(known.symbol_terms) if known.symbol_terms else 0.0,
            _weight(known.scope_terms, wanted),
        )
        for known in traits
    ]


def _paths(
    query: Query, paths: Sequence[str], traits: Sequence[Traits], wanted: Mapping[str, float]
) -> list[tuple[float, ...]]:
    """Return stem_is_name, stem_coverage, stem_precision, folder_coverage and path_match; once for each path."""
    names = [name.replace("_", "") for name in query.names]
    namesakes = {name.rstrip("s") for name in names}
    known: dict[str, tuple[float, ...]] = {}
    for path, one in zip(paths, traits, strict=True):
        if path not in known:
            profile = one.path
            known[path] = (
                profile.stem in names or profile.stem.rstrip("s") in namesakes,
                _weight(profile.stem_terms, wanted),
                len(profile.stem_terms & wanted.keys()) / len(profile.stem_terms) if profile.stem_terms else 0.0,
                _weight(profile.folder_terms, wanted),
                max((agreement(place.path, path) for place in query.places), default=0.0),
            )
    return [known[path] for path in paths]


def agreement(pointed: str, path: str) -> float:
    """Return how well a path that a query points at fits a document's: by how many names at the end agree.

    0 where the file names differ, 1 where one of the two is the end of the other and holds a folder as well.
    """
    asked, known = pointed.split("/"), path.lower().split("/")
    shared = 0
    for one, other in zip(reversed(asked), reversed(known), strict=False):
        if one != other:
            break
        shared += 1
    if not shared:
        return 0.0
    return min(1.0, 0.4 + 0.6 * (shared - 1) / max(1, min(len(asked), len(known)) - 1))


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


def _fill_files(
    matrix: NDArray[np.float32],
    paths: Sequence[str],
    traits: Sequence[Traits],
    wanted: Mapping[str, float],
) -> None:
    """Fill what a chunk's file brings: several good chunks, all its names, a namesake nearer to the root."""
    numbers: dict[str, int] = {}
    owner = np.array([numbers.setdefault(path, len(numbers)) for path in paths])
    lexical, dense = matrix[:, _COLUMN["lexical"]], matrix[:, _COLUMN["dense"]]
    sums = np.bincount(owner, weights=lexical)
    best_lexical, best_dense = _best(owner, lexical, len(numbers)), _best(owner, dense, len(numbers))
    columns = {
        "file_lexical_sum": (sums / (sums.max() or 1.0))[owner],
        "file_lexical_best": best_lexical[owner],
        "file_dense_best": best_dense[owner],
        "file_dense_mean": _mean_of_three(owner, dense, len(numbers))[owner],
        "file_candidates": np.log1p(np.bincount(owner))[owner] / 4,
        "file_defines_name": _best(owner, matrix[:, _COLUMN["defines_name"]], len(numbers))[owner],
        "best_lexical_in_file": lexical >= best_lexical[owner],
        "best_dense_in_file": dense >= best_dense[owner],
    }
    for name, values in columns.items():
        matrix[:, _COLUMN[name]] = values
    named = _named(owner.tolist(), traits, wanted, len(numbers))
    for column, name in enumerate(("file_symbol_coverage", "file_coverage", "shadowed")):
        matrix[:, _COLUMN[name]] = named[owner, column]


def _best(owner: NDArray[np.intp], values: NDArray[np.float32], files: int) -> NDArray[np.float32]:
    best = np.full(files, -np.inf, dtype=np.float32)
    np.maximum.at(best, owner, values)
    return best


def _mean_of_three(owner: NDArray[np.intp], values: NDArray[np.float32], files: int) -> NDArray[np.float64]:
    """Return the mean of each file's three highest values, or of all where there are fewer."""
    order = np.lexsort((-values, owner))
    counts = np.bincount(owner, minlength=files)
    rank = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = order[rank < 3]
    means: NDArray[np.float64] = np.bincount(owner[chosen], weights=values[chosen], minlength=files) / np.minimum(
        counts, 3
    )
    return means


def _named(
    owner: Sequence[int], traits: Sequence[Traits], wanted: Mapping[str, float], files: int
) -> NDArray[np.float32]:
    """Return file_symbol_coverage, file_coverage and shadowed, shape ``(files, 3)``."""
    found: list[frozenset[str]] = [frozenset()] * files
    profile_of: dict[int, PathProfile] = {}
    for number, known in zip(owner, traits, strict=True):
        profile_of[number] = known.path
        if hit := known.listed_terms & wanted.keys():
            found[number] |= hit
    shallowest = _shallowest(profile_of.values())
    rows = []
    for number, symbols in enumerate(found):
        profile = profile_of[number]
        everything = symbols | profile.stem_terms | profile.folder_terms
        rows.append((_weight(symbols, wanted), _weight(everything, wanted), profile.depth > shallowest[profile.stem]))
    return np.array(rows, dtype=np.float32)


def _shallowest(profiles: Iterable[PathProfile]) -> Mapping[str, int]:
    """Return the least depth of each file name: a deeper namesake is often a copy, a port or an older version."""
    depths: dict[str, int] = {}
    for profile in profiles:
        depths[profile.stem] = min(profile.depth, depths.get(profile.stem, profile.depth))
    return depths


_COLUMN: Mapping[str, int] = {name: column for column, name in enumerate(FEATURES)}
