"""The tables of a session, their storage, and its failures as errors.

A session is kept in a file, in memory, or on a shared server. A file is SQLite rather than lines of JSON: a step is
written whole or not at all, a message is referred to by number instead of being repeated with each request, and lists
and totals are read without the rest. Rows are only ever added. Each session has its own file, so that a damaged one
affects no other.

With a write-ahead log, ``kill -9`` loses nothing that was committed. A power cut may lose the last step and damages
nothing; a full flush with every step would protect that step as well and make each turn wait for the disk.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Protocol

from quaestor.core.config import make_private
from quaestor.core.errors import LimitError, NotFoundError, UsageError
from quaestor.state.rows import Connection, RowsRefusedError

APPLICATION = 0x51535472
VERSION = 7
_BUSY_SECONDS = 5.0
_ABOUT = "insert into session values (?, ?, ?, ?)"

_TABLES = """
create table session (id text not null, created text not null, owner text not null, root text not null);
create table turns (
    number integer primary key, owner text not null, began text not null,
    resumes integer references turns (number)
);
create table messages (
    id integer primary key, turn integer not null references turns (number), role text not null,
    content text not null, name text, calls text not null, call text
);
create table texts (hash text primary key, text text not null) without rowid;
create table passages (
    turn integer not null references turns (number), n integer not null, rank integer not null,
    place text not null, sha256 text not null,
    primary key (turn, n)
) without rowid;
create table requests (
    id integer primary key, turn integer not null references turns (number), at text not null, model text not null,
    window integer not null, reserve integer not null, tokens integer not null, parameters text not null,
    sent text not null, sections text not null, decisions blob not null,
    prompts text not null references texts (hash)
);
create table replies (
    request integer primary key references requests (id), at text not null, finish text not null,
    prompt_tokens integer, completion_tokens integer, reported integer
);
create table endings (
    turn integer primary key references turns (number), at text not null, state text not null,
    known integer not null, model text not null, error text not null, partial text not null,
    citations text not null, unsupported text not null,
    prompt_tokens integer not null, completion_tokens integer not null, reported integer not null
);
create table summaries (
    id integer primary key, at text not null, first integer not null, last integer not null, text text not null,
    model text not null
);
create table learned (id integer primary key, at text not null, model text not null, window integer not null);
"""

# Since format 2. Two processes may find the same old file at once: what one has added does not stop the other.
_CALLS = """
create table if not exists calls (
    id integer primary key, turn integer not null references turns (number), at text not null, name text not null,
    arguments text not null, result text not null, failed integer not null, passages text not null
);
create table if not exists plans (
    turn integer primary key references turns (number), at text not null, plan text not null
);
"""

# Since format 3.
_TITLES = """
create table if not exists titles (id integer primary key, at text not null, title text not null);
"""

# Since format 4: words of a question that limited the documents, and words that would have; the newest of a turn count.
_FILTERS = """
create table if not exists filters (
    id integer primary key, turn integer not null references turns (number), at text not null,
    understood text not null, missed text not null
);
"""

# Since format 5: what a call proposed to change, as a unified diff of the files as they were then.
_DIFFERENCES = """
create table if not exists differences (
    call integer primary key references calls (id), difference text not null
);
"""

# Since format 6: turns whose answer is the model's word alone, with what was quoted beside it.
_UNCHECKED = """
create table if not exists unchecked (
    turn integer primary key references turns (number), quotes text not null
);
"""

# Since format 7: what a person said of answers, the newest of a turn counts; and which proposed changes were made.
_FEEDBACK = """
create table if not exists feedback (
    id integer primary key, turn integer not null references turns (number), at text not null,
    useful integer not null, words text not null
);
create table if not exists applied (call integer primary key references calls (id), at text not null);
"""

_ADDED = {2: _CALLS, 3: _TITLES, 4: _FILTERS, 5: _DIFFERENCES, 6: _UNCHECKED, 7: _FEEDBACK}

TABLES = (
    "session",
    "turns",
    "messages",
    "texts",
    "passages",
    "requests",
    "replies",
    "endings",
    "summaries",
    "learned",
    "calls",
    "plans",
    "titles",
    "filters",
    "differences",
    "unchecked",
    "feedback",
    "applied",
)
"""The tables, in an order in which rows can be added."""


class SessionFile:
    """The open file of one session, or a session in memory that ends with the process: a ``SessionPlace``.

    Args:
        connection: a connection to its tables.
        path: the path of the file; None for a session in memory.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path | None) -> None:
        self._connection = connection
        self._path = path

    @classmethod
    def create(cls, path: Path | None, session_row: Sequence[str]) -> SessionFile:
        """Return a new one; see ``create``."""
        return cls(create(path, session_row), path)

    @classmethod
    def open(cls, path: Path) -> SessionFile:
        """Open an existing session; see ``connect``."""
        return cls(connect(path), path)

    @property
    def saved(self) -> bool:
        """Whether there is a file."""
        return self._path is not None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give the connection."""
        with failures_explained(self._path):
            yield self._connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection inside a transaction; an exception takes all of it back."""
        with failures_explained(self._path):
            self._connection.execute("begin immediate")
            try:
                yield self._connection
                self._connection.execute("commit")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("rollback")
                raise

    def damage_error(self, reason: object) -> SessionUnusableError:
        """Return the error for a file that cannot be read."""
        return damage_error(_name_of(self._path), reason)

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

    def __del__(self) -> None:
        self._connection.close()


def create(path: Path | None, session_row: Sequence[str]) -> sqlite3.Connection:
    """Return a new session's database.

    Args:
        path: its file; None keeps it in the process's own storage only.
        session_row: the row of ``session``.

    Raises:
        FileExistsError: there is a file at ``path``.
    """
    if path is None:
        connection = _open_connection(":memory:")
        # A server makes one for each question that it is asked; making the tables takes a millisecond more.
        connection.deserialize(_empty())
        connection.execute(_ABOUT, session_row)
    else:
        make_private(path.parent)
        with failures_explained(path):
            _create_file(path, session_row)
            connection = _open_connection(str(path))
    with failures_explained(path):
        _prepare(connection)
    return connection


def _create_file(path: Path, session_row: Sequence[str]) -> None:
    """Make a session's file under another name, then give it its own: a killed process leaves none half made.

    Raises:
        FileExistsError: there is a file at ``path``.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
    unfinished.unlink(missing_ok=True)
    # Questions are private.
    os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        with closing(_open_connection(str(unfinished))) as connection:
            _make(connection)
            connection.execute(_ABOUT, session_row)
            connection.execute("pragma journal_mode = wal")
        _give_name(unfinished, path)
    finally:
        for ending in ("", "-wal", "-shm", "-journal"):
            unfinished.with_name(unfinished.name + ending).unlink(missing_ok=True)


def _give_name(unfinished: Path, path: Path) -> None:
    """Give a file its final name, unless a file of that name exists."""
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links: between these two steps, an empty file has the name.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        unfinished.replace(path)


@cache
def _empty() -> bytes:
    """Return the image of a new session's database."""
    with closing(_open_connection(":memory:")) as connection:
        _make(connection)
        return connection.serialize()


def _make(connection: sqlite3.Connection) -> None:
    connection.executescript(
        f"pragma application_id = {APPLICATION}; pragma user_version = {VERSION};"
        f"begin immediate; {_TABLES} {' '.join(_ADDED.values())} commit"
    )


def connect(path: Path) -> sqlite3.Connection:
    """Return an existing session's database.

    Raises:
        NotFoundError: there is no such file.
        SessionUnusableError: it is damaged, of another program, or of a newer version.
    """
    if not path.is_file():
        raise NotFoundError(f"There is no session {path.stem!r}. `quaestor sessions list` shows them all.")
    with failures_explained(path):
        connection = _open_connection(str(path))
        try:
            _check(connection, path)
            _prepare(connection)
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def failures_explained(path: Path | None) -> Iterator[None]:
    """Translate failures of SQLite and the disk into Quaestor's errors.

    Raises:
        LimitError: the disk is full; earlier records are intact.
        SessionUnusableError: the file is damaged or cannot be used.
        RowsRefusedError: rows break a rule of its tables.
    """
    name = _name_of(path)
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "full" in text or "disk i/o" in text.lower():
            raise LimitError(
                f"The session in {name} could not be written ({text}); everything recorded before is intact."
                " Free some space and go on."
            ) from error
        if "locked" in text or "busy" in text:
            raise SessionUnusableError(f"The session in {name} is busy in another process. Try again.") from error
        raise damage_error(name, text) from error
    except sqlite3.IntegrityError as error:
        raise RowsRefusedError(str(error)) from error
    except sqlite3.ProgrammingError:
        raise
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise damage_error(name, str(error)) from error


def _name_of(path: Path | None) -> str:
    return repr(str(path)) if path else "this session"


def damage_error(name: str, detail: object) -> SessionUnusableError:
    """Return the error for a file that cannot be read."""
    return SessionUnusableError(
        f"The session in {name} is damaged ({detail}). Other sessions are not affected; move this file away,"
        " or remove it with `quaestor sessions delete`."
    )


def _open_connection(place: str) -> sqlite3.Connection:
    # No implicit transactions: each step says where it begins and ends.
    return sqlite3.connect(place, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("pragma synchronous = normal")
    connection.execute("pragma foreign_keys = on")


def _check(connection: sqlite3.Connection, path: Path) -> None:
    application = connection.execute("pragma application_id").fetchone()[0]
    version = connection.execute("pragma user_version").fetchone()[0]
    if application != APPLICATION:
        raise damage_error(repr(str(path)), "it is not a session of Quaestor")
    if version > VERSION:
        raise SessionUnusableError(
            f"The session in {str(path)!r} was written by a newer version of Quaestor (format {version}, this one"
            f" reads {VERSION}). Upgrade Quaestor."
        )
    if version < VERSION:
        added = " ".join(tables for since, tables in _ADDED.items() if since > version)
        connection.executescript(f"begin immediate; {added} pragma user_version = {VERSION}; commit")
    known = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
    if missing := set(TABLES) - known:
        raise damage_error(repr(str(path)), f"it has no {', '.join(sorted(missing))}")


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
        """Give a connection inside a transaction, one at a time for each session.

        Raises:
            LimitError: the disk is full; earlier records are intact.
            SessionUnusableError: it cannot be written.
        """

    def damage_error(self, reason: object) -> SessionUnusableError:
        """Return the error for rows that cannot be read."""

    def close(self) -> None:
        """Close the connection."""
