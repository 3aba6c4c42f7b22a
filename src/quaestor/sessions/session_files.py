"""Sessions in a folder: each is a file of its own, so that a damaged one is reported in the list and hurts no other."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from quaestor.core.errors import NotFoundError
from quaestor.sessions.named_sessions import Sessions
from quaestor.sessions.records import SessionInfo
from quaestor.sessions.session_place import SessionUnusableError
from quaestor.sessions.transcript import Transcript

_ENDING = ".session"
# SQLite keeps these beside a file that is in use or was left by a process that died.
_BESIDE = ("", "-wal", "-shm", "-journal")
# A file that was written so lately may be written again without its time changing.
_SETTLED_NS = 2_000_000_000
# What a list shows of sessions that were read, and the state of their files then: few of hundreds change between lists.
_KNOWN: dict[Path, tuple[tuple[int, ...], SessionInfo]] = {}


class FolderSessions(Sessions):
    """The sessions in a folder.

    Args:
        folder: where their files lie; it is made when the first session begins.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def of(self, user: str) -> FolderSessions:
        """Return a user's sessions: those in a folder of the user's own."""
        return FolderSessions(self.folder / user) if user else self

    def names(self) -> list[str]:
        """Return the names of all sessions, sorted."""
        try:
            files = list(self.folder.iterdir())
        except FileNotFoundError:
            return []
        return sorted(file.name.removesuffix(_ENDING) for file in files if file.name.endswith(_ENDING))

    def _created(self, name: str, owner: str, root: str) -> Transcript | None:
        try:
            return Transcript.create(self._path(name), name=name, owner=owner, root=root)
        except FileExistsError:
            return None

    def _opened(self, name: str) -> Transcript:
        return Transcript.open(self._path(name))

    def _infos(self) -> Iterable[SessionInfo]:
        return [self._info(name) for name in self.names()]

    def _remove(self, name: str) -> None:
        path = self._path(name)
        for ending in _BESIDE:
            path.with_name(path.name + ending).unlink(missing_ok=True)
        _KNOWN.pop(path, None)

    def _info(self, name: str) -> SessionInfo:
        path = self._path(name)
        state = _state(path)
        kept = _KNOWN.get(path)
        if kept is not None and kept[0] == state:
            return kept[1]
        try:
            with Transcript.open(path) as transcript:
                info = transcript.info()
        except (SessionUnusableError, NotFoundError) as error:
            return SessionInfo(name, error=str(error))
        if state is not None and time.time_ns() - max(state[2::3]) > _SETTLED_NS:
            _KNOWN[path] = (state, info)
        return info

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{_ENDING}"


def _state(path: Path) -> tuple[int, ...] | None:
    """Return by what a change of a session is seen: number, size and time of its file and of the log beside it."""
    found: tuple[int, ...] = ()
    for one in (path, path.with_name(f"{path.name}-wal")):
        try:
            status = one.stat()
        except FileNotFoundError:
            continue
        except OSError:
            return None
        found += (status.st_ino, status.st_size, status.st_mtime_ns)
    return found or None
