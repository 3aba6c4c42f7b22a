"""The sessions of one person, by name: begin, open, list, delete.

In a folder, each is a file of its own, so that a damaged one is reported in the list and affects no other.
"""

from __future__ import annotations

import re
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from quaestor.core.errors import NotFoundError, UsageError
from quaestor.sessions.records import SessionInfo
from quaestor.sessions.session_tables import SessionUnusableError
from quaestor.sessions.transcript import Transcript

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")

_ENDING = ".session"
# SQLite keeps these beside a file that is in use or was left by a process that died.
_BESIDE = ("", "-wal", "-shm", "-journal")
# A file that was written so lately may be written again without its time changing.
_SETTLED_NS = 2_000_000_000
# What a list shows of sessions that were read, and the state of their files then: few of hundreds change between lists.
_KNOWN: dict[Path, tuple[tuple[int, ...], SessionInfo]] = {}


class Sessions(ABC):
    """Sessions by name; ``FolderSessions`` and ``SharedSessions`` store them."""

    @abstractmethod
    def of(self, user: str) -> Sessions:
        """Return the sessions of one user only; an empty id is the one user of a machine."""

    @abstractmethod
    def names(self) -> list[str]:
        """Return the names of all sessions, sorted."""

    def begin(self, *, root: str = "", owner: str = "", name: str | None = None) -> Transcript:
        """Begin a session.

        Args:
            root: the folder or file that it is about.
            owner: whose it is; empty on a machine of one person.
            name: its name; None makes one of time and chance.

        Raises:
            UsageError: there is a session of this name, or it is not a name.
        """
        name = name or f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        if not _NAME.fullmatch(name):
            raise UsageError(f"{name!r} is not a name for a session; use letters, digits, '-' and '_', 64 at most.")
        transcript = self._create(name, owner, root)
        if transcript is None:
            raise UsageError(f"There is a session {name!r} already. Choose another name, or resume that one.")
        return transcript

    def open(self, name: str) -> Transcript:
        """Open a session by its name, or by a unique beginning of its name.

        Raises:
            NotFoundError: no session matches.
            UsageError: several begin so.
            SessionUnusableError: its file is damaged.
        """
        return self._open(self.find(name))

    def find(self, name: str) -> str:
        """Return the whole name of a session that is given by its beginning.

        Raises:
            NotFoundError: no session matches.
            UsageError: several begin so.
        """
        known = self.names()
        if name in known:
            return name
        matching = [one for one in known if name and one.startswith(name)]
        if len(matching) > 1:
            raise UsageError(
                f"{len(matching)} sessions begin with {name!r}: {', '.join(matching[:5])}. Give more of the name."
            )
        if not matching:
            raise NotFoundError(f"There is no session {name!r}. `quaestor sessions list` shows them all.")
        return matching[0]

    def list(self, *, root: str | None = None, owner: str | None = None) -> list[SessionInfo]:
        """List the sessions, the most recent first; damaged ones last, with their error.

        Args:
            root: only those about this folder or file.
            owner: only those of this person.
        """
        wanted = (
            info for info in self._infos() if info.error or (root in (None, info.root) and owner in (None, info.owner))
        )
        return sorted(wanted, key=lambda info: (info.error is None, info.changed), reverse=True)

    def latest(self, *, root: str, owner: str = "") -> str:
        """Return the name of the session about ``root`` that was used last.

        Raises:
            NotFoundError: no session matches.
        """
        readable = [info for info in self.list(root=root, owner=owner) if info.error is None]
        if not readable:
            raise NotFoundError(f"There is no session about {root!r} to continue. `quaestor chat` begins one.")
        return readable[0].id

    def delete(self, name: str) -> None:
        """Remove a session, damaged or not.

        Raises:
            NotFoundError: no session matches.
        """
        self._remove(self.find(name))

    @abstractmethod
    def _create(self, name: str, owner: str, root: str) -> Transcript | None:
        """Return a new session; None if its name is taken."""

    @abstractmethod
    def _open(self, name: str) -> Transcript: ...

    @abstractmethod
    def _infos(self) -> Iterable[SessionInfo]:
        """List all sessions, in any order."""

    @abstractmethod
    def _remove(self, name: str) -> None: ...


class FolderSessions(Sessions):
    """The sessions in a folder.

    Args:
        folder: the folder of their files; made when the first session begins.
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

    def _create(self, name: str, owner: str, root: str) -> Transcript | None:
        try:
            return Transcript.create(self._path(name), name=name, owner=owner, root=root)
        except FileExistsError:
            return None

    def _open(self, name: str) -> Transcript:
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
        cached = _KNOWN.get(path)
        if cached is not None and cached[0] == state:
            return cached[1]
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
    """Return the state of a session's files, which differs after a change: inode, size and time of file and log."""
    state: tuple[int, ...] = ()
    for one in (path, path.with_name(f"{path.name}-wal")):
        try:
            status = one.stat()
        except FileNotFoundError:
            continue
        except OSError:
            return None
        state += (status.st_ino, status.st_size, status.st_mtime_ns)
    return state or None
