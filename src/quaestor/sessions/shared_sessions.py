"""Sessions in PostgreSQL: any server can continue another one's session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

from quaestor.core.errors import NotFoundError
from quaestor.core.messages import without_surrogates
from quaestor.sessions.named_sessions import Sessions
from quaestor.sessions.records import SessionInfo
from quaestor.sessions.session_reader import shown_title
from quaestor.sessions.session_rows import now
from quaestor.sessions.session_tables import SessionUnusableError
from quaestor.sessions.transcript import Transcript
from quaestor.state.postgres import SESSION, StateConnection, transaction
from quaestor.stores.postgres.connection import Database

_SESSIONS = "quaestor_sessions"
_INFOS = """
select s.id, s.created, s.owner, s.root,
    (select title from titles t where t.session_key = s.key order by t.id desc limit 1),
    (select content from messages m where m.session_key = s.key order by m.id limit 1),
    turns.number, turns.changed
from sessions s
left join lateral (
    select count(*) as number, max(began) as changed from turns where session_key = s.key
) turns on true
where s.scope = ?
"""


class SharedSessions(Sessions):
    """The sessions of one user on a server.

    Args:
        server: a server with tables that are up to date.
        user: the user's id; empty for the one user of a machine without users.
    """

    def __init__(self, server: Database, user: str = "") -> None:
        self._server = server
        self._user = user

    def of(self, user: str) -> SharedSessions:
        """Return a user's sessions."""
        return SharedSessions(self._server, user) if user else self

    def names(self) -> list[str]:
        """Return the names of all sessions, sorted."""
        with self._tables() as connection:
            return [
                row[0]
                for row in connection.execute("select id from sessions where scope = ? order by id", (self._user,))
            ]

    def _create(self, name: str, owner: str, root: str) -> Transcript | None:
        row = (self._user, name, now(), owner, without_surrogates(root))
        with self._tables() as connection:
            inserted = connection.execute(
                "insert into sessions (scope, id, created, owner, root) values (?, ?, ?, ?, ?)"
                " on conflict do nothing returning key",
                row,
            ).fetchone()
        return None if inserted is None else Transcript(SharedSession(self._server, inserted[0], name))

    def _open(self, name: str) -> Transcript:
        with self._tables() as connection:
            row = connection.execute(
                "select key from sessions where scope = ? and id = ?", (self._user, name)
            ).fetchone()
        if row is None:
            raise _not_found(name)
        return Transcript(SharedSession(self._server, row[0], name))

    def _infos(self) -> Iterable[SessionInfo]:
        with self._tables() as connection:
            rows = connection.execute(_INFOS, (self._user,)).fetchall()
        return [
            SessionInfo(name, created, owner, root, shown_title(title, question), turns, changed or created)
            for name, created, owner, root, title, question, turns, changed in rows
        ]

    def _remove(self, name: str) -> None:
        with self._tables() as connection:
            connection.execute("delete from sessions where scope = ? and id = ?", (self._user, name))

    def _tables(self) -> AbstractContextManager[StateConnection]:
        return transaction(self._server, _SESSIONS)


class SharedSession:
    """One session on a server: a ``SessionPlace``.

    Args:
        server: a server with tables that are up to date.
        key: the session's.
        name: the session's, for people.
    """

    def __init__(self, server: Database, key: int, name: str) -> None:
        self._server = server
        self._key = key
        self._name = name

    saved = True

    def reading(self) -> AbstractContextManager[StateConnection]:
        """Give a connection that sees the rows of this session alone."""
        return self._transaction(writes=False)

    @contextmanager
    def writing(self) -> Iterator[StateConnection]:
        """Give a connection inside a transaction that no other writer of this session runs beside."""
        with self._transaction(writes=True) as connection:
            locked = "select 1 from quaestor_sessions.sessions where key = ? for update"
            if connection.execute(locked, (self._key,)).fetchone() is None:
                raise _not_found(self._name)
            yield connection

    def damage_error(self, reason: object) -> SessionUnusableError:
        """Return the error for rows that cannot be read."""
        return SessionUnusableError(
            f"The session {self._name!r} in the store {str(self._server.address)!r} is damaged ({reason}). Other"
            " sessions are not affected; remove this one with `quaestor sessions delete`."
        )

    def close(self) -> None:
        """Release nothing: connections are the server's."""

    def _transaction(self, *, writes: bool) -> AbstractContextManager[StateConnection]:
        return transaction(self._server, SESSION, settings={"quaestor.session": str(self._key)}, writes=writes)


def _not_found(name: str) -> NotFoundError:
    return NotFoundError(f"There is no session {name!r}. `quaestor sessions list` shows them all.")
