"""Removing whatever lies at a place."""

from __future__ import annotations

from pathlib import Path


def discard(path: Path) -> None:
    """Remove a file, a link or a folder with all that it holds; what is missing is not an error.

    Raises:
        OSError: it cannot be removed.
    """
    if path.is_dir() and not path.is_symlink():
        from shutil import rmtree  # noqa: PLC0415 - seldom needed, and imports every way to pack files

        rmtree(path)
    else:
        path.unlink(missing_ok=True)
