"""Chooses a corpus's main folders and files and draws as many as fit as a tree.

A part is important if documents name it, if it holds much code, or if many other files import it; tests and vendored
files do not count.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from posixpath import dirname

from quaestor.answers.overview.introduction import shorten
from quaestor.answers.overview.material import DOCUMENTATION, Material, depth_in, parent_of, weight_of
from quaestor.answers.overview.named_paths import NamedPath
from quaestor.answers.overview.overview_text import Entry, Statement
from quaestor.answers.overview.path_descriptions import defined_names, description
from quaestor.chunking.languages import PROSE
from quaestor.related.imports import imports_of
from quaestor.search.background_documents import CHANGELOG, LEGAL
from quaestor.search.path_roles import is_beside_program

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
_FULL = 6  # files of one folder that count in full
_MANIFESTS = (
    "cargo.toml package.json pyproject.toml setup.py go.mod pom.xml build.gradle build.gradle.kts mix.exs"
    " pubspec.yaml composer.json"
    " package.yaml rebar.config"
).split()
_PICTURES = (".svg", ".drawio", ".puml", ".excalidraw")
_WRAPPERS = frozenset("gradlew gradlew.bat mvnw mvnw.cmd".split())  # each build tool gives the same to every project
_HEADERS = ("h", "hh", "hpp", "hxx")
_SOURCES = ("c", "cc", "cpp", "cxx", "m", "mm")
_ASIDE = frozenset({CHANGELOG, LEGAL})

# Words of import statements; the lexical index tells which chunks hold one.
_WORDS = ("import", "require", "include", "use", "from", "mod", "alias", "require_relative")
_MOST_CHUNKS = 6000

# How long what is said of a part may be; where room is short, all of them are shortened before any part is left out.
_LENGTHS = (100, 70, 48, 30)
# Of this importance are what documents list as a part and the folders of the root that hold much.
_WANTED = 0.9
_MARK_TOKENS = 4  # of a citation mark with what parts it from the words
_NAMES = 4
_MOST_FURTHER = 24
_AHEAD = 3
"""The number of places by which a folder of the root moves up if an entry point lies in it."""

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class _Part:
    """A folder or a file that an overview may show.

    Attributes:
        path: the path relative to the root.
        importance: how much it matters; above 0.
        folder: whether it is a folder.
    """

    path: str
    importance: float
    folder: bool


def parts(
    material: Material, named_paths: Mapping[str, NamedPath], imported: Mapping[str, int], entered: Sequence[str]
) -> list[_Part]:
    """Return the folders and files of a corpus that matter most, the most important first; at most 160.

    Args:
        material: the documents.
        named_paths: the paths that documents name.
        imported: the number of importing files by path.
        entered: the paths of entry points.
    """
    sizes, levels = _sizes(material)
    packages = frozenset(_packages(material))
    total = sizes.get(material.folder, 0.0) or 1.0
    bare = _are_mostly_hidden(material)
    imported = _with_sources(imported, material)
    most = max(imported.values(), default=0) or 1
    by_path: dict[str, _Part] = {}
    for path, size in sizes.items():
        hidden = _is_hidden(path) and not bare and (path not in named_paths or named_paths[path].weight < _LISTED)
        if path == material.folder or hidden:
            continue
        folder = path not in material.documents
        if folder and path not in named_paths and levels.is_passage(path):
            continue
        if not folder and _is_one_of_many(path, material, named_paths):
            continue
        depth = levels(path)
        value = math.sqrt(size / total) * _DEEPER**depth * (1.0 if folder else _ALONE)
        if folder and depth_in(path, material.folder) == 0:
            value += _TOP_LEVEL
        if folder and path in packages:
            value += _PACKAGE
        value += _IMPORTED * math.sqrt(imported.get(path, 0) / most)
        value += _ENTERED * (path in entered)
        if path in named_paths and not _is_aside(path, material):
            value += _NAMED * min(named_paths[path].weight, 1.2) + (0.2 if named_paths[path].says else 0.0)
        by_path[path] = _Part(path, value, folder)
    return _most_important(_spread_over_folders(_most_important(by_path.values())))[:_MOST]


def _with_sources(imported: Mapping[str, int], material: Material) -> Mapping[str, int]:
    """Return how many files import each file; a header's number goes to the source of its name beside it, if larger.

    The source implements what the header declares, so of the two the source is worth reading.
    """
    source_of = {path: _source_beside(path, material) for path in imported}
    return {source_of[path] or path: number for path, number in imported.items()}


def _source_beside(path: str, material: Material) -> str:
    stem, _, ending = path.rpartition(".")
    sources = (f"{stem}.{one}" for one in _SOURCES) if ending in _HEADERS else ()
    source = next((one for one in sources if one in material.documents), "")
    return source if source and material.documents[source].size > material.documents[path].size else ""


def _most_important(candidates: Iterable[_Part]) -> list[_Part]:
    return sorted(candidates, key=lambda one: (-one.importance, one.path))


def _spread_over_folders(candidates: Iterable[_Part]) -> Iterator[_Part]:
    """Yield parts, each file less important the more files of its folder came before it."""
    seen: Counter[str] = Counter()
    for one in candidates:
        above = parent_of(one.path)
        seen[above] += not one.folder
        yield one if one.folder else replace(one, importance=one.importance * min(1.0, _FULL / seen[above]))


def _packages(material: Material) -> Iterator[str]:
    """Yield the folders that have a manifest of their own: the packages of a workspace."""
    for name in _MANIFESTS:
        for path in material.paths_named(name, _DEEPEST_PACKAGE):
            profile = material.profile(path)
            if not (profile.test or profile.example):
                yield parent_of(path)


class _Levels:
    """How deep a path lies, not counting folders that hold a single folder and nothing else."""

    def __init__(self, root: str, children: Mapping[str, int], holding: frozenset[str]) -> None:
        self._children = children
        self._holding = holding
        self._levels = {root: 0}

    def is_passage(self, folder: str) -> bool:
        """Return whether a folder holds another one and nothing else."""
        return self._children.get(folder, 0) == 1 and folder not in self._holding

    def __call__(self, path: str) -> int:
        above = parent_of(path)
        if above not in self._levels:
            self._levels[above] = self(above)
        return self._levels[above] + (self._children.get(above, 0) > 1)


def _sizes(material: Material) -> tuple[dict[str, float], _Levels]:
    """Return the weight of each folder and file, and their depths."""
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


def _are_mostly_hidden(material: Material) -> bool:
    """Return whether most files of the root are hidden; then the corpus is a person's settings, and they are shown."""
    own = [path.rpartition("/")[2] for path in material.beside(material.folder)]
    return 2 * sum(name.startswith(".") for name in own) > len(own)


def _is_hidden(path: str) -> bool:
    return path.startswith(".") or "/." in path


def _is_one_of_many(path: str, material: Material, named_paths: Mapping[str, NamedPath]) -> bool:
    """Return whether a file is not shown as a part: a picture, a wrapper, or an undescribed example or test."""
    profile = material.profile(path)
    if (profile.test or profile.example) and material.has_program:
        return path not in named_paths or named_paths[path].says is None
    return path.lower().endswith(_PICTURES) or path.rpartition("/")[2] in _WRAPPERS


def _is_aside(path: str, material: Material) -> bool:
    """Return whether a named document is no main part: a changelog, a licence, a page of prose beside code."""
    if path not in material.documents:
        return False
    profile = material.profile(path)
    return (
        profile.background in _ASIDE or (profile.prose and material.is_code) or path.rpartition("/")[2].startswith(".")
    )


def importers_of(material: Material) -> Counter[str]:
    """Return the number of files that import each file.

    Only chunks with a word of an import statement are read. Of more than 6,000 such chunks, only those with the most
    such words are read, so the numbers are lower bounds then.
    """
    pairs: set[tuple[str, str]] = set()
    for stored in material.chunks_with(_WORDS, _MOST_CHUNKS):
        path = stored.document.path
        if _counts(material, path):
            for one in imports_of(stored.chunk.text, stored.document.language):
                target = material.modules.resolve(one, path)
                if target is not None and target != path:
                    pairs.add((path, target))
    # Sorted: of files that are imported equally often, the first are shown, in every process the same.
    return Counter(
        _unit(target) for _, target in sorted(pairs) if _counts(material, target) and target in material.documents
    )


def _unit(path: str) -> str:
    """Return what an import of a file refers to: the file, or in Go its whole folder."""
    return dirname(path) or path if path.endswith(".go") else path


def _counts(material: Material, path: str) -> bool:
    profile = material.profile(path)
    return not (profile.test or profile.example or material.stands_behind(path))


@dataclass(frozen=True, slots=True)
class _ShownParts:
    """The parts that are shown, each with its description."""

    says: Mapping[str, Statement | None]
    folders: frozenset[str]


def tree(
    material: Material,
    parts: Sequence[_Part],
    named_paths: Mapping[str, NamedPath],
    room: int,
    count: Count,
    entered: Sequence[str] = (),
) -> list[Entry]:
    """Return the most important parts as lines of a tree that take about ``room`` tokens at most.

    Args:
        material: the documents.
        parts: the parts, most important first.
        named_paths: the paths that documents name, with their descriptions.
        room: the number of tokens that the lines may take.
        count: counts the tokens of a text.
        entered: the paths of entry points; the root's folders that hold one come first.
    """
    chooser = _PartChooser(material, named_paths, room, count)
    wanted = [part for part in parts if part.importance >= _WANTED]
    longest = next((length for length in _LENGTHS if chooser.fits(wanted, length)), 0)
    return list(_tree_lines(chooser.choose(parts, longest), material, parts, entered))


class _PartChooser:
    """Adds parts, the most important first, while there is space."""

    def __init__(self, material: Material, named_paths: Mapping[str, NamedPath], room: int, count: Count) -> None:
        self._material = material
        self._named_paths = named_paths
        self._room = room
        self._count = count
        self._statements: dict[str, Statement | None] = {}

    def fits(self, parts: Sequence[_Part], longest: int) -> bool:
        """Return whether all of some parts fit, with descriptions of at most ``longest`` characters."""
        return (
            sum(self._name_tokens(part.path) + self._tokens(self._short_statement(part, longest)) for part in parts)
            <= self._room
        )

    def choose(self, parts: Sequence[_Part], longest: int) -> _ShownParts:
        left = self._room
        says: dict[str, Statement | None] = {}
        for part in parts:
            name = self._name_tokens(part.path)
            about = self._short_statement(part, longest) if longest else None
            more = self._tokens(about)
            if name > left:
                break
            # The last of the room is for names: a part that is only named can be asked for.
            says[part.path] = (
                about if name + more <= 0.85 * left or (part.importance >= _WANTED and name + more <= left) else None
            )
            left -= name + (more if says[part.path] else 0)
        return _ShownParts(says, self._material.folders)

    def _short_statement(self, part: _Part, longest: int) -> Statement | None:
        if part.path not in self._statements:
            self._statements[part.path] = self._statement_of(part.path)
        says = self._statements[part.path]
        if says is None or longest <= 0:
            return None
        if says.brief is not None:
            return says._replace(brief=shorten(says.brief, longest))
        text = shorten(says.text, longest)
        return says._replace(text=text, verbatim=says.verbatim and not text.endswith("…"))

    def _statement_of(self, path: str) -> Statement | None:
        statement = self._named_paths[path].says if path in self._named_paths else None
        statement = statement or description(self._material, path)
        if statement is None or self._is_said_of_folder(path, statement):
            return defined_names(self._material, path, _NAMES) or statement
        return statement

    def _is_said_of_folder(self, path: str, statement: Statement) -> bool:
        """Return whether the same is said of the folder above, so that the names that a file defines tell more."""
        above = dirname(path)
        known = above in self._material.folders and above != self._material.folder
        return known and statement == description(self._material, above)

    def _name_tokens(self, path: str) -> int:
        return self._count(path.rpartition("/")[2]) + 3

    def _tokens(self, says: Statement | None) -> int:
        return 0 if says is None else self._count(says.text if says.brief is None else says.brief) + _MARK_TOKENS


def _tree_lines(
    shown_parts: _ShownParts, material: Material, all_parts: Sequence[_Part], entered: Sequence[str]
) -> Iterator[Entry]:
    """Yield the lines of the tree below a folder, the most important of each folder first."""
    root = material.folder
    order = {part.path: number for number, part in enumerate(all_parts)}
    children: dict[str, list[str]] = defaultdict(list)
    for path in _with_ancestors(shown_parts.says):
        children[dirname(path) or ""].append(path)
    # A folder is as important as the most important thing in it.
    best: dict[str, int] = {}
    for path in shown_parts.says:
        above = path
        while above and above != root:
            best[above] = min(best.get(above, len(order)), order[path])
            above = dirname(above)
    # Whoever asks for a program begins where it begins, not in its manual.
    beside = {path for path in children[root] if material.is_code and _stands_beside_code(path, material)}
    begins = {path for path in children[root] if any(one.startswith(f"{path}/") for one in entered)}
    children[root].sort(key=lambda path: (path in beside, best[path] - _AHEAD * (path in begins)))
    best.update({path: number - len(all_parts) for number, path in enumerate(children[root])})
    yield from _lines_below(root, "", 0, children, best, shown_parts)


def _stands_beside_code(folder: str, material: Material) -> bool:
    """Return whether a folder of the root is documentation, by its name, or mostly holds what is not the program.

    That is prose, Dockerfiles, tests, examples, and scripts for work on the program.
    """
    if folder.lower() in DOCUMENTATION:
        return True
    within = [one for path, one in material.documents.items() if path.startswith(f"{folder}/")]
    beside = (one.language in PROSE or one.language == "dockerfile" or is_beside_program(one.path) for one in within)
    return 2 * sum(beside) > len(within)


def _lines_below(
    folder: str,
    shown: str,
    depth: int,
    children: Mapping[str, Sequence[str]],
    best: Mapping[str, int],
    shown_parts: _ShownParts,
) -> Iterator[Entry]:
    further: list[str] = []
    for path in sorted(children.get(folder, ()), key=lambda one: best[one]):
        name = shown + path.rpartition("/")[2]
        is_folder = path in shown_parts.folders
        within = children.get(path, ())
        if is_folder and path not in shown_parts.says and len(within) == 1:
            # A folder of which nothing is known but that it holds the next one shares its line.
            yield from _lines_below(path, f"{name}/", depth, children, best, shown_parts)
        elif within or shown_parts.says.get(path):
            yield Entry(f"{name}/" if is_folder else name, shown_parts.says.get(path), depth)
            yield from _lines_below(path, "", depth + 1, children, best, shown_parts)
        else:
            further.append(f"{name}/" if is_folder else name)
    if further:
        yield Entry(depth=depth, further=tuple(further[:_MOST_FURTHER]))


def _with_ancestors(paths: Iterable[str]) -> Iterator[str]:
    """Yield paths and all folders above them, each once."""
    seen: set[str] = set()
    for path in paths:
        above = path
        while above and above not in seen:
            seen.add(above)
            yield above
            above = dirname(above)
