"""Finds the query's terms in the candidates' names and in the paths of their files.

Most candidates match no term and most others one, so matches are kept as sparse entries, one per row and term, and
features are sums over these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.search.chunk_traits import Traits
from quaestor.search.path_roles import PathProfile

if TYPE_CHECKING:
    from numpy.typing import NDArray

# BM25 over names: the usual constants, and some number of terms for the mean, which no ranking depends on.
_K1 = 1.2
_B = 0.75
_MEAN_NAMED = 12.0


class TermMatches(NamedTuple):
    """Terms of a query by their rows.

    Attributes:
        rows: the row of each entry, ascending; shape ``(entries,)``.
        terms: its term, by its place among those of the query.
        shares: what it adds to each of some features; shape ``(entries, features)``.
    """

    rows: NDArray[np.intp]
    terms: NDArray[np.intp]
    shares: NDArray[np.float64]

    def sums(self, count: int) -> NDArray[np.float64]:
        """Return the shares of each row added up; shape ``(features, count)``."""
        return np.array([np.bincount(self.rows, column, count) for column in self.shares.T])


def terms_in_names(traits: Sequence[Traits], weights: Mapping[str, float]) -> TermMatches:
    """Return the terms in and around each chunk's names.

    Their shares add to lexical_symbol (BM25, Robertson and Zaragoza, 2009), to symbol_coverage, and to the share of the
    symbol's parts that the query has.

    Args:
        traits: the traits of the candidates.
        weights: the weight of each term of the query.
    """
    words, numbers = frozenset(weights), _numbers(weights)
    entries: list[float] = []
    for row, known in enumerate(traits):
        if hit := known.terms & words:
            terms = known.all_terms
            norm = _K1 * (1 - _B + _B * len(terms) / _MEAN_NAMED)
            # In order, so that sums are the same whatever order the set has.
            for term in sorted(hit) if len(hit) > 1 else hit:
                weight, count = weights[term], terms.count(term)
                entries += (
                    row,
                    numbers[term],
                    weight * count / (count + norm),
                    weight if term in known.name_terms else 0.0,
                    1 / len(known.symbol_parts) if term in known.symbol_parts else 0.0,
                )
    return _matches(entries, 3)


def terms_in_paths(profiles: Sequence[PathProfile], weights: Mapping[str, float]) -> TermMatches:
    """Return the terms in each file's path; they add to stem_coverage and folder_coverage.

    Args:
        profiles: the profiles of the files.
        weights: the weight of each term of the query.
    """
    words, numbers = frozenset(weights), _numbers(weights)
    entries: list[float] = []
    for row, profile in enumerate(profiles):
        for term in sorted(profile.terms & words):
            weight = weights[term]
            entries += (
                row,
                numbers[term],
                weight if term in profile.stem_terms else 0.0,
                weight if term in profile.folder_terms else 0.0,
            )
    return _matches(entries, 2)


def _numbers(weights: Mapping[str, float]) -> Mapping[str, int]:
    return dict(zip(weights, range(len(weights)), strict=True))


def _matches(entries: Sequence[float], features: int) -> TermMatches:
    """Return entries that follow one another, each a row, a term, and so many shares."""
    table = np.fromiter(entries, np.float64, len(entries)).reshape(-1, 2 + features)
    return TermMatches(table[:, 0].astype(np.intp), table[:, 1].astype(np.intp), table[:, 2:])
