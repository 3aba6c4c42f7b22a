"""The ranker's features of a chunk's file: its path, and the file's other candidates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import terms
from quaestor.search.chunk_traits import Traits
from quaestor.search.path_roles import PathProfile, is_entry
from quaestor.search.query import Place, read_query
from quaestor.stores import FieldBoosts, Store

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HEADERS = {**dict.fromkeys(("h", "hh", "hpp", "hxx"), "c"), "mli": "ml", "fsi": "fs", "ads": "adb"}
_IMPLEMENTATIONS = {**dict.fromkeys(("c", "cc", "cpp", "cxx", "m", "mm"), "c"), "ml": "ml", "fs": "fs", "adb": "adb"}
"""The endings of headers and interfaces, and of what implements them, each with its kind."""

_LOOKED_AT = 50
_BY_PATH = FieldBoosts(0.0, 1.0, 0.0)
_SAME_NAME = 0.4
"""The agreement of two files with one name in different folders."""

Rows: TypeAlias = "slice | NDArray[np.intp]"
"""Some of the candidates."""


class CandidateFiles(NamedTuple):
    """Candidates by file.

    Attributes:
        owner: the number of each candidate's file; shape ``(candidates,)``.
        paths: each file's path.
        profiles: the profile of each file's path.
        corpora: the number of each file's corpus; empty if there is only one.
    """

    owner: NDArray[np.intp]
    paths: Sequence[str]
    profiles: Sequence[PathProfile]
    corpora: Sequence[int] = ()


def group_by_file(traits: Sequence[Traits]) -> CandidateFiles:
    """Return candidates by file, in the order of each file's first candidate."""
    profiles = [known.path for known in traits]
    numbers: dict[str, int] = {}
    owner = [numbers.setdefault(profile.path, len(numbers)) for profile in profiles]
    of_paths = {profile.path: profile for profile in profiles}
    return CandidateFiles(np.array(owner), list(numbers), list(of_paths.values()))


def best_agreement(places: Sequence[Place], files: CandidateFiles) -> NDArray[np.float64]:
    """Return how well each file's path fits its best place, 0 if there are no places; shape ``(files,)``."""
    if not places:
        return np.zeros(len(files.paths))
    return np.array([max(path_agreement(place.path, path) for place in places) for path in files.paths])


def line_match(places: Sequence[Place], files: CandidateFiles, traits: Sequence[Traits]) -> list[bool]:
    """Return for each candidate whether any of ``places`` points at a line inside it."""
    lines = [
        [place.line for place in places if place.line is not None and path_agreement(place.path, path) > 0]
        for path in files.paths
    ]
    return [
        bool(lines[owner])  # of few files any
        and any(known.holds_line(line) for line in lines[owner])
        for owner, known in zip(files.owner.tolist(), traits, strict=True)
    ]


def path_agreement(query_path: str, path: str) -> float:
    """Return how well a path that a query points at fits a document's: by how many names at the end agree.

    A path without an ending, as modules are written, fits files of that name with any ending, and folders by their
    entry files.

    Returns:
        0 if the file names differ, 1 if one path is the end of the other and both have a folder.
    """
    path = path.lower()
    folder, _, name = path.rpartition("/")
    asked_name = query_path.rpartition("/")[2]
    if "." not in asked_name:
        path = folder if is_entry(name) else f"{folder}/{name.split('.', 1)[0]}"
        name = path.rpartition("/")[2]
    if asked_name != name:
        return 0.0  # nearly always
    wanted, known = query_path.split("/"), path.lstrip("/").split("/")
    shared = 0
    for one, other in zip(reversed(wanted), reversed(known), strict=False):
        if one != other:
            break
        shared += 1
    return min(1.0, 0.4 + 0.6 * (shared - 1) / max(1, min(len(wanted), len(known)) - 1))


class FileScores(NamedTuple):
    """For each candidate, a summary of its file's candidates; shape ``(candidates,)``.

    Attributes:
        sums: the sum of their scores, in units of the greatest of their part.
        best: the best of their scores.
    """

    sums: NDArray[np.float64]
    best: NDArray[np.float32]


def scores_in_file(owner: NDArray[np.intp], scores: NDArray[np.float32], parts: Sequence[Rows]) -> FileScores:
    """Return a summary of the scores of each file's candidates.

    Args:
        owner: the number of each candidate's file.
        scores: the score of each candidate.
        parts: the rows of those that are compared with each other, all candidates of a file among them.
    """
    sums = np.bincount(owner, scores).astype(np.float64, copy=False)
    best = np.zeros(len(sums), dtype=np.float32)
    np.maximum.at(best, owner, scores)
    shares = sums[owner]
    for part in parts:
        shares[part] /= shares[part].max() or 1.0
    return FileScores(shares, best[owner])


def has_namesake_above(files: CandidateFiles, behind: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each file whether a namesake is nearer to the root: the deeper one is often a copy or a port.

    Namesakes in two corpora are unrelated, and so are a background file and any other.
    """
    profiles = files.profiles
    stems = [profile.stem for profile in profiles]
    names = list(zip(files.corpora or repeat(0), behind.tolist(), stems, strict=False))
    shallowest: dict[tuple[int, bool, str], int] = {}
    for name, profile in zip(names, profiles, strict=True):
        shallowest[name] = min(profile.depth, shallowest.get(name, profile.depth))
    return np.array([profile.depth > shallowest[name] for name, profile in zip(names, profiles, strict=True)])


def is_implemented_elsewhere(files: CandidateFiles, behind: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each file whether it is a header that a namesake implements: ``pool.hpp`` of ``pool.cpp``.

    An interface of OCaml, F# or Ada is such a header. One without a namesake says all there is, as those of templates
    do. Files of two corpora are unrelated, and so are a background file and any other.
    """
    profiles = files.profiles
    kinds = [_HEADERS.get(one.ending, "") for one in profiles]
    if not any(kinds):
        return np.zeros(len(kinds), dtype=np.bool_)
    names = [*zip(files.corpora or repeat(0), behind.tolist(), (one.stem for one in profiles), strict=False)]
    implemented = {
        (*name, _IMPLEMENTATIONS[one.ending])
        for name, one in zip(names, profiles, strict=True)
        if one.ending in _IMPLEMENTATIONS
    }
    return np.array([(*name, kind) in implemented for name, kind in zip(names, kinds, strict=True)])


def is_path_in(store: Store, name: str) -> bool:
    """Return whether a document's path ends as a path or module does, whatever separates its folders."""
    for place in read_query(name).places:
        stem = place.path.rpartition("/")[2].partition(".")[0]
        near = store.lexical(terms(stem), _LOOKED_AT, None, _BY_PATH)
        if any(_is_same_file(place.path, path) for path in store.paths_of(chunk for chunk, _ in near)):
            return True
    return False


def _is_same_file(question_path: str, path: str) -> bool:
    """Return whether two paths have the same file name, and the same folder if both have one."""
    folders = "/" in question_path and "/" in path
    return path_agreement(question_path, path) > (_SAME_NAME if folders else 0)
