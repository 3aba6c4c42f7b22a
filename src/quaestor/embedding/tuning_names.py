"""Names of tuned embedders and of their files: the original's name and a hash of the tuned rows.

Reads no weights.
"""

from __future__ import annotations

import re
from pathlib import Path

PREFIX = "tuned-"
"""Precedes the hash in names and files."""

_NAME = re.compile(rf"(?P<base>.+)\+{PREFIX}(?P<digest>[0-9a-f]{{12}})")


def tuned_name(base: str, digest: str) -> str:
    """Return the name of an embedder that was tuned from the one named ``base``."""
    return f"{base}+{PREFIX}{digest[:12]}"


def is_tuned(name: str) -> bool:
    """Return whether an embedder's name is that of a tuned one."""
    return _NAME.fullmatch(name) is not None


def base_of(name: str) -> str:
    """Return the name of the embedder that this one was tuned from, or the name itself."""
    match = _NAME.fullmatch(name)
    return name if match is None else match["base"]


def file_of(name: str) -> str:
    """Return the name of the file with the rows of a tuned embedder.

    Raises:
        ValueError: ``name`` is not that of a tuned embedder.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"{name!r} is not the name of a tuned embedder")
    return f"{PREFIX}{match['digest']}.npz"


def forget(folder: Path, *, but: str = "") -> None:
    """Delete the files of all tuned embedders in ``folder``, except the file of the embedder named ``but``."""
    kept_name = file_of(but) if is_tuned(but) else ""
    for file in folder.glob(f"{PREFIX}*"):
        if file.name != kept_name:
            file.unlink(missing_ok=True)
