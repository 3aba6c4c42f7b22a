"""NumPy imported without what only people and type checkers read: a fifth of a cold search.

Two parts of NumPy do nothing for what it computes, and take a third of its import: one writes docstrings into its
functions of C, the other makes the types of annotations. Empty modules stand in for them while it is imported, in a
process that answers one command and ends. Afterwards whoever imports ``numpy.typing`` gets the real one.
"""

from __future__ import annotations

import re
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

# A half-imported NumPy cannot be imported again: only versions of which tests have shown that it works.
KNOWN = ("2.0", "2.1", "2.2", "2.3", "2.4")
_UNREAD = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars", "numpy._typing")
_VERSION = re.compile(r'^(?:short_)?version = "(\d+\.\d+)\.', re.MULTILINE)


class _Empty(ModuleType):
    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        # Stands in any annotation, as `NDArray[Any]` does.
        return list


def import_numpy() -> None:
    """Import NumPy, bare if its version is known and nobody has imported it yet."""
    if "numpy" in sys.modules or _installed() not in KNOWN:
        return
    sys.modules.update({name: _Empty(name) for name in _UNREAD})
    try:
        import numpy  # noqa: F401, PLC0415 - the others import what is there already
    finally:
        for name in _UNREAD:
            del sys.modules[name]


def _installed() -> str | None:
    """Return the major and minor version of NumPy that would be imported, from its own file: it says so in a line."""
    found = PathFinder.find_spec("numpy")
    if found is None or found.origin is None:
        return None
    try:
        said = _VERSION.search(Path(found.origin).with_name("version.py").read_text(encoding="utf-8"))
    except OSError:
        return None
    return said and said[1]
