"""Formats whose reader is installed by an extra of Quaestor."""

from __future__ import annotations

from importlib.util import find_spec

EXTRAS: dict[str, tuple[str, str]] = {
    "pdf": ("pypdf", "documents"),
    "docx": ("mammoth", "documents"),
    "xlsx": ("openpyxl", "documents"),
    "pptx": ("pptx", "documents"),
}
"""For each suffix, the package that reads such files and the extra that installs it."""


def extra_is_installed(suffix: str) -> bool:
    """Return whether the package that reads files of this suffix is installed."""
    return suffix in EXTRAS and find_spec(EXTRAS[suffix][0]) is not None
