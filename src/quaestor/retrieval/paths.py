"""What a path says about a file: its words, and what part it plays in a repository."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from quaestor.terms import terms

_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testing|testdata|fixtures|e2e|mocks?|__mocks__)(?:/|$)"
    r"|(?:^|/)(?:test_[^/]*|[^/]*[_.-](?:test|tests|spec|specs)\.\w+|[^/]*(?:Test|Tests|Spec|Suite|TestCase)\.\w+|conftest\.py)$"
)
_EXAMPLE = re.compile(
    r"(?:^|/)_?(?:examples?|samples?|demos?|docs?_src|tutorials?|playground|benchmarks?|benches)(?:/|$)",
    re.IGNORECASE,
)
_VENDORED = re.compile(
    r"(?:^|/)(?:vendor|vendored|_vendor|third_?party|node_modules|external|deps|compat|_compat|legacy|deprecated|polyfills?)(?:/|$)",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"(?:^|/)(?:__init__\.pyi?|index\.[cm]?[jt]sx?|mod\.rs|lib\.rs|package-info\.java|init\.lua)$")
_REEXPORT = re.compile(r"(?:^|/)(?:__init__\.pyi?|package-info\.java)$")
_DECLARATION = re.compile(r"\.d\.ts$|\.pyi$|(?:^|[_.-])generated|\.g\.\w+$|\.pb\.\w+$|_pb2\.py$")
_DATA = re.compile(
    r"\.(?:json|toml|ya?ml|lock|cfg|ini|xml|csv|tsv|mod|sum|svg|plist|properties|snap|po)$", re.IGNORECASE
)
_PROSE = re.compile(r"\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc|org|html?)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PathProfile:
    """A path, taken apart.

    Attributes:
        stem: the file name without extensions, lower-case letters and digits only.
        stem_terms: terms of the file name.
        folder_terms: terms of the folders.
        depth: number of folders.
        test, example, vendored, entry, declaration, prose, data: what part the file plays.
    """

    stem: str
    stem_terms: frozenset[str]
    folder_terms: frozenset[str]
    depth: int
    test: bool
    example: bool
    vendored: bool
    entry: bool
    declaration: bool
    prose: bool
    data: bool

    @property
    def flags(self) -> tuple[bool, ...]:
        """Return test, example, vendored, entry, declaration, prose and data."""
        return (self.test, self.example, self.vendored, self.entry, self.declaration, self.prose, self.data)


@lru_cache(maxsize=1 << 14)
def profile_path(path: str) -> PathProfile:
    """Take a path apart; the result is cached."""
    folder, _, name = path.rpartition("/")
    stem = name.split(".", 1)[0] if not name.startswith(".") else name.lstrip(".")
    if _ENTRY.search(path) and folder:
        # An entry file speaks for its folder.
        stem = folder.rpartition("/")[2]
    return PathProfile(
        stem=re.sub(r"[^a-z0-9]", "", stem.lower()),
        stem_terms=frozenset(terms(stem)),
        folder_terms=frozenset(terms(folder)),
        depth=path.count("/"),
        test=_TEST.search(path) is not None,
        example=_EXAMPLE.search(path) is not None,
        vendored=_VENDORED.search(path) is not None,
        entry=_REEXPORT.search(path) is not None,
        declaration=_DECLARATION.search(path) is not None,
        prose=_PROSE.search(path) is not None,
        data=_DATA.search(path) is not None,
    )
