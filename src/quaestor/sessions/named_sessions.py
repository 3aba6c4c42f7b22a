"""The sessions of one person: begun, found by name, listed, deleted, wherever they are kept."""

from __future__ import annotations

import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterable
from datetime import UTC, datetime

from quaestor.core.errors import NotFoundError, UsageError
from quaestor.sessions.records import SessionInfo
from quaestor.sessions.transcript import Transcript

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class Sessions(ABC):
    """Sessions by their names; ``FolderSessions`` and ``SharedSessions`` hold them."""

    @abstractmethod
    def of(self, user: str) -> Sessions:
        """Return a user's sessions, whose names mean nobody else's; an empty id is the one user of a machine."""

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
        transcript = self._created(name, owner, root)
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
        return self._opened(self.find(name))

    def find(self, name: str) -> str:
        """Return the whole name of a session that is given by its beginning.

        Raises:
            NotFoundError: no session matches.
            UsageError: several begin so.
        """
        known = self.names()
        if name in known:
            return name
        found = [one for one in known if name and one.startswith(name)]
        if len(found) > 1:
            raise UsageError(
                f"{len(found)} sessions begin with {name!r}: {', '.join(found[:5])}. Give more of the name."
            )
        if not found:
            raise NotFoundError(f"There is no session {name!r}. `quaestor sessions list` shows them all.")
        return found[0]

    def list(self, *, root: str | None = None, owner: str | None = None) -> list[SessionInfo]:
        """Return what is known of the sessions, the one used last first; damaged ones last, with their error.

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
        found = [info for info in self.list(root=root, owner=owner) if info.error is None]
        if not found:
            raise NotFoundError(f"There is no session about {root!r} to continue. `quaestor chat` begins one.")
        return found[0].id

    def delete(self, name: str) -> None:
        """Remove a session, damaged or not.

        Raises:
            NotFoundError: no session matches.
        """
        self._remove(self.find(name))

    @abstractmethod
    def _created(self, name: str, owner: str, root: str) -> Transcript | None:
        """Return a new session; None if there is one of this name."""

    @abstractmethod
    def _opened(self, name: str) -> Transcript: ...

    @abstractmethod
    def _infos(self) -> Iterable[SessionInfo]:
        """Return what is known of all sessions, in any order."""

    @abstractmethod
    def _remove(self, name: str) -> None: ...
