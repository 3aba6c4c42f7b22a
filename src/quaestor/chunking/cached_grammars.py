"""Grammars that ``semble_grammars`` has unpacked before, loaded without importing it.

That package imports what unpacks archives, which takes longer than a changed file takes to be cut. Where anything is
not as it leaves it, nothing is found here, and it is asked itself.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language

UNPACKED_INTO = "SEMBLE_GRAMMARS_CACHE_DIR"
"""The setting of ``semble_grammars`` for the folder that it unpacks into."""


def unpacked(name: str) -> Language | None:
    """Return the grammar ``name``, or None if it has to be unpacked first."""
    try:
        return _load(name)
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return None


def _load(name: str) -> Language | None:
    found = PathFinder.find_spec("semble_grammars")
    if found is None or found.origin is None:
        return None
    package = Path(found.origin).parent
    [manifest] = package.glob("grammars/*/manifest.json")
    grammars = json.loads(manifest.read_text("utf-8"))
    version = re.search(r'^__version__ = "(.+)"', (package / "version.py").read_text("utf-8"), re.MULTILINE)
    if version is None or name not in grammars["languages"]:
        return None
    entry = grammars["languages"][name]
    place = _folder(version[1]) / grammars["platform"] / entry["file"]
    return _language(place, entry["symbol"]) if place.exists() else None


def _folder(version: str) -> Path:
    if UNPACKED_INTO in os.environ:
        return Path(os.environ[UNPACKED_INTO])
    return Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "semble" / "grammars" / version


def _language(place: Path, symbol: str) -> Language:
    """Return the grammar in a library, which stays loaded as long as this process lives."""
    from tree_sitter import Language  # noqa: PLC0415 - keeps `import quaestor` fast

    make = getattr(ctypes.CDLL(str(place)), symbol)
    make.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return Language(capsule(make(), b"tree_sitter.Language", None))
