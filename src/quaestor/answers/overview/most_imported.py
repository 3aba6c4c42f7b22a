"""The files that most other files import: where a change is felt. Tests and vendored files do not count."""

from __future__ import annotations

from collections import Counter
from posixpath import dirname

from quaestor.answers.overview.material import Material
from quaestor.related.imports import imports_of

# Words of import statements; the lexical index tells which chunks hold one.
_WORDS = ("import", "require", "include", "use", "from", "mod", "alias", "require_relative")
_MOST_CHUNKS = 6000


def importers_of(material: Material) -> Counter[str]:
    """Return the number of files that import each file.

    Chunks without a word of an import statement are not looked at. Of a corpus with more than 6,000 that hold one,
    those that hold most of them count: so the numbers are lower bounds there.
    """
    pairs: set[tuple[str, str]] = set()
    for stored in material.chunks_with(_WORDS, _MOST_CHUNKS):
        path = stored.document.path
        if _counts(material, path):
            for one in imports_of(stored.chunk.text, stored.document.language):
                target = material.modules.resolve(one, path)
                if target is not None and target != path:
                    pairs.add((path, target))
    return Counter(_unit(target) for _, target in pairs if _counts(material, target) and target in material.documents)


def _unit(path: str) -> str:
    """Return what is imported with a file: in Go all of its folder."""
    return dirname(path) or path if path.endswith(".go") else path


def _counts(material: Material, path: str) -> bool:
    profile = material.profile(path)
    return not (profile.test or profile.example or material.stands_behind(path))
