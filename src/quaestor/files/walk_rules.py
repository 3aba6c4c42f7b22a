"""Which entries of a folder are indexed, by patterns, git's index and earlier walks' decisions.

Decisions are stored with the index and reused while nothing that they depend on has changed. A decision by pattern
depends on the settings, the ignore files above the entry and, for ignored entries, the repository's index; a decision
by content depends on the file's size and stamp.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Self

from quaestor.core.light_imports import NamedTuple
from quaestor.files.consistent_read import is_racy, stamp_of
from quaestor.files.deny import Reason, deny_file, deny_folder
from quaestor.files.git_folder import TrackedFiles, repository_root
from quaestor.files.ignore import (
    IGNORE_NAMES,
    NESTED_EXCLUDE,
    Level,
    SettingPatterns,
    Verdict,
    outer_files,
    root_level,
)
from quaestor.files.indexing_values import IngestSettings

_VERSION = 1

_Stamp = tuple[int, int]
"""A file's size and stamp (see ``consistent_read``); (-1, 0) for a file that does not exist."""

_NO_FILE: _Stamp = (-1, 0)


# Not frozen: every check of freshness makes some thousand, and freezing would triple their cost.
class Folder(NamedTuple):
    """A folder to be read.

    Attributes:
        prefix: the prefix of its entries' paths: empty for the root, else ending with ``/``.
        place: its path on disk.
        name: its own name, empty for the root.
        above: its parent; None for the root.
        only_tracked: whether everything in it is ignored except tracked files.
    """

    prefix: str
    place: str
    name: str = ""
    above: OpenFolder | None = None
    only_tracked: bool = False


class OpenFolder(NamedTuple):
    """A folder that is being read, with the rules that apply in it.

    Attributes:
        folder: the folder.
        names: everything in it.
        level: its patterns.
        trusted: whether no ignore file that matters here has changed.
        tracked: the files that its repository tracks; None outside repositories.
        same_index: whether these have not changed either.
    """

    folder: Folder
    names: AbstractSet[str]
    level: Level
    trusted: bool
    tracked: TrackedFiles | None
    same_index: bool


class Rules:
    """Decides which entries are indexed, and records the decisions.

    Attributes:
        before: the previous walk's decisions; empty if the settings have changed.
        after: this walk's decisions.
    """

    def __init__(self, root: Path, settings: IngestSettings, before: Decisions) -> None:
        self._root = root
        self._settled = SettingPatterns(settings.ignore)
        self._now = time.time_ns()
        self.before = before if before.rules == settings.rules() else Decisions()
        self.after = Decisions(rules=settings.rules())

    def enter(self, folder: Folder, names: AbstractSet[str]) -> OpenFolder:
        """Return the rules inside a folder, given the names of all its entries."""
        if folder.prefix:
            self.after.folders.add(folder.prefix)
        files = tuple(name for name in IGNORE_NAMES if name in names)
        if folder.above is None:
            return self._enter_root(folder, names, files)
        above = folder.above
        tracked, same_index = above.tracked, above.same_index
        if ".git" in names:
            files = (*files, NESTED_EXCLUDE)
            tracked = TrackedFiles(Path(folder.place), prefix=folder.prefix)
            same_index = self._has_same_index(tracked)
        level = above.level.below(folder.name, folder.place, files)
        trusted = self._has_same_files(folder, files) and above.trusted
        return OpenFolder(folder, names, level, trusted, tracked, same_index)

    def enters(self, here: OpenFolder, path: str, name: str, place: str) -> Folder | None:
        """Return the folder ``name`` to be read, or None if it is ignored."""
        key = f"{path}/"
        if here.trusted and key in self.before.folders:
            if key not in self.before.rescued:
                return Folder(key, place, name, here)
            if here.same_index:
                self.after.rescued.add(key)
                return Folder(key, place, name, here, only_tracked=True)
        if self._is_ignored(here, key, path, name):
            return None
        return Folder(key, place, name, here, only_tracked=key in self.after.rescued)

    def takes(self, here: OpenFolder, path: str, name: str) -> bool:
        """Return whether the file ``name`` is not ignored."""
        return not self._is_ignored(here, path, path, name)

    def by_setting(self, path: str, name: str, *, folder: bool) -> bool:
        """Return whether the setting ``ignore`` leaves an entry out."""
        return self._settled.decide(path, name, folder=folder) is Verdict.OURS

    def _enter_root(self, folder: Folder, names: AbstractSet[str], files: tuple[str, ...]) -> OpenFolder:
        self.after.outer = {str(path): self._stamp(str(path)) for path in outer_files(self._root)}
        trusted = self._has_same_files(folder, files) and self.after.outer == self.before.outer
        repository = repository_root(self._root)
        tracked = None
        if repository is not None:
            inside = "" if repository == self._root else f"{self._root.relative_to(repository).as_posix()}/"
            tracked = TrackedFiles(repository, inside)
        same_index = tracked is None or self._has_same_index(tracked)
        return OpenFolder(folder, names, root_level(self._root, files), trusted, tracked, same_index)

    def _is_ignored(self, here: OpenFolder, key: str, path: str, name: str) -> bool:
        """Return whether an entry is ignored: a file, or a folder if ``key`` is not its path."""
        folder = key != path
        if here.trusted and here.same_index and key in self.before.ignored:
            self.after.ignored.add(key)
            return True
        verdict = self._settled.decide(path, name, folder=folder) or here.level.decide(name, folder=folder)
        if verdict is not Verdict.OURS and here.folder.only_tracked:
            verdict = Verdict.GIT
        if verdict is Verdict.GIT and here.tracked is not None and here.tracked.has(path, folder=folder):
            self.after.rescued.add(key)
            return False
        if verdict in (Verdict.GIT, Verdict.OURS):
            self.after.ignored.add(key)
            return True
        return False

    def _has_same_files(self, folder: Folder, files: tuple[str, ...]) -> bool:
        if not files:
            return folder.prefix not in self.before.sources
        stamps = {name: self._stamp(f"{folder.place}/{name}") for name in files}
        self.after.sources[folder.prefix] = stamps
        return stamps == self.before.sources.get(folder.prefix)

    def _has_same_index(self, tracked: TrackedFiles) -> bool:
        stamp = self.after.tracked[tracked.prefix] = self._stamp(str(tracked.file))
        return stamp == self.before.tracked.get(tracked.prefix)

    def _stamp(self, place: str) -> _Stamp:
        """Return a file's size and stamp; a stamp that proves nothing is replaced by a unique one."""
        try:
            state = os.stat(place)  # noqa: PTH116 - hot
        except (OSError, ValueError):
            return _NO_FILE
        racy = is_racy(state.st_mtime_ns, self._now)
        return state.st_size, -self._now if racy else stamp_of(state)


def left_out(root: Path, path: str, settings: IngestSettings | None = None) -> Reason | None:
    """Return why a file of this path is not indexed, or None if it is. The file need not exist.

    Args:
        root: real path of the source's folder.
        path: the path of the file, relative to the root, with ``/`` and without ``..``.
        settings: ignore patterns.
    """
    rules = Rules(root, settings or IngestSettings(), Decisions())
    folder = Folder("", str(root))
    *folders, name = path.split("/")
    for part in folders:
        names = _names(folder.place)
        if reason := deny_folder(part, names):
            return reason
        below = rules.enters(rules.enter(folder, names), folder.prefix + part, part, f"{folder.place}/{part}")
        if below is None:
            return "ignored"
        folder = below
    here = rules.enter(folder, _names(folder.place))
    return deny_file(name, folder.name) or (None if rules.takes(here, path, name) else "ignored")


def _names(place: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(place))  # noqa: PTH208
    except OSError:
        return frozenset()


class Decisions:
    """A walk's decisions, stored for the next one. Paths are as the file system returns them.

    Attributes:
        rules: digest of the settings.
        outer: ignore files outside the root that apply inside it.
        sources: per folder (``""`` is the root, others end with ``/``), its ignore files.
        folders: folders that were entered.
        ignored: entries that a pattern left out; folders end with ``/``.
        tracked: per repository (``""`` is the root's), its index.
        rescued: files that are indexed only because they are tracked.
        refused: files that were left out for their content: reason, detail, and the stamp that the decision is for.
    """

    __slots__ = ("folders", "ignored", "outer", "refused", "rescued", "rules", "sources", "tracked")

    def __init__(self, rules: str = "") -> None:
        self.rules = rules
        self.outer: dict[str, _Stamp] = {}
        self.sources: dict[str, dict[str, _Stamp]] = {}
        self.folders: set[str] = set()
        self.ignored: set[str] = set()
        self.tracked: dict[str, _Stamp] = {}
        self.rescued: set[str] = set()
        self.refused: dict[str, tuple[Reason, str, _Stamp]] = {}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Decisions):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]

    def to_text(self) -> str:
        """Return the decisions as JSON in ASCII."""
        return json.dumps(
            {
                "version": _VERSION,
                "rules": self.rules,
                "outer": self.outer,
                "sources": self.sources,
                "folders": sorted(self.folders),
                "ignored": sorted(self.ignored),
                "tracked": self.tracked,
                "rescued": sorted(self.rescued),
                "refused": self.refused,
            },
            separators=(",", ":"),
        )

    @classmethod
    def from_text(cls, text: str | None) -> Self:
        """Return stored decisions; empty ones if the text is missing or malformed."""
        try:
            return cls._read(json.loads(text or ""))
        except (ValueError, KeyError, TypeError, AttributeError):
            return cls()

    @classmethod
    def _read(cls, data: dict[str, Any]) -> Self:
        if data["version"] != _VERSION:
            return cls()
        read = cls(data["rules"])
        read.outer = _stamps(data["outer"])
        read.sources = {folder: _stamps(files) for folder, files in data["sources"].items()}
        read.folders = set(data["folders"])
        read.ignored = set(data["ignored"])
        read.tracked = _stamps(data["tracked"])
        read.rescued = set(data["rescued"])
        read.refused = {
            path: (reason, detail, (size, time)) for path, (reason, detail, (size, time)) in data["refused"].items()
        }
        return read


def _stamps(data: dict[str, list[int]]) -> dict[str, _Stamp]:
    return {name: (size, time) for name, (size, time) in data.items()}
