"""The ranker's features that a chunk has from its file: what its path says, and what else the file holds."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from quaestor.retrieval.paths import PathProfile
from quaestor.retrieval.query import Query
from quaestor.retrieval.traits import Traits

if TYPE_CHECKING:
    from numpy.typing import NDArray

Columns: TypeAlias = "Mapping[str, NDArray[np.float32] | NDArray[np.float64] | NDArray[np.bool_]]"
Told: TypeAlias = "Sequence[frozenset[str]]"
"""The terms of the query that each candidate's names hold."""


class Files(NamedTuple):
    """Candidates by file.

    Attributes:
        owner: the number of each candidate's file; shape ``(candidates,)``.
        traits: those of each candidate.
        paths: each file's path.
        profiles: what each file's path says.
    """

    owner: NDArray[np.intp]
    traits: Sequence[Traits]
    paths: Sequence[str]
    profiles: Sequence[PathProfile]


def group_by_file(traits: Sequence[Traits]) -> Files:
    """Return candidates by file; files stand in the order of their first candidates."""
    numbers: dict[str, int] = {}
    owner = [numbers.setdefault(known.stored.document.path, len(numbers)) for known in traits]
    profiles = {number: known.path for number, known in zip(owner, traits, strict=True)}
    return Files(np.array(owner, dtype=np.intp), traits, list(numbers), list(profiles.values()))


def weight_of(found: Collection[str], wanted: Mapping[str, float]) -> float:
    """Return the weight of some of the wanted terms; exact, so that the order of a set does not matter."""
    return math.fsum([wanted[term] for term in found]) if found else 0.0


def path_features(query: Query, files: Files, wanted: Mapping[str, float]) -> NDArray[np.float32]:
    """Return stem_is_name, stem_coverage, stem_precision, folder_coverage and path_match of each file."""
    names = [name.replace("_", "") for name in query.names]
    namesakes = {name.rstrip("s") for name in names}
    words = frozenset(wanted)
    rows = []
    for path, profile in zip(files.paths, files.profiles, strict=True):
        hit = profile.stem_terms & words
        rows.append(
            (
                profile.stem in names or profile.stem.rstrip("s") in namesakes,
                weight_of(hit, wanted),
                len(hit) / len(profile.stem_terms) if hit else 0.0,
                weight_of(profile.folder_terms & words, wanted),
                max([agreement(place.path, path) for place in query.places], default=0.0),
            )
        )
    return np.array(rows, dtype=np.float32)


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


def file_features(
    files: Files,
    told: Told,
    wanted: Mapping[str, float],
    lexical: NDArray[np.float32],
    dense: NDArray[np.float32],
    defines_name: NDArray[np.float32],
) -> Columns:
    """Return what a chunk's file brings: several good chunks, all its names, a namesake nearer to the root.

    Args:
        files: the candidates by file.
        told: the terms of the query that each candidate's names hold.
        wanted: the weight of each term of the query.
        lexical, dense, defines_name: the features of these names, of each candidate.
    """
    owner, counts = files.owner, np.bincount(files.owner)
    # Each file's candidates in one run, the best first.
    by_lexical, by_dense = np.lexsort((-lexical, owner)), np.lexsort((-dense, owner))
    firsts = np.cumsum(counts) - counts
    sums = np.bincount(owner, weights=lexical)
    best_lexical, best_dense = lexical[by_lexical[firsts]], dense[by_dense[firsts]]
    rank = np.arange(len(owner)) - np.repeat(firsts, counts)
    three = by_dense[rank < 3]
    mean_dense = np.bincount(owner[three], weights=dense[three]) / np.minimum(counts, 3)
    coverage, everything, shadowed = _covered(files, told, wanted)
    return {
        "file_lexical_sum": (sums / (sums.max() or 1.0))[owner],
        "file_lexical_best": best_lexical[owner],
        "file_dense_best": best_dense[owner],
        "file_dense_mean": mean_dense[owner],
        "file_candidates": np.log1p(counts)[owner] / 4,
        "file_defines_name": (np.bincount(owner, weights=defines_name) > 0)[owner],
        "best_lexical_in_file": lexical >= best_lexical[owner],
        "best_dense_in_file": dense >= best_dense[owner],
        "file_symbol_coverage": coverage[owner],
        "file_coverage": everything[owner],
        "shadowed": shadowed[owner],
    }


def _covered(files: Files, told: Told, wanted: Mapping[str, float]) -> NDArray[np.float32]:
    """Return file_symbol_coverage, file_coverage and shadowed, shape ``(3, files)``."""
    words = frozenset(wanted)
    listed: list[frozenset[str]] = [frozenset()] * len(files.paths)
    for owner, known, hit in zip(files.owner.tolist(), files.traits, told, strict=True):
        if hit:
            listed[owner] |= known.listed_terms & hit
    shallowest = _shallowest(files.profiles)
    rows = []
    for symbols, profile in zip(listed, files.profiles, strict=True):
        everything = symbols | ((profile.stem_terms | profile.folder_terms) & words)
        rows.append(
            (weight_of(symbols, wanted), weight_of(everything, wanted), profile.depth > shallowest[profile.stem])
        )
    return np.array(rows, dtype=np.float32).T


def _shallowest(profiles: Sequence[PathProfile]) -> Mapping[str, int]:
    """Return the least depth of each file name: a deeper namesake is often a copy, a port or an older version."""
    depths: dict[str, int] = {}
    for profile in profiles:
        depths[profile.stem] = min(profile.depth, depths.get(profile.stem, profile.depth))
    return depths
