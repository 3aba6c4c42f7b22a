"""Finds the query's terms in the candidates' names and in the paths of their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quaestor.search.chunk_traits import Traits
from quaestor.search.path_roles import PathProfile

if TYPE_CHECKING:
    from numpy.typing import NDArray

# BM25 over names: the usual constants, and some number of terms for the mean, which no ranking depends on.
_K1 = 1.2
_B = 0.75
_MEAN_NAMED = 12.0


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
