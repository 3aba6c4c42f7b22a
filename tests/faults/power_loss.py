"""A loss of power, as hard as the rules of files allow: nothing is certain to be on the disk but what was synced.

``Disk`` is told of each sync of a process that ``system_calls`` watches. When the process has been killed, ``lose``
puts the folder into a state that a disk may be found in: of a file's bytes what was synced last or what was written
since, of a folder's names each as it was when the folder was synced last or as it is, each by chance.
"""

from __future__ import annotations

import os
import random
import shutil
import stat
from pathlib import Path
from typing import NamedTuple

from system_calls import KILL, Kind


class _File(NamedTuple):
    data: bytes
    mode: int


class Disk:
    """What of a folder has been synced; everything that is there in the beginning has.

    Args:
        root: the folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[int, _File] = {}
        self._folders: dict[int, dict[str, int]] = {}
        self._modes: dict[int, int] = {}
        self._held: dict[int, int] = {}
        for place in (root, *root.rglob("*")):
            self.sync(place)

    def watch(self, last: int, number: int, kind: Kind, place: str) -> int:
        """Note what is synced, and kill the process before its call of that number."""
        if number == last:
            return KILL
        if kind == "sync":
            self.sync(Path(place))
        return 0

    def sync(self, place: Path) -> None:
        """Note that a file, or the names of a folder, are on the disk."""
        known = self._known(place)
        if place.is_dir():
            self._folders[known] = {one.name: self._known(one) for one in place.iterdir()}
        else:
            self._files[known] = _File(place.read_bytes(), stat.S_IMODE(place.stat().st_mode))

    def lose(self, draw: random.Random | None) -> None:
        """Leave of the folder what a loss of power may leave; without ``draw`` nothing but what was synced."""
        now = {self._known(place): place for place in (self._root, *self._root.rglob("*"))}
        found = self._found(self._known(self._root), now, draw)
        assert isinstance(found, dict)
        for place in self._root.iterdir():
            shutil.rmtree(place) if place.is_dir() else place.unlink()
        _write(self._root, found)
        for descriptor in self._held.values():
            os.close(descriptor)
        self._held.clear()

    def _known(self, place: Path) -> int:
        """Return the number of a file or folder, which is kept open, so that nothing else is given its number."""
        state = place.lstat()
        if state.st_ino not in self._held:
            self._held[state.st_ino] = os.open(place, os.O_RDONLY | os.O_NOFOLLOW)
            self._modes[state.st_ino] = state.st_mode
        return state.st_ino

    def _found(self, number: int, now: dict[int, Path], draw: random.Random | None) -> _File | dict[str, object]:
        place = now.get(number)
        if not stat.S_ISDIR(self._modes[number]):
            synced = self._files.get(number, _File(b"", 0o600))
            if place is None or not (draw and draw.random() < 0.5):
                return synced
            return _File(place.read_bytes(), stat.S_IMODE(place.stat().st_mode))
        synced_names = self._folders.get(number, {})
        names = {} if place is None else {one.name: self._known(one) for one in place.iterdir()}
        chosen = {
            name: (names if draw and draw.random() < 0.5 else synced_names).get(name)
            for name in sorted({*names, *synced_names})
        }
        return {name: self._found(one, now, draw) for name, one in chosen.items() if one is not None}


def _write(folder: Path, found: dict[str, object]) -> None:
    for name, one in found.items():
        place = folder / name
        if isinstance(one, dict):
            place.mkdir()
            _write(place, one)
        else:
            assert isinstance(one, _File)
            place.write_bytes(one.data)
            place.chmod(one.mode)
