"""The main folders and files, most telling first: what documents name, where the code is, what others import."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quaestor.answers.overview.material import Material, depth_in, parent_of, weight_of
from quaestor.answers.overview.named_paths import Named
from quaestor.search.background import CHANGELOG, LEGAL

_MOST = 160
_DEEPER = 0.62
_TOP_LEVEL = 0.30
_PACKAGE = 0.35
_NAMED = 1.5
_IMPORTED = 0.5
_ENTERED = 0.4
_LISTED = 0.9
_ALONE = 0.5
_DEEPEST_PACKAGE = 3
_MANIFESTS = (
    "cargo.toml package.json pyproject.toml setup.py go.mod pom.xml build.gradle build.gradle.kts mix.exs"
    " pubspec.yaml composer.json"
    " package.yaml rebar.config"
).split()
_ASIDE = frozenset({CHANGELOG, LEGAL})


@dataclass(frozen=True, slots=True)
class Part:
    """A folder or a file that an overview may show.

    Attributes:
        path: relative to the root.
        importance: above 0.
        folder: whether it is one.
    """

    path: str
    importance: float
    folder: bool


def parts(
    material: Material, named: Mapping[str, Named], imported: Mapping[str, int], entered: Sequence[str]
) -> list[Part]:
    """Return the folders and files of a corpus that matter most, the most important first; at most 160.

    Args:
        material: the documents.
        named: what documents name.
        imported: number of importing files by path.
        entered: paths of entry points.
    """
    sizes, levels = _sizes(material)
    packages = frozenset(_packages(material))
    total = sizes.get(material.folder, 0.0) or 1.0
    most = max(imported.values(), default=0) or 1
    found: dict[str, Part] = {}
    for path, size in sizes.items():
        if path == material.folder or (_is_hidden(path) and (path not in named or named[path].weight < _LISTED)):
            continue
        folder = path not in material.documents
        if folder and path not in named and levels.is_passage(path):
            continue
        depth = levels(path)
        value = math.sqrt(size / total) * _DEEPER**depth * (1.0 if folder else _ALONE)
        if folder and depth_in(path, material.folder) == 0:
            value += _TOP_LEVEL
        if folder and path in packages:
            value += _PACKAGE
        value += _IMPORTED * math.sqrt(imported.get(path, 0) / most)
        value += _ENTERED * (path in entered)
        if path in named and not _is_aside(path, material):
            value += _NAMED * min(named[path].weight, 1.2) + (0.2 if named[path].says else 0.0)
        if value > 0.02:
            found[path] = Part(path, value, folder)
    return sorted(found.values(), key=lambda one: (-one.importance, one.path))[:_MOST]


def _packages(material: Material) -> Iterator[str]:
    """Yield the folders that have a manifest of their own: the packages of a workspace."""
    for name in _MANIFESTS:
        for path in material.named(name, _DEEPEST_PACKAGE):
            profile = material.profile(path)
            if not (profile.test or profile.example):
                yield parent_of(path)


class _Levels:
    """How deep a path lies, folders that hold a single folder and nothing else aside."""

    def __init__(self, root: str, children: Mapping[str, int], holding: frozenset[str]) -> None:
        self._children = children
        self._holding = holding
        self._known = {root: 0}

    def is_passage(self, folder: str) -> bool:
        """Return whether a folder holds another one and nothing else."""
        return self._children.get(folder, 0) == 1 and folder not in self._holding

    def __call__(self, path: str) -> int:
        above = parent_of(path)
        if above not in self._known:
            self._known[above] = self(above)
        return self._known[above] + (self._children.get(above, 0) > 1)


def _sizes(material: Material) -> tuple[dict[str, float], _Levels]:
    """Return what each folder and file counts for, and what tells how deep they lie."""
    code = material.is_code
    sizes = {path: weight_of(one, material.profile(path), code=code) for path, one in material.documents.items()}
    children = Counter(map(parent_of, sizes))
    holding = frozenset(children)
    totals: dict[str, float] = defaultdict(float)
    for path, size in sizes.items():
        totals[parent_of(path)] += size
    inside = [one for one in material.folders if _is_within(one, material.folder)]
    # The deepest first: what a folder holds is known before it is added to the one above.
    for folder in sorted(inside, key=lambda one: one.count("/"), reverse=True):
        if totals[folder]:
            totals[parent_of(folder)] += totals[folder]
            children[parent_of(folder)] += 1
    return {**totals, **sizes}, _Levels(material.folder, children, holding)


def _is_within(folder: str, root: str) -> bool:
    return not root or folder.startswith(f"{root}/")


def _is_hidden(path: str) -> bool:
    return path.startswith(".") or "/." in path


def _is_aside(path: str, material: Material) -> bool:
    """Return whether a document only names what is not part: a changelog, a licence, another page of prose."""
    if path not in material.documents:
        return False
    profile = material.profile(path)
    return (
        profile.background in _ASIDE or (profile.prose and material.is_code) or path.rpartition("/")[2].startswith(".")
    )
