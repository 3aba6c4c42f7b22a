"""A repository that is read, and its files that may be shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from quaestor.core.light_imports import NamedTuple


class Repository(NamedTuple):
    """A repository, or a part of one.

    Attributes:
        git_folder: holds ``HEAD``: of this worktree, if there are several.
        common_folder: holds objects and references; without worktrees it is the same.
        prefix: the readable part: empty for all, else a folder ending with ``/``, or a file.
        shows: returns whether the content of a path, relative to the prefix, may be shown.
    """

    git_folder: Path
    common_folder: Path
    prefix: str
    shows: Callable[[str], bool]

    def inner(self, path: str) -> str:
        """Return a path of the corpus as git names it."""
        return self.prefix + path if self.prefix.endswith("/") or not self.prefix else self.prefix

    def outer(self, path: str) -> str | None:
        """Return a path as the corpus names it; None if it is not in the part that is read."""
        if self.prefix and not self.prefix.endswith("/"):
            return path.rpartition("/")[2] if path == self.prefix else None
        return path.removeprefix(self.prefix) if path.startswith(self.prefix) else None

    @property
    def scope(self) -> tuple[str, ...]:
        """The path specification that limits git to the part that is read."""
        return (self.prefix.rstrip("/"),) if self.prefix else ()
