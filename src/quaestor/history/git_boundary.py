"""Whether a git folder belongs to the folder it was found in, or leads to another repository.

An archive can bring a ``.git`` that leads anywhere on the machine that unpacks it: as a link, as a file that names a
folder, by ``commondir``, by links inside, by ``alternates``. What lies inside of the folder itself came with it and
belongs to it. What lies elsewhere belongs to it only if it says so, where an archive could not have written: a work
tree is named by ``worktrees/NAME/gitdir``, a submodule by ``core.worktree`` in ``modules/NAME/config``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

READ_BY_GIT = ("objects", "refs", "packed-refs", "shallow", "reftable")
"""The parts of a repository's common folder that git reads."""

_LARGEST_FILE = 1 << 20


class GitBoundary:
    """Which paths belong to a folder's own repository.

    Args:
        top: the folder that holds ``.git``.
        own: the git folder to which that leads.
        common: the git folder that worktrees share.
        within: folders, named by the user, whose whole content belongs to it.

    Attributes:
        foreign: the git folder, if it does not belong to the folder; else None.
    """

    def __init__(self, top: Path, own: Path, common: Path, within: Sequence[str] = ()) -> None:
        self._areas = [os.path.realpath(top), *(os.path.realpath(Path(one).expanduser()) for one in within)]
        self.foreign: Path | None = None
        if not self.encloses(own):
            if not _names(own, top):
                self.foreign = own
            self._areas.append(os.path.realpath(own))
        if not self.encloses(common):
            if self.foreign is None and not _is_worktree(own, common):
                self.foreign = common
            self._areas.append(os.path.realpath(common))
        self._own_folder, self._common = own, common

    def encloses(self, path: Path) -> bool:
        """Return whether a path, with all its links followed, belongs to the folder."""
        place = os.path.realpath(path)
        return any(place == area or place.startswith(area.rstrip(os.sep) + os.sep) for area in self._areas)

    def find_foreign(self) -> Path | None:
        """Return the first path that git would read and that does not belong to the folder; None if all do."""
        if self.foreign is not None:
            return self.foreign
        entries = [self._own_folder / "HEAD", *(self._common / name for name in READ_BY_GIT)]
        waiting = [path for path in entries if path.is_file() or path.is_dir()]
        seen: set[str] = set()
        while waiting:
            path = waiting.pop()
            if not self.encloses(path):
                return path
            if (place := os.path.realpath(path)) in seen:
                continue
            seen.add(place)
            folders = [place]
            while folders:
                for entry in _entries(folders.pop()):
                    if entry.is_symlink():
                        waiting.append(Path(entry.path))
                    elif entry.is_dir():
                        folders.append(entry.path)
            # git asks each folder of objects for others.
            alternates = Path(place, "info", "alternates")
            others = _alternates(alternates)
            if others is None:
                return alternates
            waiting += [Path(place, one) for one in others]
        return None


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        return


def _alternates(path: Path) -> list[str] | None:
    """Return the folders of objects that a file names; None if git might read the file differently."""
    if not os.path.lexists(path):
        return []
    content = read_small(path, _LARGEST_FILE)
    lines = [line for line in content.split(b"\n") if line and not line.startswith(b"#")]
    if not lines or len(content) == _LARGEST_FILE or any(b"\0" in line or line.startswith(b'"') for line in lines):
        return None
    return [os.fsdecode(line) for line in lines]


def _names(own: Path, top: Path) -> bool:
    """Return whether a git folder elsewhere names this folder as its work tree."""
    folder = os.path.realpath(top)
    place = Path(os.path.realpath(own))
    worktree = os.fsdecode(read_small(place / "gitdir", _LARGEST_FILE).strip())
    if worktree.endswith("/.git") and _is_folder(place / worktree.removesuffix("/.git"), folder):
        return True
    configured = (os.fsdecode(read_small(place / name, _LARGEST_FILE)) for name in ("config", "config.worktree"))
    work_trees = {value for text in configured for *at, value in config_values(text) if at == ["core", "worktree"]}
    return any(_is_folder(place / one, folder) for one in work_trees)


def _is_folder(path: Path, folder: str) -> bool:
    return "\0" not in str(path) and os.path.realpath(path) == folder


def _is_worktree(own: Path, common: Path) -> bool:
    return os.path.dirname(os.path.realpath(own)) == os.path.join(os.path.realpath(common), "worktrees")  # noqa: PTH118, PTH120


def config_values(config: str) -> Iterator[tuple[str, str, str]]:
    """Yield the section, key and value of each setting of a git configuration; sections and keys in lower case.

    It reads line by line, because regular expressions over the whole text would take quadratic time.
    """
    section = ""
    for line in config.split("\n"):
        line = line.strip()
        if line.startswith("["):
            section, _, line = line[1:].partition("]")
            section = section.strip().lower()
        key, equals, value = line.partition("=")
        if equals:
            yield section, key.strip().lower(), _unquote(value.strip())


def _unquote(value: str) -> str:
    if value.startswith('"'):
        return value[1:].partition('"')[0].replace("\\\\", "\\")
    for mark in (" #", " ;"):
        value = value.partition(mark)[0]
    return value.rstrip()


def read_small(path: Path, limit: int) -> bytes:
    """Return the first ``limit`` bytes of a regular file; empty if it does not exist or cannot be read."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(limit)
    except (OSError, ValueError):
        return b""
