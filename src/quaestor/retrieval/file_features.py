"""The ranker's features that a chunk has from its file: what its path says, and what else the file holds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from quaestor.named import NamedTuple
from quaestor.retrieval.matching import Matches
from quaestor.retrieval.paths import PathProfile, is_entry, profile_path
from quaestor.retrieval.query import Place, Query
from quaestor.stores import StoredChunk

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Files(NamedTuple):
    """Candidates by file.

    Attributes:
        owner: the number of each candidate's file; shape ``(candidates,)``.
        paths: each file's path.
        profiles: what each file's path says.
        corpora: the number of each file's corpus; empty where all are of one.
    """

    owner: NDArray[np.intp]
    paths: Sequence[str]
    profiles: Sequence[PathProfile]
    corpora: Sequence[int] = ()


def group_by_file(chunks: Sequence[StoredChunk]) -> Files:
    """Return candidates by file; files stand in the order of their first candidates."""
    numbers: dict[str, int] = {}
    owner = [numbers.setdefault(chunk.document.path, len(numbers)) for chunk in chunks]
    return Files(np.array(owner), list(numbers), list(map(profile_path, numbers)))


def path_features(query: Query, files: Files, paths: Matches) -> list[NDArray[np.float64]]:
    """Return stem_is_name, stem_coverage, stem_precision, folder_coverage and path_match of each file.

    Args:
        query: the query.
        files: the candidates by file.
        paths: the terms of the query in the files' paths.
    """
    stem_is_name = path_match = np.zeros(len(files.paths))
    if query.names:
        names = [name.replace("_", "") for name in query.names]
        namesakes = {name.rstrip("s") for name in names}
        stems = [profile.stem for profile in files.profiles]
        stem_is_name = np.array([stem in names or stem.rstrip("s") in namesakes for stem in stems], dtype=np.float64)
    if query.places:
        path_match = np.array([max(agreement(place.path, path) for place in query.places) for path in files.paths])
    return [stem_is_name, *paths.sums(len(files.paths)), path_match]


def line_match(places: Sequence[Place], files: Files, chunks: Sequence[StoredChunk]) -> list[bool]:
    """Return of each candidate whether any of ``places`` points at a line inside it."""
    lines = [
        [place.line for place in places if place.line is not None and agreement(place.path, path) > 0]
        for path in files.paths
    ]
    return [
        bool(lines[owner])  # of few files any
        and any(chunk.chunk.span.start_line <= line <= chunk.chunk.span.end_line for line in lines[owner])
        for owner, chunk in zip(files.owner.tolist(), chunks, strict=True)
    ]


def agreement(pointed: str, path: str) -> float:
    """Return how well a path that a query points at fits a document's: by how many names at the end agree.

    A path without an ending, as modules are written, fits files of that name with any ending, and folders by their
    entry files.

    Returns:
        0 where the file names differ, 1 where one of the two is the end of the other and holds a folder as well.
    """
    path = path.lower()
    folder, _, name = path.rpartition("/")
    asked_name = pointed.rpartition("/")[2]
    if "." not in asked_name:
        path = folder if is_entry(name) else f"{folder}/{name.split('.', 1)[0]}"
        name = path.rpartition("/")[2]
    if asked_name != name:
        return 0.0  # nearly always
    asked, known = pointed.split("/"), path.lstrip("/").split("/")
    shared = 0
    for one, other in zip(reversed(asked), reversed(known), strict=False):
        if one != other:
            break
        shared += 1
    return min(1.0, 0.4 + 0.6 * (shared - 1) / max(1, min(len(asked), len(known)) - 1))


def file_features(
    owner: NDArray[np.intp],
    lexical: NDArray[np.float32],
    dense: NDArray[np.float32],
    defines_name: NDArray[np.float32],
    covered: NDArray[np.float64],
) -> list[NDArray[np.float64]]:
    """Return what a chunk's file brings: several good chunks, and all its names.

    Args:
        owner: the number of each candidate's file.
        lexical, dense, defines_name: the features of these names, of each candidate.
        covered: of each file, as ``coverage`` gives it.

    Returns:
        file_lexical_sum to best_dense_in_file, of each candidate.
    """
    counts = np.bincount(owner)
    best_lexical = np.zeros(len(counts), dtype=np.float32)
    np.maximum.at(best_lexical, owner, lexical)
    # Each file's candidates in one run, the nearest first.
    by_dense = np.lexsort((-dense, owner))
    firsts = np.cumsum(counts) - counts
    three = by_dense[np.arange(len(owner)) - np.repeat(firsts, counts) < 3]
    sums = np.bincount(owner, lexical)
    of_files = np.array(
        [
            sums / (sums.max() or 1.0),
            best_lexical,
            dense[by_dense[firsts]],
            np.bincount(owner[three], dense[three]) / np.minimum(counts, 3),
            np.log1p(counts) / 4,
            covered[0],
            np.bincount(owner, defines_name) > 0,
            covered[1],
        ]
    )[:, owner]
    return [*of_files, lexical >= of_files[1], dense >= of_files[2]]


def coverage(files: Files, names: Matches, paths: Matches, weights: Sequence[float]) -> NDArray[np.float64]:
    """Return file_symbol_coverage and file_coverage of each file, shape ``(2, files)``.

    Args:
        files: the candidates by file.
        names: the terms of the query in the candidates' names.
        paths: those in the files' paths.
        weights: what each term tells.
    """
    held = np.zeros((len(files.paths), len(weights)))
    listed = names.shares[:, -1] > 0
    held[files.owner[names.rows[listed]], names.terms[listed]] = 1
    by_symbols = held @ weights
    held[paths.rows, paths.terms] = 1
    return np.array([by_symbols, held @ weights])


def shadowed(files: Files) -> NDArray[np.bool_]:
    """Tell of each file whether a namesake lies nearer to the root: it is often a copy, a port or an older version.

    Namesakes of two corpora have nothing to do with each other.
    """
    profiles = files.profiles
    names = list(zip(files.corpora or repeat(0), [profile.stem for profile in profiles], strict=False))
    shallowest: dict[tuple[int, str], int] = {}
    for name, profile in zip(names, profiles, strict=True):
        shallowest[name] = min(profile.depth, shallowest.get(name, profile.depth))
    return np.array([profile.depth > shallowest[name] for name, profile in zip(names, profiles, strict=True)])
