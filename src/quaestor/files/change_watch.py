"""Watching a folder by the kernel's notifications, so that an unchanged folder is not walked again.

Two things are checked: whether anything happened in a folder that the walk read (``inotify``), and whether the files
elsewhere that decide (ignore files above the root, git's configuration and index) are unchanged.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.files.consistent_read import is_racy
from quaestor.files.git_folder import deciding_files, index_file, repository_root
from quaestor.files.ignore import NESTED_EXCLUDE, outer_files
from quaestor.files.walk import WalkResult
from quaestor.files.walk_rules import Decisions

if TYPE_CHECKING:
    from quaestor.files.inotify import InotifyWatch

State = tuple[int, int, int, int, int]
"""A file's device, inode, size, and times of modification and change; only the first two for a folder."""

_NOTHING: State = (-1, -1, -1, 0, 0)


class ChangeWatch:
    """Keeps the last walk's result until something changes. Threads must take turns."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._notices: InotifyWatch | None = None
        self._last_result: WalkResult | None = None
        self._outside: Mapping[str, State] = {}
        self._walked = False

    def look(self, walk: Callable[[], WalkResult], decisions: Decisions) -> WalkResult:
        """Return the last walk's result if nothing happened since, else walk again.

        Args:
            walk: walks the root.
            decisions: those of the previous walk.
        """
        # The order matters: a change from here on is reported next time, or seen by this walk.
        silent = self._notices is not None and self._notices.silent()
        if silent and self._last_result is not None and _states(self._outside) == self._outside:
            return self._last_result
        self._last_result = None
        if not self._walked:
            self._walked = True
            return walk()  # most commands look only once, and watching thousands of folders takes some milliseconds
        outside = _states(_outside(self._root, decisions))
        result = walk()
        if self._watch(result) and _is_settled(result) and self._is_steady(result, outside):
            self._last_result, self._outside = result, outside
        return result

    def forget(self) -> None:
        """Walk at the next look, whatever the kernel reports."""
        self._last_result = None

    def _watch(self, result: WalkResult) -> bool:
        """Watch every folder that was read; return whether all of them were watched during the walk."""
        if not result.places:
            return False  # the root is a file, not a folder
        if self._notices is None:
            from quaestor.files.inotify import InotifyWatch  # noqa: PLC0415 - most commands look once

            self._notices = InotifyWatch(self._root)
        return self._notices.watch(result.places)

    def _is_steady(self, result: WalkResult, outside: Mapping[str, State]) -> bool:
        """Return whether the files outside are unchanged, and every later change would change their times."""
        now = time.time_ns()
        if any(is_racy(state[4], now) for state in outside.values()):
            return False
        return _states(_outside(self._root, result.decisions)) == outside


def _is_settled(result: WalkResult) -> bool:
    """Return whether no work is pending and every change will be noticed.

    A file with several hard links can be changed through a link in another folder.
    """
    return not (result.added or result.suspects or result.removed or result.linked)


def _outside(root: Path, decisions: Decisions) -> Iterable[str]:
    """Yield the files outside the walked folders whose presence or bytes decide what the walk finds."""
    repository = repository_root(root)
    nested = [root / prefix for prefix in decisions.tracked if prefix]
    yield str(root)
    yield from (str(folder / ".git") for folder in (root, *root.parents))  # the nearest one wins
    yield from map(str, (*outer_files(root), *deciding_files(repository)))
    yield from (str(index_file(folder)) for folder in nested + ([repository] if repository else []))
    yield from (str(folder / NESTED_EXCLUDE) for folder in nested)


def _states(places: Iterable[str]) -> dict[str, State]:
    return {place: _state(place) for place in places}


def _state(place: str) -> State:
    try:
        state = os.stat(place)  # noqa: PTH116 - before every search
    except (OSError, ValueError):
        return _NOTHING
    if stat.S_ISDIR(state.st_mode):
        return state.st_dev, state.st_ino, 0, 0, 0
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns
