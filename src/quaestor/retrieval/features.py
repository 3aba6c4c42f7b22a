"""The ranker's features: explicit measures of how a chunk fits a query.

All of them are computed from the query and the candidates alone. A ranker that was trained on one list of names
refuses another, so order and meaning here are part of the trained weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.passages import Chunk
from quaestor.retrieval.paths import PathProfile, profile_path
from quaestor.retrieval.query import Query
from quaestor.stores import StoredChunk
from quaestor.terms import terms_of_word

FEATURES: tuple[str, ...] = (
    # the retrievers
    "lexical",
    "lexical_rank",
    "lexical_body",
    "lexical_symbol",
    "dense",
    "dense_relative",
    "dense_rank",
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
    # what it is
    "test",
    "example",
    "vendored",
    "entry",
    "declaration",
    "prose",
    "data",
    "shadowed",
    "type_kind",
    "function_kind",
    "anonymous",
    "first_in_file",
    "size",
    "file_size",
    "depth",
    # the query
    "query_symbol",
    "query_path",
    "query_trace",
    "query_length",
)
"""Names of the features, in the order of the matrix's columns."""

_TYPE_KINDS = frozenset(
    {
        "class",
        "type",
        "struct",
        "enum",
        "interface",
        "trait",
        "protocol",
        "module",
        "namespace",
        "object",
        "impl",
    }
)
_FUNCTION_KINDS = frozenset({"function", "method", "constructor", "macro"})


@dataclass(frozen=True, slots=True)
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


@lru_cache(maxsize=1 << 15)
def _name_terms(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(term for name in names for term in terms_of_word(name))


def _weight(found: frozenset[str], wanted: Mapping[str, float]) -> float:
    """Return the share of the wanted terms' weight that is found."""
    return sum(weight for term, weight in wanted.items() if term in found)


def compute_features(
    query: Query, candidates: Sequence[Candidate], weights: Mapping[str, float]
) -> NDArray[np.float32]:
    """Return the matrix of features, shape ``(len(candidates), len(FEATURES))``.

    Args:
        query: the query as read.
        candidates: all chunks to be ranked; features of a file are taken over its candidates.
        weights: the rarity of each content term of the query; they are scaled to sum to 1 here.
    """
    total = sum(weights.values()) or 1.0
    wanted = {term: weight / total for term, weight in weights.items()}
    rows = [_row(query, candidate, wanted) for candidate in candidates]
    matrix = np.array(rows, dtype=np.float32).reshape(len(candidates), len(FEATURES))
    _fill_retrievers(matrix, candidates)
    _fill_files(matrix, candidates, wanted)
    return matrix


def _row(query: Query, candidate: Candidate, wanted: Mapping[str, float]) -> list[float]:
    """Return one row; columns that depend on other candidates are filled later."""
    chunk, path = candidate.stored.chunk, profile_path(candidate.stored.document.path)
    row = [0.0] * len(FEATURES)
    for name, value in _name_features(query, chunk, wanted).items():
        row[_COLUMN[name]] = value
    for name, value in _path_features(query, path, candidate.stored.document.path, wanted).items():
        row[_COLUMN[name]] = value
    for name, value in _kind_features(query, candidate.stored, path).items():
        row[_COLUMN[name]] = float(value)
    return row


def _name_features(query: Query, chunk: Chunk, wanted: Mapping[str, float]) -> dict[str, float]:
    defined = chunk.defines or ((chunk.symbol,) if chunk.symbol else ())
    main = _name_terms((chunk.symbol,)) if chunk.symbol else frozenset()
    lowered = [name.lower() for name in defined]
    return {
        "defines_name": float(any(name in lowered for name in query.names)),
        "is_name": float(bool(query.names) and chunk.symbol is not None and chunk.symbol.lower() == query.names[0]),
        "symbol_coverage": _weight(_name_terms(tuple(defined)), wanted),
        "symbol_precision": len(main & wanted.keys()) / len(main) if main else 0.0,
        "scope_coverage": _weight(_name_terms(chunk.scope), wanted) if chunk.scope else 0.0,
    }


def _path_features(query: Query, path: PathProfile, full: str, wanted: Mapping[str, float]) -> dict[str, float]:
    names = [name.replace("_", "") for name in query.names]
    stem = path.stem
    return {
        "stem_is_name": float(any(stem == name or stem.rstrip("s") == name.rstrip("s") for name in names)),
        "stem_coverage": _weight(path.stem_terms, wanted),
        "stem_precision": len(path.stem_terms & wanted.keys()) / len(path.stem_terms) if path.stem_terms else 0.0,
        "folder_coverage": _weight(path.folder_terms, wanted),
        "path_match": float(query.kind == "path" and full.lower().endswith(query.text.lower().lstrip("./"))),
    }


def _kind_features(query: Query, stored: StoredChunk, path: PathProfile) -> dict[str, float]:
    chunk = stored.chunk
    return {
        "test": path.test,
        "example": path.example,
        "vendored": path.vendored,
        "entry": path.entry,
        "declaration": path.declaration,
        "prose": path.prose,
        "data": path.data,
        "type_kind": chunk.kind in _TYPE_KINDS,
        "function_kind": chunk.kind in _FUNCTION_KINDS,
        "anonymous": chunk.symbol is None,
        "first_in_file": stored.position == 0,
        "size": math.log1p(len(chunk.text)) / 8,
        "file_size": math.log1p(stored.document.size) / 12,
        "depth": min(path.depth, 10) / 10,
        "query_symbol": query.kind == "symbol",
        "query_path": query.kind == "path",
        "query_trace": query.kind == "trace",
        "query_length": min(len(query.terms), 20) / 20,
    }


def _fill_retrievers(matrix: NDArray[np.float32], candidates: Sequence[Candidate]) -> None:
    lexical = np.array([candidate.lexical for candidate in candidates], dtype=np.float32)
    dense = np.array([candidate.dense for candidate in candidates], dtype=np.float32)
    if not len(candidates):
        return
    body = np.array([candidate.body for candidate in candidates], dtype=np.float32)
    symbol = np.array([candidate.symbol for candidate in candidates], dtype=np.float32)
    matrix[:, _COLUMN["lexical"]] = lexical / max(float(lexical.max()), 1e-6)
    matrix[:, _COLUMN["lexical_body"]] = body / max(float(body.max()), 1e-6)
    matrix[:, _COLUMN["lexical_symbol"]] = symbol / max(float(symbol.max()), 1e-6)
    matrix[:, _COLUMN["lexical_rank"]] = _reciprocal_ranks(lexical)
    matrix[:, _COLUMN["dense"]] = dense
    matrix[:, _COLUMN["dense_relative"]] = dense / max(float(dense.max()), 1e-6)
    matrix[:, _COLUMN["dense_rank"]] = _reciprocal_ranks(dense)


def _reciprocal_ranks(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return 10 / (10 + rank) with rank 0 for the best, and 0 where the score is 0."""
    ranks = np.empty(len(scores), dtype=np.float32)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores), dtype=np.float32)
    return np.where(scores > 0, 10 / (10 + ranks), 0).astype(np.float32)


def _fill_files(matrix: NDArray[np.float32], candidates: Sequence[Candidate], wanted: Mapping[str, float]) -> None:
    """Fill what a chunk's file brings: several good chunks, all its names, all its words."""
    files: dict[str, list[int]] = {}
    for row, candidate in enumerate(candidates):
        files.setdefault(candidate.stored.document.path, []).append(row)
    lexical, dense = matrix[:, _COLUMN["lexical"]], matrix[:, _COLUMN["dense"]]
    most = max((float(lexical[rows].sum()) for rows in files.values()), default=1.0) or 1.0
    shallowest = _shallowest(files)
    for path, rows in files.items():
        names = tuple(name for row in rows for name in candidates[row].stored.chunk.defines)
        profile = profile_path(path)
        found = _name_terms(names)
        values = {
            "file_lexical_sum": float(lexical[rows].sum()) / most,
            "file_lexical_best": float(lexical[rows].max()),
            "file_dense_best": float(dense[rows].max()),
            "file_dense_mean": float(np.sort(dense[rows])[-3:].mean()),
            "file_candidates": math.log1p(len(rows)) / 4,
            "file_symbol_coverage": _weight(found, wanted),
            "file_defines_name": float(matrix[rows, _COLUMN["defines_name"]].max()),
            "shadowed": float(profile.depth > shallowest[profile.stem]),
            "file_coverage": _weight(found | profile.stem_terms | profile.folder_terms, wanted),
        }
        for name, value in values.items():
            matrix[rows, _COLUMN[name]] = value
        matrix[rows, _COLUMN["best_lexical_in_file"]] = lexical[rows] >= values["file_lexical_best"]
        matrix[rows, _COLUMN["best_dense_in_file"]] = dense[rows] >= values["file_dense_best"]


def _shallowest(paths: Iterable[str]) -> Mapping[str, int]:
    """Return the least depth of each file name: a deeper namesake is often a copy, a port or an older version."""
    depths: dict[str, int] = {}
    for profile in map(profile_path, paths):
        depths[profile.stem] = min(profile.depth, depths.get(profile.stem, profile.depth))
    return depths


_COLUMN: Mapping[str, int] = {name: column for column, name in enumerate(FEATURES)}
