"""NumPy imported without what only people and type checkers read, and without what it hardly ever uses.

That is two thirds of its import, and a quarter of a cold search without it:

- Two parts of NumPy do nothing for what it computes: one writes docstrings into its functions of C, the other makes the
  types of annotations. Empty modules stand in for them.
- It compares the parameters of two hundred functions with those of other two hundred, which its authors need, and
  copies signatures and docstrings. What it asks for that, ``inspect`` among it, has nothing to say.
- Of five modules of Python it needs nothing before somebody calls the function that does. They are imported then.

All of these stand there while NumPy is imported, in a process that answers one command and ends. Afterwards whoever
imports ``numpy.typing``, ``inspect`` or ``pickle`` gets the real one.
"""

from __future__ import annotations

import re
import sys
import threading
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

# A half-imported NumPy cannot be imported again: only versions of which tests have shown that it works.
KNOWN = ("2.0", "2.1", "2.2", "2.3", "2.4")
_UNREAD = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars", "numpy._typing")
_UNASKED = ("inspect", "numpy._utils._inspect")
_LATER = ("ast", "ctypes", "pickle", "platform", "textwrap")
_VERSION = re.compile(r'^(?:short_)?version = "(\d+\.\d+)\.', re.MULTILINE)


class _Empty(ModuleType):
    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        # Stands in any annotation, as `NDArray[Any]` does.
        return list


class _Silent(ModuleType):
    """Both modules that tell of functions: every function is told to be like every other."""

    def cleandoc(self, text: str) -> str:
        return text

    def signature(self, _function: object) -> None:
        return None

    def getargspec(self, _function: object) -> tuple[None, None, None, None]:
        return None, None, None, None


class _Later(ModuleType):
    def __getattr__(self, name: str) -> object:
        _take_away([self])
        return getattr(import_module(self.__name__), name)


def import_numpy() -> None:
    """Import NumPy, bare if its version is known and nobody has imported it yet."""
    if "numpy" in sys.modules or _installed() not in KNOWN:
        return
    standing_in: list[ModuleType] = [_Empty(name) for name in _UNREAD]
    if threading.active_count() == 1:  # another thread may import these this very moment
        standing_in += [_Silent(name) for name in _UNASKED if name not in sys.modules]
        standing_in += [_Later(name) for name in _LATER if name not in sys.modules]
    sys.modules.update({module.__name__: module for module in standing_in})
    try:
        import numpy  # noqa: F401, PLC0415 - the others import what is there already
    finally:
        _take_away(standing_in)


def _take_away(modules: list[ModuleType]) -> None:
    for module in modules:
        if sys.modules.get(module.__name__) is module:
            del sys.modules[module.__name__]


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
