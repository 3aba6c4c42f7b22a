"""Folders for private data (indexes, sessions, accounts): only the user who made them can enter them."""

from __future__ import annotations

from pathlib import Path


def make_private(folder: Path) -> None:
    """Create a folder, and its missing parents, so that only this user can enter them.

    An existing folder keeps its permissions: if a user opened it to others, that was intended.

    Raises:
        OSError: it cannot be created, or something else is there.
    """
    if not folder.parent.exists():
        make_private(folder.parent)
    # With ``parents``, only the last of several missing folders would get this mode.
    folder.mkdir(mode=0o700, exist_ok=True)
