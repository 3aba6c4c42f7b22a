"""Whether sessions, accounts and the record of edits can be read."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from quaestor.accounts import FILE
from quaestor.assemble import make_sessions, make_users, shared_tables
from quaestor.assemble.source_paths import make_journal
from quaestor.cli.checkup.finding import FindingError
from quaestor.core.config import Settings, data_home
from quaestor.core.wording import amount
from quaestor.edits.journal import JournalError
from quaestor.sessions.session_files import FolderSessions

_MOST_NAMED = 3


def check_sessions(settings: Settings) -> str:
    """Return how many sessions there are.

    Raises:
        FindingError: one cannot be read, or its file is damaged.
    """
    sessions = make_sessions(settings)
    if not isinstance(sessions, FolderSessions):
        return f"{amount(len(sessions.list()), 'session')} in the database"
    everyone = [sessions.folder, *_folders(sessions.folder)]
    files = sorted(file for folder in everyone for file in folder.glob("*.session"))
    damaged = [file for file in files if not _is_sound(file)]
    if damaged:
        named = ", ".join(repr(str(file)) for file in damaged[:_MOST_NAMED])
        raise FindingError(
            f"{len(damaged)} of {amount(len(files), 'session')} cannot be read: {named}. Put copies of the files back,"
            " or remove them with `quaestor sessions delete`"
        )
    return f"{amount(len(files), 'session')}, all whole" if files else "none yet"


def check_accounts(settings: Settings) -> str:
    """Return how many users there are.

    Raises:
        FindingError: the file is damaged.
        AccountsUnusableError: it is of another program or version.
    """
    if shared_tables(settings) is not None:
        return f"{amount(len(make_users(settings).list()), 'user')}; users and what was spent are in the database"
    file = data_home(settings) / FILE
    if not file.exists():
        return "none: nobody needs a token, and nothing was paid"
    if not _is_sound(file):
        raise FindingError(
            f"{str(file)!r} is damaged. Put a copy of it back, or move it away: a new one begins with no users and"
            " nothing spent"
        )
    return f"{amount(len(make_users(settings).list()), 'user')}; users and what was spent can be read"


def check_edits(root: Path, settings: Settings) -> str:
    """Return how many edits of a corpus are on record.

    Raises:
        FindingError: one cannot be read.
    """
    try:
        entries = make_journal(root, settings).entries()
    except JournalError as error:
        raise FindingError(str(error)) from error
    return f"{amount(len(entries), 'edit')} on record" if entries else "none on record"


def _folders(folder: Path) -> list[Path]:
    """Return the folders of users in that of all sessions."""
    with suppress(OSError):
        return [one for one in folder.iterdir() if one.is_dir()]
    return []


def _is_sound(file: Path) -> bool:
    """Return whether a database can be read from its first page to its last."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return bool(connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",))
    except (sqlite3.DatabaseError, UnicodeDecodeError, OSError):
        return False
