"""What holds the tables of one session: a file, the process, or a server that others use as well."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from quaestor.core.errors import UsageError
from quaestor.state.rows import Connection


class SessionUnusableError(UsageError):
    """A session is damaged, of another program, or of a newer version."""

    code = "session"


class SessionPlace(Protocol):
    """Holds the tables of one session."""

    @property
    def saved(self) -> bool:
        """Whether it outlives the process."""

    def reading(self) -> AbstractContextManager[Connection]:
        """Give a connection to read with.

        Raises:
            SessionUnusableError: it cannot be read.
        """

    def writing(self) -> AbstractContextManager[Connection]:
        """Give a connection inside a transaction that no other of this session runs beside.

        Raises:
            LimitError: there is no room; what was recorded before is whole.
            SessionUnusableError: it cannot be written.
        """

    def damaged(self, said: object) -> SessionUnusableError:
        """Return the error for rows that cannot be read."""

    def close(self) -> None:
        """Release what it holds open."""
