"""Imports of a source file, resolved to documents. Pure: text and paths in, paths out.

Import statements are read, and manifests for the names of a repository's own packages. An import that fits several
documents means the one nearest to the importing file; an import that fits none is of another package.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from posixpath import dirname, splitext
from typing import Any, TypeAlias

from quaestor.search.path_roles import profile_path

_M = re.MULTILINE
_PYTHON_FROM = re.compile(r"^[ \t]*from[ \t]{1,99}(\.*[\w.]*)[ \t]{1,99}import[ \t]+(\([^)]{0,8000}\)|[^\n]*)", _M)
_PYTHON_IMPORT = re.compile(r"^[ \t]*import[ \t]+([\w., \t]+)", _M)
_JAVASCRIPT = re.compile(r"""(?:\bfrom|\bimport|\brequire[ \t]*\(|\bimport[ \t]*\()\s*["']([^"'\n]+)["']""")
_JAVASCRIPT_BEGINS = re.compile(r"^[ \t]*(?:import(?:[ \t]+type)?|const|let|var)[ \t]+", _M)
_JAVASCRIPT_ENDS = re.compile(r"""(?:\bfrom|=[ \t]*require[ \t]*\()\s*["']([^"'\n]+)["']""")
_JAVASCRIPT_NAMES = re.compile(r"[\w$\s{},*]+")
_JAVASCRIPTS = frozenset({"javascript", "typescript", "tsx", "vue", "svelte"})
_JVM = re.compile(r"^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]+)", _M)
_C = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', _M)
_PATTERNS: dict[str, tuple[re.Pattern[str], ...]] = {
    "javascript": (_JAVASCRIPT,),
    "typescript": (_JAVASCRIPT,),
    "tsx": (_JAVASCRIPT,),
    "vue": (_JAVASCRIPT,),
    "svelte": (_JAVASCRIPT,),
    "go": (re.compile(r'^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([\w./~-]+)"[ \t]*$', _M),),
    "rust": (
        re.compile(r"\buse[ \t]+(\w+(?:::\w+)*)"),
        re.compile(r"^[ \t]*(?:pub(?:\([^)\n]*\))?[ \t]+)?(mod[ \t]+\w+)[ \t]*;", _M),
    ),
    "java": (_JVM,),
    "kotlin": (_JVM,),
    "scala": (_JVM,),
    "c": (_C,),
    "cpp": (_C,),
    "ruby": (re.compile(r"""\brequire(?:_relative)?[ \t]*\(?["']([^"'\n]+)["']"""),),
    "php": (
        re.compile(r"^[ \t]*use[ \t]+(?:function[ \t]+)?([\w\\]+)", _M),
        re.compile(r"""\b(?:require|include)(?:_once)?\b[^'"\n]{0,200}["']([^"'\n]+)["']"""),
    ),
    "lua": (re.compile(r"""\brequire[ \t]*\(?["']([\w./-]+)["']"""),),
    "haskell": (re.compile(r"^import[ \t]+(?:qualified[ \t]+)?([\w.]+)", _M),),
    "elixir": (re.compile(r"^[ \t]*(?:alias|import|use|require)[ \t]+([A-Z][\w.]*)", _M),),
    "bash": (re.compile(r"""^[ \t]*(?:source|\.)[ \t]+["']?([^"'\s]+)""", _M),),
    "zig": (re.compile(r'@import\("([^"\n]+)"\)'),),
}
_AS_PATHS = frozenset({"javascript", "typescript", "tsx", "vue", "svelte", "go", "c", "cpp", "ruby", "bash", "zig"})
# A file of this name stands for its folder.
_ENTRIES = frozenset({"__init__", "index", "mod", "lib", "init"})
MANIFESTS = frozenset({"composer.json", "package.json", "Cargo.toml", "go.mod"})
"""Files that say under which names a repository's own packages are imported; see ``packages_of``."""
_CRATE = re.compile(r"^\[package\][^\[]*?^name\s*=\s*\"([\w-]+)\"", _M)
_GO_MODULE = re.compile(r"^module[ \t]+\"?([^\s\"]+)", _M)
_LONGEST_PACKAGE = 4
Packages: TypeAlias = dict[tuple[str, ...], tuple[str, ...]]
_NOT_IMPORTED = frozenset(
    {".json", ".yml", ".yaml", ".toml", ".lock", ".gemspec", ".md", ".rst", ".txt", ".xml", ".html"}
)
_NAMING_FILES = (".rb", ".c", ".h", ".cc", ".cpp", ".hpp", ".sh", ".zig")
_SNAKE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module.

    Attributes:
        line: the line of the statement, 1-based.
        parts: the module's names, outermost first.
        up: number of folders above the importing file's own; None if the import is not relative.
        ending: the extension of the file, with its dot, if the import states one: ``#include "tmux.h"``.
        package: whether the first name is a package's, whose folder only a manifest names.
    """

    line: int
    parts: tuple[str, ...]
    up: int | None = None
    ending: str = ""
    package: bool = False


def imports_of(text: str, language: str) -> list[Import]:
    """Return a file's imports in order."""
    if language == "python":
        return sorted(_python(text), key=lambda one: one.line)
    return [
        made
        for pattern in _PATTERNS.get(language, ())
        for line, match in _with_lines(pattern, text)
        if (made := _make_import(match[1], language, line)) is not None
    ]


def _with_lines(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield a pattern's matches, each with the line, from 1, of its first group."""
    line, at = 1, 0
    for match in pattern.finditer(text):
        line, at = line + text.count("\n", at, match.start(1)), match.start(1)
        yield line, match


def _python(text: str) -> Iterator[Import]:
    for line, match in _with_lines(_PYTHON_FROM, text):
        module = match[1].lstrip(".")
        dots = len(match[1]) - len(module)
        parts = tuple(module.split(".")) if module else ()
        up = dots - 1 if dots else None
        for item in re.sub(r"#[^\n]*", "", match[2]).strip("()").split(","):
            # What is imported may be a module or stand in one: the longer path is tried first.
            name = item.split()[:1]
            if name and name[0].isidentifier():
                yield Import(line, (*parts, name[0]), up)
    for line, match in _with_lines(_PYTHON_IMPORT, text):
        for item in match[1].split(","):
            name = item.split()[:1]
            if name and name[0]:
                yield Import(line, tuple(name[0].split(".")))


def _make_import(module: str, language: str, line: int) -> Import | None:
    if language in _AS_PATHS:
        return _of_path(module, language, line)
    if module.startswith("mod"):
        return Import(line, (module.rsplit(maxsplit=1)[-1],), 0)
    parts = tuple(part for part in re.split(r"::|[.\\/]", module) if part)
    if language == "rust":
        relative = parts[0] in ("crate", "self", "super")
        kept = tuple(part for part in parts if part not in ("crate", "self", "super"))
        return Import(line, kept, package=not relative) if kept else None
    if language == "elixir":
        parts = tuple(_SNAKE.sub("_", part).lower() for part in parts)
    return Import(line, parts) if parts else None


def _of_path(module: str, language: str, line: int) -> Import | None:
    pieces = [piece for piece in module.split("/") if piece not in ("", ".")]
    up = sum(piece == ".." for piece in pieces)
    relative = module.startswith(".") or (language in ("c", "cpp", "zig", "bash") and "/" not in module)
    kept = [piece for piece in pieces if piece != ".." and not piece.startswith("$")]
    ending = ""
    if kept and language != "go":
        ending = splitext(kept[-1])[1]
        kept[-1] = _stem(kept[-1])
    if not kept and not relative:
        return None
    return Import(line, tuple(kept), up if relative else None, ending)


def outside_names(text: str, language: str, known: Callable[[], frozenset[str]]) -> frozenset[str]:
    """Return the names that a file imports from elsewhere than this corpus.

    Args:
        text: the file.
        language: the language as ``recognise`` names it; most languages are not supported.
        known: returns all names that a module of this corpus may have, small.
    """
    bound = list(_python_names(text) if language == "python" else _javascript_names(text, language))
    if not bound:
        return frozenset()
    ours = known()
    # Any part that is a folder or file of the corpus may lead to it: a name too few is better than one too many.
    return frozenset(name for name, module in bound if name and not any(part.lower() in ours for part in module))


def _python_names(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for match in _PYTHON_FROM.finditer(text):
        if not match[1].startswith("."):
            module = (match[1].split(".", maxsplit=1)[0],)
            for item in re.sub(r"#[^\n]*", "", match[2]).strip("()").split(","):
                if names := item.split():
                    yield names[-1], module
    for match in _PYTHON_IMPORT.finditer(text):
        for item in match[1].split(","):
            if names := item.split():
                first = names[0].split(".")[0]
                yield (names[-1] if len(names) > 1 else first), (first,)


def _javascript_names(text: str, language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    if language not in _JAVASCRIPTS:
        return
    at = 0
    for end in _JAVASCRIPT_ENDS.finditer(text):
        begins = deque(_JAVASCRIPT_BEGINS.finditer(text, at, end.start()), 1)
        names = text[begins[0].end() : end.start()] if begins else ""
        at = end.end()
        if not end[1].startswith(".") and _JAVASCRIPT_NAMES.fullmatch(names):
            module = tuple(part for part in re.split(r"[/@]", end[1]) if part)
            yield from ((name.split()[-1], module) for name in re.split(r"[{},*]", names) if name.split())


def packages_of(manifests: Iterable[tuple[str, str]]) -> Packages:
    """Return the folders of a repository's own packages by the names that they are imported under.

    Args:
        manifests: the paths and texts of ``composer.json`` (PSR-4), ``package.json``, ``Cargo.toml`` and
            ``go.mod`` files.
    """
    packages: Packages = {}
    for path, text in manifests:
        folder, _, name = path.rpartition("/")
        base = tuple(folder.split("/")) if folder else ()
        if name == "Cargo.toml":
            if crate := _CRATE.search(text):
                packages[(crate[1].replace("-", "_"),)] = (*base, "src")
            continue
        if name == "go.mod":
            if module := _GO_MODULE.search(text):
                packages[tuple(module[1].split("/"))] = base
            continue
        try:
            stated = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(stated, dict):
            packages.update(_psr_4(stated, base) if name == "composer.json" else _npm_name(stated, base))
    return packages


def _psr_4(manifest: Mapping[str, Any], base: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    for kind in ("autoload-dev", "autoload"):
        loaded = manifest.get(kind)
        prefixes = loaded.get("psr-4") if isinstance(loaded, dict) else None
        for prefix, folder in prefixes.items() if isinstance(prefixes, dict) else ():
            first = folder[0] if isinstance(folder, list) and folder else folder
            if isinstance(first, str) and (names := tuple(filter(None, prefix.split("\\")))):
                yield names, (*base, *(part for part in first.split("/") if part not in ("", ".")))


def _npm_name(manifest: Mapping[str, Any], base: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    name = manifest.get("name")
    if isinstance(name, str) and name:
        yield tuple(name.split("/")), base


class Modules:
    """The documents of a corpus by the names they are imported under.

    Attributes:
        names: the names of all folders and files, in lower case and without extension.
    """

    def __init__(self, paths: Iterable[str], packages: Packages | None = None) -> None:
        """Read the names of documents; ``packages`` are those of ``packages_of``."""
        self._packages = packages or {}
        self._by_last: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        names: set[str] = set()
        for path in paths:
            for parts in _module_names(path):
                self._by_last.setdefault(parts[-1].lower(), []).append((parts, path))
                names.update(parts)
        self.names = frozenset(name.lower() for name in names)

    def resolve(self, wanted: Import, importer: str) -> str | None:
        """Return the document that an import means; None if it is not in this corpus."""
        if wanted.up is not None:
            folder = tuple(dirname(importer).split("/")) if dirname(importer) else ()
            if wanted.up > len(folder):
                return None
            base = folder[: len(folder) - wanted.up]
            return self._exact((*base, *wanted.parts), wanted.ending, importer) or self._exact(
                (*base, *wanted.parts[:-1]), "", importer
            )
        parts = wanted.parts
        if (own := self._in_package(wanted, importer)) is not None or wanted.package:
            return own
        if self._is_elsewhere(parts, importer):
            return None
        # The last name may be something within the module, but not where files are named.
        for count in (len(parts), len(parts) - 1)[: 1 if importer.endswith(_NAMING_FILES) else 2]:
            if count >= 1 and (path := self._by_end(parts[:count], wanted.ending, importer)) is not None:
                return path
        return None

    def _is_elsewhere(self, parts: tuple[str, ...], importer: str) -> bool:
        """Return whether an import that begins with no package of this corpus cannot mean a file of it.

        In Go such a package lies on another host, and in PHP a name without a namespace is the language's own.
        """
        if importer.endswith(".go"):
            return any(len(names) > 1 and "." in names[0] for names in self._packages)
        return importer.endswith(".php") and len(parts) == 1 and bool(self._packages)

    def _in_package(self, wanted: Import, importer: str) -> str | None:
        """Return the document that an import means which begins with the name of one of this corpus's packages."""
        parts = wanted.parts
        for count in range(min(len(parts), _LONGEST_PACKAGE), 0, -1):
            folder = self._packages.get(parts[:count])
            if folder is None:
                continue
            # The last names may be something within a module, and what is meant may lie in a folder of sources.
            for end in range(len(parts), count - 1, -1):
                for within in ((), ("src",), ("lib",)):
                    path = self._exact((*folder, *within, *parts[count:end]), wanted.ending, importer)
                    if path is not None:
                        return path
        return None

    def _exact(self, parts: tuple[str, ...], ending: str, importer: str) -> str | None:
        known = self._by_last.get(parts[-1].lower(), ()) if parts else ()
        paths = [path for names, path in known if names == parts]
        return max(paths, key=lambda path: _file_preference(path, ending, importer), default=None)

    def _by_end(self, parts: tuple[str, ...], file_ending: str, importer: str) -> str | None:
        ending = tuple(part.lower() for part in parts)
        own = tuple(dirname(importer).lower().split("/"))
        fits = []
        for names, path in self._by_last.get(ending[-1], ()):
            lower = tuple(name.lower() for name in names)
            # One bare name says little: it is a file of the same folder, or of the root or what stands below it.
            is_distinctive = len(ending) > 1 or len(names) <= 2 or lower[:-1] == own
            # A manifest or a page is imported by no program, unless its ending is stated.
            if not file_ending and splitext(path)[1] in _NOT_IMPORTED:
                continue
            # Go states where the module itself lies before the folder within it.
            hosted = "." in ending[0] and ending[-len(lower) :] == lower
            # It imports folders, never a file: "log" is not log.go.
            if importer.endswith(".go") and names != tuple(dirname(path).split("/")):
                continue
            if (hosted or (is_distinctive and lower[-len(ending) :] == ending)) and path != importer:
                kind = _file_preference(path, file_ending, importer)
                fits.append((min(len(lower), len(ending)), _shared_prefix(own, lower), -len(names), kind, path))
        return max(fits)[-1] if fits else None


def _file_preference(path: str, ending: str, importer: str) -> tuple[bool, bool, bool]:
    """Return a sort key for files of one name: they have the stated ending, have the importer's, are not prose."""
    own = splitext(path)[1]
    return (own == ending, own == splitext(importer)[1], not profile_path(path).prose)


def _module_names(path: str) -> Iterator[tuple[str, ...]]:
    folder, _, name = path.rpartition("/")
    folders = tuple(folder.split("/")) if folder else ()
    stem = _stem(name)
    yield (*folders, stem)
    if stem in _ENTRIES and folders:
        yield folders
    if name.endswith(".go") and folders and not name.endswith("_test.go"):
        yield folders


def _stem(name: str) -> str:
    stem = splitext(name)[0]
    return splitext(stem)[0] if stem.endswith(".d") else stem or name


def _shared_prefix(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count
