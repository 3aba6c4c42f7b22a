"""The ranker's features: explicit measures of how a chunk fits a query, each between 0 and 1.

All of them are computed from the query and the candidates alone. A ranker that was trained on one list of names
refuses another, so order and meaning here are part of the trained weights. No feature depends on the path of the
corpus's folder, its name or its depth.

Likeness compares each word of the query with the chunk's most similar word in meaning, so that no word need be shared,
as late interaction does with token vectors (Khattab and Zaharia, "ColBERT", 2020); here the vectors are rows of the
bundled embedder's table. Unlike a chunk's single vector, it shows whether the chunk mentions each thing that the query
asks for, under some name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import STOP_WORDS, find_words, terms_of_word
from quaestor.embedding.static import StaticEmbedder
from quaestor.search.chunk_traits import FIXED, Traits
from quaestor.search.file_features import (
    CandidateFiles,
    Rows,
    best_agreement,
    has_namesake_above,
    is_implemented_elsewhere,
    line_match,
    scores_in_file,
)
from quaestor.search.path_roles import PathProfile
from quaestor.search.phrases import shares_of_runs, word_runs
from quaestor.search.query import Query
from quaestor.search.sought_kind import seeks_tests, sought_kind
from quaestor.stores import StoredChunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column: TypeAlias = NDArray[np.floating] | NDArray[np.bool_]
    Matrix: TypeAlias = NDArray[np.float32]
    from numpy.typing import NDArray


Floats: TypeAlias = "NDArray[np.float32]"
_MOST_ROWS = 64  # of a query: what is longer is a pasted text, and no question
_FIRST_ROW = bytes(4)  # stands for the words of a chunk that has none
# BM25 over names: the usual constants, and some number of terms for the mean, which no ranking depends on.
_K1 = 1.2
_B = 0.75
_MEAN_NAMED = 12.0


def word_likenesses(query: str, weights: Mapping[str, float], chunks: Sequence[Traits]) -> Floats:
    """Return two means of the likeness of the query's words to their nearest word in each chunk, 0 to 1.

    The first counts words by their weights. The second is geometric (its logarithm, from 0 for a tenth), so that it is
    low if the chunk has nothing like one of the words, and counts words by the lengths of their vectors: these are
    longer for what a question is about, whatever the corpus.

    Args:
        query: the text of the query.
        weights: the weights of its terms in the first mean.
        chunks: names and titles count as their words, too.

    Returns:
        Shape ``(2, len(chunks))``.
    """
    embedder = StaticEmbedder.bundled()
    query_rows, shares = _query_rows(query, weights, embedder)
    if not len(query_rows) or not chunks:
        return np.zeros((2, len(chunks)), np.float32)
    chunk_rows = [_word_rows(chunk, embedder) for chunk in chunks]
    joined = np.frombuffer(b"".join(chunk_rows), np.int32)
    seen = np.zeros(embedder.rows, bool)
    seen[joined] = True
    distinct = np.flatnonzero(seen)
    places = np.empty(embedder.rows, np.intp)
    places[distinct] = np.arange(len(distinct))
    alike = np.maximum(embedder.cosines(distinct, query_rows), 0)
    starts = np.cumsum([0, *map(len, chunk_rows[:-1])]) // joined.itemsize
    # By rows of chunks' words, which lie together in memory; the means are then of rows that do.
    nearest = np.maximum.reduceat(alike.take(places.take(joined), axis=0), starts, axis=0)
    lengths = np.linalg.norm(embedder.vectors_of(query_rows), axis=1)
    geometric = 1 + np.log10(np.maximum(nearest, 0.1)) @ (lengths / max(float(lengths.sum()), 1e-9))
    return np.array([shares @ np.ascontiguousarray(nearest.T), np.maximum(geometric, 0)], np.float32)


def _query_rows(query: str, weights: Mapping[str, float], embedder: StaticEmbedder) -> tuple[NDArray[np.int32], Floats]:
    """Return the rows of the query's words, and each word's share of the query."""
    rows: list[int] = []
    weighted: list[float] = []
    for word in dict.fromkeys(word for word in find_words(query) if word.lower() not in STOP_WORDS):
        weight = max((weights.get(term, 0.0) for term in terms_of_word(word)), default=0.0)
        of_word = embedder.pieces.rows(word).tolist() if weight and len(rows) < _MOST_ROWS else []
        rows += of_word
        weighted += [weight / max(len(of_word), 1)] * len(of_word)
    shares = np.array(weighted, np.float32)
    return np.array(rows, np.int32), shares / max(float(shares.sum()), 1e-9)


def _word_rows(chunk: Traits, embedder: StaticEmbedder) -> bytes:
    """Return the rows of all words of a chunk, at least one, in no order; computed once and kept with its traits."""
    if not chunk.rows:
        stored = chunk.stored
        names = (stored.document.title, *stored.chunk.scope, stored.chunk.symbol)
        text = "\n".join(filter(None, (*names, stored.chunk.text)))
        chunk.rows = embedder.pieces.of_distinct(text) or _FIRST_ROW
    return chunk.rows


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
    "prose_sought",
    "prose_unsought",
    # of documents among documents: how much less of the query they mention than the one that mentions most
    "unmentioned",
    # of short queries, which ask for a subject more often than for a mechanism
    "brief_stem_coverage",
    "brief_file_lexical_sum",
    "brief_type_kind",
)
"""Names of the features, in the order of the matrix's columns."""

_COMPARED_BY_MEANING = 64
_COMPARED_BEHIND = 16
# The share of documents among the candidates from which on they are compared with each other.
_OF_DOCUMENTS = 0.7
# So large a share of a name's terms is all of them, whatever rounding does.
_WHOLE = 0.999
# A query of so many terms is brief, one of so many is not; in between it is so in part.
_BRIEF, _LONG = 4, 12

_OF_HEADER = 0.5
"""How much a header whose source is here counts as a declaration: it also has types, macros and documentation."""

_POSITION, _PROSE_ROW = FIXED.index("position"), FIXED.index("prose")
_MOST_CHUNKS = 1 << 32
"""More chunks than any file has."""


class Candidates(NamedTuple):
    """Chunks that some retriever found, with each retriever's scores; arrays have the shape ``(chunks,)``.

    Attributes:
        traits: the chunks with their traits, without duplicates.
        lexical: their BM25 scores over all fields, 0 for chunks that the lexical retriever did not find.
        dense: their cosine similarities to the query, 0 where unknown.
        body: their BM25 scores over the text alone, 0 where unknown.
        rarity: the weight of each content term of the query: the fewer chunks hold it, the higher.
        files: the chunks by file.
        fixed: what no query changes; see ``chunk_traits.fixed_matrix``.
    """

    traits: Sequence[Traits]
    lexical: NDArray[np.float32]
    dense: NDArray[np.float32]
    body: NDArray[np.float32]
    rarity: Mapping[str, float]
    files: CandidateFiles
    fixed: NDArray[np.float32]

    @property
    def chunks(self) -> list[StoredChunk]:
        """The chunks themselves."""
        return [known.stored for known in self.traits]


def compute_features(query: Query, candidates: Candidates, behind: NDArray[np.bool_] | None = None) -> Matrix:
    """Return the matrix of features, shape ``(chunks, len(FEATURES))``.

    Args:
        query: the query as read.
        candidates: all chunks to be ranked; features of a file are taken over its candidates.
        behind: which files are background, shape ``(files,)``; see ``background_among``. Scores are
            scaled among these and among the others apart, so that a changelog does not set the scale for others.
    """
    if not candidates.traits:
        return np.zeros((0, len(FEATURES)), dtype=np.float32)
    inputs = _feature_inputs(
        query, candidates, np.zeros(len(candidates.files.paths), np.bool_) if behind is None else behind
    )
    columns: dict[str, Column] = dict(zip(FIXED, candidates.fixed, strict=True))
    for fill in (_word_columns, _name_columns, _file_columns):
        columns |= fill(inputs)
    columns |= _columns_of_query(inputs, columns)
    # A feature a row while they are put together, which takes half the time.
    return np.ascontiguousarray(np.array([columns[name] for name in FEATURES], dtype=np.float32).T)


class _FeatureInputs(NamedTuple):
    """The values from which features are computed.

    Attributes:
        query: the query.
        term_shares: each term's share of the query.
        candidates: all candidates.
        traits: the chunks with their traits.
        behind: which of their files are background; shape ``(files,)``.
        parts: the rows of those that are compared with each other.
        lexical, dense, body: the retrievers' scores in units of the best of their part; shape ``(chunks,)``.
    """

    query: Query
    term_shares: Mapping[str, float]
    candidates: Candidates
    traits: Sequence[Traits]
    behind: NDArray[np.bool_]
    parts: Sequence[Rows]
    lexical: NDArray[np.float32]
    dense: NDArray[np.float32]
    body: NDArray[np.float32]


def _feature_inputs(query: Query, candidates: Candidates, behind: NDArray[np.bool_]) -> _FeatureInputs:
    total = sum(candidates.rarity.values()) or 1.0
    term_shares = {term: weight / total for term, weight in candidates.rarity.items()}
    parts: list[Rows] = [slice(None)]
    if behind.any() and not behind.all():
        own = behind[candidates.files.owner]
        parts = [np.flatnonzero(~own), np.flatnonzero(own)]
    relative = _relative(np.array([candidates.lexical, candidates.dense, candidates.body]), parts)
    return _FeatureInputs(query, term_shares, candidates, candidates.traits, behind, parts, *relative)


def _word_columns(inputs: _FeatureInputs) -> dict[str, Column]:
    """Return the columns of the words: the scores of the retrievers, runs of words, likeness."""
    runs = word_runs(inputs.query.text, inputs.term_shares)
    texts = [one.words or one.read_words() for one in inputs.traits] if runs.words else []
    phrase, pairs, words = shares_of_runs(runs, texts).T if texts else np.zeros((3, len(inputs.traits)))
    return {
        "lexical_body": inputs.body,
        "dense_rank": _reciprocal_ranks(inputs.candidates.dense, inputs.parts),
        "phrase": phrase,
        "pairs": pairs,
        "pairs_relative": _relative(pairs, inputs.parts),
        "words": words,
        **_likeness_columns(inputs),
    }


def _likeness_columns(inputs: _FeatureInputs) -> dict[str, Column]:
    """Return ``likeness``, from 0 for the least to 1 for the best, and ``unmentioned``, from 0 for the best document.

    Only the candidates that the retrievers put first are compared: it takes longer than all other features, and seldom
    raises a candidate that both retrievers rank low. Names are matched as they are.
    """
    column, unmentioned = np.zeros((2, len(inputs.traits)), dtype=np.float32)
    columns: dict[str, Column] = {"likeness": column, "unmentioned": unmentioned}
    if inputs.query.kind != "text":
        return columns
    promise = -(inputs.lexical + inputs.dense)
    every = np.arange(len(promise))
    # Of two parts, the second stands behind.
    chosen = [
        every[part][np.argsort(promise[part], kind="stable")[:most]]
        for part, most in zip(inputs.parts, (_COMPARED_BY_MEANING, _COMPARED_BEHIND), strict=False)
    ]
    rows = np.concatenate(chosen)
    compared = [inputs.traits[row] for row in rows.tolist()]
    column[rows], unmentioned[rows] = word_likenesses(inputs.query.text, inputs.term_shares, compared)
    for own in chosen:
        alike = column[own]
        column[own] = (alike - alike.min()) / max(float(np.ptp(alike)), 1e-6)
    prose = inputs.candidates.fixed[_PROSE_ROW]
    for part in inputs.parts:
        mentioned, are_compared = unmentioned[part], prose[part].mean() >= _OF_DOCUMENTS
        unmentioned[part] = (mentioned.max() - mentioned) * prose[part] * are_compared
    return columns


def _name_columns(inputs: _FeatureInputs) -> dict[str, Column]:
    """Return the columns of the names: how the query's terms match those that the chunks define."""
    symbol_scores, coverage, precision = terms_in_names(inputs.traits, inputs.term_shares)
    return {
        "lexical_symbol": _relative(symbol_scores, inputs.parts),
        "symbol_coverage": coverage,
        "symbol_whole": coverage * (precision > _WHOLE),
        "qualified": np.array([_is_qualified(one, inputs.query.qualified) for one in inputs.traits])
        if inputs.query.qualified
        else np.zeros(len(inputs.traits)),
    }


def _is_qualified(traits: Traits, qualified: Sequence[tuple[str, str]]) -> bool:
    """Return whether a chunk defines any of some names within the owner that qualifies it."""
    return any(name in traits.names and owner in traits.owners for owner, name in qualified)


def _file_columns(inputs: _FeatureInputs) -> dict[str, Column]:
    """Return the columns of the files: their paths, their other candidates, and the chunks beside each."""
    files, count = inputs.candidates.files, len(inputs.traits)
    owner, lexical = files.owner, inputs.lexical
    stem_coverage, folder_coverage = terms_in_paths(files.profiles, inputs.term_shares)
    in_file = scores_in_file(owner, lexical, inputs.parts)
    places = inputs.query.places
    return {
        "stem_coverage": stem_coverage[owner],
        "folder_coverage": folder_coverage[owner],
        "path_match": best_agreement(places, files)[owner],
        "line_match": np.array(line_match(places, files, inputs.traits)) if places else np.zeros(count),
        "file_lexical_sum": in_file.sums,
        "file_lexical_best": in_file.best,
        "best_lexical_in_file": lexical >= in_file.best,
        "neighbour_lexical": _neighbour_scores(lexical, owner, inputs.candidates.fixed[_POSITION]),
        "shadowed": has_namesake_above(files, inputs.behind)[owner],
    }


def _columns_of_query(inputs: _FeatureInputs, columns: Mapping[str, Column]) -> dict[str, Column]:
    """Return the columns that depend on the query: whether it seeks tests, documents or code, and how long it is."""
    query = inputs.query
    brief = min(max((_LONG - len(set(query.terms))) / (_LONG - _BRIEF), 0.0), 1.0)
    few = columns["prose"].astype(np.float32)
    headers = is_implemented_elsewhere(inputs.candidates.files, inputs.behind)[inputs.candidates.files.owner]
    for part in inputs.parts:
        few[part] *= 1 - few[part].mean()
    sought = sought_kind(query)
    return {
        "declaration": np.maximum(columns["declaration"], headers * np.float32(_OF_HEADER)),
        "test_unasked": columns["test"] * (not seeks_tests(query)),
        # In a corpus of documents prose is not an exception, and says nothing for or against a chunk.
        "prose_of_few": few,
        "prose_sought": columns["prose"] * (sought == "documents"),
        "prose_unsought": columns["prose"] * (sought == "code"),
        "brief_stem_coverage": columns["stem_coverage"] * brief,
        "brief_file_lexical_sum": columns["file_lexical_sum"] * brief,
        "brief_type_kind": columns["type_kind"] * brief,
    }


def _relative(scores: NDArray[np.floating], parts: Sequence[Rows]) -> NDArray[np.float32]:
    """Return scores in units of the best of their part, negative ones as 0; shape ``(chunks,)`` or several of those."""
    shares: NDArray[np.float32] = np.maximum(scores, 0).astype(np.float32)
    for part in parts:
        best = scores[..., part].max(axis=-1, keepdims=True)
        shares[..., part] /= np.maximum(best, 1e-6).astype(np.float32)
    return shares


def _neighbour_scores(
    scores: NDArray[np.float32], owner: NDArray[np.intp], positions: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the better score of the chunks right before and after each."""
    places = owner * _MOST_CHUNKS + positions.astype(np.int64)
    order = places.argsort()
    ascending = places[order]
    # Chunks in order: where the next one's place is the next, each of the two is beside the other.
    [beside] = np.nonzero(ascending[1:] - ascending[:-1] == 1)
    one, other = order[beside], order[beside + 1]
    better = np.zeros_like(scores)
    better[one] = scores[other]
    better[other] = np.maximum(better[other], scores[one])
    return better


def _reciprocal_ranks(scores: NDArray[np.float32], parts: Sequence[Rows]) -> NDArray[np.float32]:
    """Return 10 / (10 + rank) with rank 0 for the best of a part, and 0 where the score is 0."""
    reciprocal = np.zeros(len(scores), dtype=np.float32)
    every = np.arange(len(scores))
    for part in parts:
        ranked = every[part][np.argsort(-scores[part], kind="stable")[: np.count_nonzero(scores[part] > 0)]]
        reciprocal[ranked] = 10 / (10 + np.arange(len(ranked), dtype=np.float32))
    return reciprocal


def terms_in_names(traits: Sequence[Traits], weights: Mapping[str, float]) -> NDArray[np.float64]:
    """Return what the terms in and around each chunk's names add to three features; shape ``(3, len(traits))``.

    The features are lexical_symbol (BM25, Robertson and Zaragoza, 2009), symbol_coverage, and the share of the symbol's
    parts that the query has.

    Args:
        traits: the traits of the candidates.
        weights: the weight of each term of the query.
    """
    words = frozenset(weights)
    sums: list[float] = []
    # Most candidates match no term and most others one: a loop takes less time than tables do.
    for known in traits:
        lexical = coverage = precision = 0.0
        if hit := known.terms & words:
            named = known.all_terms
            norm = _K1 * (1 - _B + _B * len(named) / _MEAN_NAMED)
            # In order, so that sums are the same whatever order the set has.
            for term in sorted(hit) if len(hit) > 1 else hit:
                weight, count = weights[term], named.count(term)
                lexical += weight * count / (count + norm)
                if term in known.name_terms:
                    coverage += weight
                if term in known.symbol_parts:
                    precision += 1 / len(known.symbol_parts)
        sums += (lexical, coverage, precision)
    return np.array(sums).reshape(-1, 3).T


def terms_in_paths(profiles: Sequence[PathProfile], weights: Mapping[str, float]) -> NDArray[np.float64]:
    """Return what the terms in each file's path add to stem_coverage and folder_coverage; shape ``(2, len(profiles))``.

    Args:
        profiles: the profiles of the files.
        weights: the weight of each term of the query.
    """
    words = frozenset(weights)
    sums = np.zeros((2, len(profiles)))
    for row, profile in enumerate(profiles):
        if not words.isdisjoint(profile.terms):
            terms = sorted(profile.terms & words)
            sums[0, row] = sum(weights[term] for term in terms if term in profile.stem_terms)
            sums[1, row] = sum(weights[term] for term in terms if term in profile.folder_terms)
    return sums
