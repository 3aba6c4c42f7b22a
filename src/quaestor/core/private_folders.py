"""Folders for private data (indexes, sessions, accounts): only the user who made them can enter them."""

from __future__ import annotations

from pathlib import Path


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, so that only this user can enter it.

    An existing folder keeps its permissions: a user who opened it to others meant to.

    Raises:
        OSError: it cannot be made, or something else is there.
    """
    if not folder.parent.exists():
        make_private(folder.parent)
    # Of several missing folders, ``parents`` would give this mode to the last one only.
    folder.mkdir(mode=0o700, exist_ok=True)
