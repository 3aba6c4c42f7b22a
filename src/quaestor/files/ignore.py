"""Which entries of a folder are ignored: nested ignore files, read when first needed.

Nearest folder first; within a folder ``.quaestorignore`` before ``.ignore`` before ``.gitignore``; then the
repository's ``info/exclude``, then the user's own file. The first of these files with a matching pattern
decides. Patterns given as a setting come before all files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path

from quaestor.files.git_folder import exclude_file, read_small, repository_root, user_ignore_file
from quaestor.files.ignore_patterns import PatternSet, as_bytes_text

IGNORE_NAMES = (".quaestorignore", ".ignore", ".gitignore")
"""Names of ignore files, by priority."""

NESTED_EXCLUDE = ".git/info/exclude"
"""The ignore file of a repository inside the root, as it is named from that repository's folder."""

_LARGEST = 4 << 20


class Verdict(Enum):
    """The patterns' decision on an entry."""

    KEPT = "brought back by a pattern"
    GIT = "ignored by one of git's files"
    OURS = "ignored by a file or setting that git does not know"


class Level:
    """The ignore rules of one folder, on top of those of the folder above it."""

    __slots__ = ("_above", "_files", "_folder", "_name", "_sets")

    def __init__(self, above: Level | None, name: str, folder: str, files: Sequence[str] = ()) -> None:
        self._above = above
        self._name = as_bytes_text(name)
        self._folder = folder
        self._files = files
        self._sets: Sequence[tuple[PatternSet, Verdict]] | None = None

    def below(self, name: str, folder: str, files: Sequence[str]) -> Level:
        """Return the rules of the folder ``name`` at ``folder``, in which ``files`` are its ignore files."""
        return Level(self, name, folder, files)

    def with_sets(self, sets: Sequence[PatternSet]) -> Level:
        """Use git's patterns that are already parsed; return self."""
        self._sets = [(patterns, Verdict.GIT) for patterns in sets]
        return self

    def decide(self, name: str, *, folder: bool) -> Verdict | None:
        """Return the decision of the nearest pattern that matches an entry of this folder, or None."""
        path = name = as_bytes_text(name)
        level: Level | None = self
        while level is not None:
            for patterns, verdict in level._load_patterns():
                ignored = patterns.decide(path, name, folder=folder)
                if ignored is not None:
                    return verdict if ignored else Verdict.KEPT
            if level._name:
                path = f"{level._name}/{path}"
            level = level._above
        return None

    def _load_patterns(self) -> Sequence[tuple[PatternSet, Verdict]]:
        if self._sets is None:
            self._sets = [
                (_load(Path(self._folder, name)), Verdict.GIT if ".git" in name else Verdict.OURS)
                for name in self._files
            ]
        return self._sets


def _load(path: Path) -> PatternSet:
    """Return the patterns of a regular file; a link to elsewhere is not followed, as in git."""
    return PatternSet([]) if path.is_symlink() else PatternSet.parse(read_small(path, _LARGEST))


def _parse(patterns: Iterable[str]) -> PatternSet:
    return PatternSet.parse(b"\n".join(os.fsencode(pattern) for pattern in patterns))


def outer_files(root: Path) -> list[Path]:
    """Return the ignore files outside ``root`` that apply inside it, whether or not they exist."""
    repository = repository_root(root)
    files = []
    if repository is not None:
        files += [folder / name for folder in _between(repository, root) for name in IGNORE_NAMES]
        files.append(exclude_file(repository))
    user = user_ignore_file()
    return files if user is None else [*files, user]


def root_level(root: Path, files: Sequence[str]) -> Level:
    """Return the rules of ``root``, whose ignore files are ``files``, under all that hold above it."""
    repository = repository_root(root)
    outermost = [_load(exclude_file(repository))] if repository is not None else []
    user = user_ignore_file()
    if user is not None:
        # A link is the usual way to keep one's own settings elsewhere: it is followed here.
        outermost.append(PatternSet.parse(read_small(user, _LARGEST)))
    level = Level(None, "", "").with_sets(outermost)
    for folder in _between(repository, root) if repository is not None else []:
        level = level.below("" if folder == repository else folder.name, str(folder), IGNORE_NAMES)
    return level.below(root.name if repository not in (None, root) else "", str(root), files)


def _between(repository: Path, root: Path) -> list[Path]:
    """Return the folders from the repository's root down to the parent of ``root``."""
    above = [folder for folder in root.parents if folder == repository or repository in folder.parents]
    return above[::-1]


class SettingPatterns:
    """Patterns from the settings, which win over every ignore file."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = _parse(patterns) if patterns else None

    def decide(self, path: str, name: str, *, folder: bool) -> Verdict | None:
        """Return the patterns' decision; ``path`` is relative to the root."""
        if self._patterns is None:
            return None
        ignored = self._patterns.decide(as_bytes_text(path), as_bytes_text(name), folder=folder)
        return None if ignored is None else Verdict.OURS if ignored else Verdict.KEPT
