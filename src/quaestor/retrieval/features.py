"""The ranker's features: explicit measures of how a chunk fits a query, each between 0 and 1.

All of them are computed from the query and the candidates alone. A ranker that was trained on one list of names
refuses another, so order and meaning here are part of the trained weights. Where the folder lies, what it is called and
how deep it is enters none of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from quaestor.named import NamedTuple
from quaestor.retrieval.file_features import Files, best_agreement, in_files, line_match, shadowed
from quaestor.retrieval.likeness import likenesses
from quaestor.retrieval.matching import in_names, in_paths
from quaestor.retrieval.phrases import read_runs
from quaestor.retrieval.phrases import shares as shares_of_runs
from quaestor.retrieval.query import Query
from quaestor.retrieval.traits import FIXED, Traits, traits_of
from quaestor.stores import StoredChunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column: TypeAlias = NDArray[np.floating] | NDArray[np.bool_]

FEATURES: tuple[str, ...] = (
    # the retrievers
    "lexical_body",
    "lexical_symbol",
    "dense_rank",
    # the words as they stand, and by meaning
    "phrase",
    "pairs",
    "pairs_relative",
    "words",
    "likeness",
    # names
    "symbol_coverage",
    "symbol_whole",
    "qualified",
    # the path
    "stem_coverage",
    "folder_coverage",
    "path_match",
    "line_match",
    # the file, and the chunks before and after
    "file_lexical_sum",
    "file_lexical_best",
    "best_lexical_in_file",
    "neighbour_lexical",
    # what it is
    "example",
    "declaration",
    "prose",
    "shadowed",
    "function_kind",
    "anonymous",
    "first_in_file",
    "file_size",
    # what it is beside what is asked for
    "test_unasked",
    "prose_of_few",
    # of short queries, which ask for a subject more often than for a mechanism
    "brief_stem_coverage",
    "brief_file_lexical_sum",
    "brief_type_kind",
)
"""Names of the features, in the order of the matrix's columns."""

_COMPARED_BY_MEANING = 64
# So large a share of a name's terms is all of them, whatever rounding does.
_WHOLE = 0.999
# A query of so many terms is brief, one of so many is not; in between it is so in part.
_BRIEF, _LONG = 4, 12
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
    if not candidates.chunks:
        return np.zeros((0, len(FEATURES)), dtype=np.float32)
    total = sum(candidates.rarity.values()) or 1.0
    wanted = {term: weight / total for term, weight in candidates.rarity.items()}
    traits = list(map(traits_of, candidates.chunks))
    fixed = np.frombuffer(b"".join([known.fixed for known in traits]), dtype=np.float32).reshape(len(traits), -1)
    columns: dict[str, Column] = dict(zip(FIXED, fixed.T, strict=True))
    columns |= _of_words(query, wanted, traits, candidates)
    columns |= _of_names(query, wanted, traits)
    columns |= _of_files(query, wanted, candidates)
    columns |= _beside_the_query(query, columns)
    return np.stack([columns[name] for name in FEATURES], axis=1, dtype=np.float32, casting="same_kind")


def _of_words(
    query: Query, wanted: Mapping[str, float], traits: Sequence[Traits], candidates: Candidates
) -> dict[str, Column]:
    """Return what the retrievers say, and how the query's words stand in the chunks."""
    runs = read_runs(query.text, wanted)
    texts = [known.words or known.plain() for known in traits] if runs.words else []
    phrase, pairs, words = shares_of_runs(runs, texts).T if texts else np.zeros((3, len(traits)))
    return {
        "lexical_body": _relative(candidates.body),
        "dense_rank": _reciprocal_ranks(candidates.dense),
        "phrase": phrase,
        "pairs": pairs,
        "pairs_relative": _relative(pairs),
        "words": words,
        "likeness": _likeness(query, wanted, traits, candidates),
    }


def _likeness(
    query: Query, wanted: Mapping[str, float], traits: Sequence[Traits], candidates: Candidates
) -> NDArray[np.float32]:
    """Return likeness, from 0 for the least to 1 for the best, of the candidates that the retrievers put first.

    It takes longer than all else, and what both retrievers put far down it seldom brings up. Names are matched as they
    are.
    """
    found = np.zeros(len(traits), dtype=np.float32)
    if query.kind == "text":
        promise = _relative(candidates.lexical) + _relative(candidates.dense)
        rows = np.argsort(-promise, kind="stable")[:_COMPARED_BY_MEANING]
        alike = likenesses(query.text, wanted, [traits[row] for row in rows.tolist()])
        found[rows] = (alike - alike.min()) / max(float(np.ptp(alike)), 1e-6)
    return found


def _of_names(query: Query, wanted: Mapping[str, float], traits: Sequence[Traits]) -> dict[str, Column]:
    """Return how the query's terms stand in the chunks' names."""
    named, coverage, precision = in_names(traits, wanted).sums(len(traits))
    qualified = [
        any(name in known.names and owner in known.owners for owner, name in query.qualified) for known in traits
    ]
    return {
        "lexical_symbol": _relative(named),
        "symbol_coverage": coverage,
        "symbol_whole": coverage * (precision > _WHOLE),
        "qualified": np.array(qualified),
    }


def _of_files(query: Query, wanted: Mapping[str, float], candidates: Candidates) -> dict[str, Column]:
    """Return what the chunks' paths, the other candidates of their files and their neighbours say."""
    files, chunks = candidates.files, candidates.chunks
    owner, lexical = files.owner, _relative(candidates.lexical)
    stem_coverage, folder_coverage = in_paths(files.profiles, wanted).sums(len(files.paths))
    in_file = in_files(owner, lexical)
    places = query.places
    return {
        "stem_coverage": stem_coverage[owner],
        "folder_coverage": folder_coverage[owner],
        "path_match": best_agreement(places, files)[owner],
        "line_match": np.array(line_match(places, files, chunks)) if places else np.zeros(len(chunks)),
        "file_lexical_sum": in_file.sums,
        "file_lexical_best": in_file.best,
        "best_lexical_in_file": lexical >= in_file.best,
        "neighbour_lexical": _neighbours(lexical, owner, chunks),
        "shadowed": shadowed(files)[owner],
    }


def _beside_the_query(query: Query, columns: Mapping[str, Column]) -> dict[str, Column]:
    """Return what a chunk is beside what is asked for."""
    brief = min(max((_LONG - len(set(query.terms))) / (_LONG - _BRIEF), 0.0), 1.0)
    prose = columns["prose"]
    return {
        "test_unasked": columns["test"] * (_ASKS_TESTS.search(query.text) is None),
        # In a corpus of documents prose is no exception, and says nothing for or against a chunk.
        "prose_of_few": prose * (1 - prose.mean()),
        "brief_stem_coverage": columns["stem_coverage"] * brief,
        "brief_file_lexical_sum": columns["file_lexical_sum"] * brief,
        "brief_type_kind": columns["type_kind"] * brief,
    }


def _relative(scores: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return scores in units of the best, negative ones as 0."""
    shares: NDArray[np.float32] = np.maximum(scores, 0).astype(np.float32)
    shares /= np.float32(max(float(scores.max()), 1e-6))
    return shares


def _neighbours(scores: NDArray[np.float32], owner: NDArray[np.intp], chunks: Sequence[StoredChunk]) -> Column:
    """Return the better score of the chunks right before and after each."""
    places = owner * _MOST_CHUNKS + [chunk.position for chunk in chunks]
    order = places.argsort()
    ascending = places[order]
    # Chunks in order: where the next one's place is the next, each of the two is beside the other.
    [beside] = np.nonzero(ascending[1:] - ascending[:-1] == 1)
    one, other = order[beside], order[beside + 1]
    better = np.zeros_like(scores)
    better[one] = scores[other]
    better[other] = np.maximum(better[other], scores[one])
    return better


def _reciprocal_ranks(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return 10 / (10 + rank) with rank 0 for the best, and 0 where the score is 0."""
    ranked = np.count_nonzero(scores > 0)
    reciprocal = np.zeros(len(scores), dtype=np.float32)
    reciprocal[np.argsort(-scores, kind="stable")[:ranked]] = 10 / (10 + np.arange(ranked, dtype=np.float32))
    return reciprocal
