"""The checks of ``quaestor doctor`` besides the installation: the index, the endpoint, permissions, stored data."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from quaestor.accounts import FILE
from quaestor.assemble import check_endpoint, make_sessions, make_users, shared_tables
from quaestor.assemble.source_paths import index_folder, make_journal
from quaestor.assemble.stores_by_name import corpus_name, examine_corpus, examine_database, is_shared
from quaestor.cli.commands.serve import PORT
from quaestor.core.config import RULES, Settings, config_folder, data_home, without_credentials
from quaestor.core.errors import IndexUnusableError, QuaestorError, UpstreamError, UsageError
from quaestor.core.wording import amount, command
from quaestor.edits.journal import JournalError
from quaestor.llm.endpoints import OPENAI_URL
from quaestor.llm.endpoints.failures import is_listening
from quaestor.sessions.named_sessions import FolderSessions
from quaestor.stores.embedded.examine import examine
from quaestor.stores.embedded.sqlite_failures import REBUILD

BROKEN = IndexUnusableError.exit_code
"""The exit code if the installation, the index or other stored data is damaged."""
UNREACHABLE = UpstreamError.exit_code
"""The exit code if an endpoint does not answer."""
TO_CORRECT = UsageError.exit_code
"""The exit code if everything works, but something must be corrected: a file's permissions, a port, a setting."""


class FindingError(QuaestorError):
    """A problem that a check found; its message ends with the next step.

    Attributes:
        exit_code: its severity; the command exits with the highest of all.
    """

    def __init__(self, message: str, exit_code: int = BROKEN) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def check_store(settings: Settings) -> str:
    """Return the place of indexes; for a database, its address and the state of its tables.

    Raises:
        FindingError: the permissions of the database's user must be corrected.
        QuaestorError: the database cannot be reached or used.
    """
    if not is_shared(settings):
        return "files on this machine"
    health = examine_database(settings)
    if health.to_correct:
        raise FindingError("; ".join(health.to_correct), TO_CORRECT)
    return health.facts


def check_index(root: Path, settings: Settings) -> str:
    """Return the finding about an intact or missing index.

    Raises:
        FindingError: the index is damaged.
        IndexBusyError: another process has locked the index.
    """
    return _check_corpus(root, settings) if is_shared(settings) else _check_files(root, settings)


def _check_corpus(root: Path, settings: Settings) -> str:
    """Return the finding about a sample of a corpus in a database; raise as ``check_index``."""
    health, name = examine_corpus(root, settings), corpus_name(root, settings)
    if health is None:
        return f"no corpus {name!r} in the database yet: {command('index', root)} makes it, and so does a first search"
    if health.damaged:
        raise FindingError(
            f"of {health.facts} of {name!r} that were checked: {'; '.join(health.damaged)}. `quaestor store check`"
            f" checks all, `quaestor store vacuum` rebuilds the lexical index, and"
            f" {command('index', root, '--rebuild')} rebuilds everything"
        )
    if health.to_correct:
        raise FindingError(f"{name!r}: {'; '.join(health.to_correct)}", TO_CORRECT)
    return (
        f"{health.facts} of {name!r}, chosen at random, match their checksums, documents, vectors and words;"
        " `quaestor store check` checks all"
    )


def _check_files(root: Path, settings: Settings) -> str:
    """Return the finding about an index on this machine; raise as ``check_index``."""
    folder = index_folder(root, settings)
    if not folder.exists():
        return f"none of {str(root)!r} yet: {command('index', root)} makes it, and so does a first search"
    rebuild = command("index", root, "--rebuild")
    try:
        damaged = examine(folder)
    except IndexUnusableError as error:
        raise type(error)(str(error).replace(REBUILD, f"run {rebuild}")) from error
    if damaged:
        raise FindingError(
            f"{' and '.join(damaged)} in {str(folder)!r} changed on the disk: the next search that reads them rebuilds"
            f" them, and {rebuild} does so now"
        )
    return f"every row and every file of {str(folder)!r} matches its checksum"


_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_SECONDS = 1.0
_LARGEST_REPLY = 4096


def check_model(settings: Settings) -> str:
    """Return the configured model; for a local endpoint, open and close a connection.

    Raises:
        FindingError: no server listens at the endpoint.
        UsageError: the endpoint's settings are invalid.
    """
    if not settings.model:
        return "none: answers are quotes; set --model and --base-url for synthesis"
    check_endpoint(settings)
    url = settings.base_url or OPENAI_URL
    endpoint = f"{settings.model} at {without_credentials(url)}"
    if urlsplit(url).hostname not in _LOOPBACK:
        return f"{endpoint} (not contacted)"
    if not is_listening(url):
        raise FindingError(
            f"no server listens at {without_credentials(url)}, the endpoint of {settings.model!r}: start its server, or"
            " correct `base_url`; until then answers are quotes",
            UNREACHABLE,
        )
    return f"{endpoint}; a server listens (--probe tests what it supports)"


def check_port(settings: Settings) -> str:
    """Return the finding that the port of ``quaestor serve`` is free, or that it already serves there.

    Raises:
        FindingError: another program uses the port.
    """
    del settings
    if not is_listening(f"http://127.0.0.1:{PORT}"):
        return f"{PORT} is free for `quaestor serve`"
    if _is_ours():
        return f"`quaestor serve` answers at {PORT}"
    raise FindingError(
        f"another program listens at {PORT}: serve at another port, as with `quaestor serve --port {PORT + 1}`",
        TO_CORRECT,
    )


def _is_ours() -> bool:
    """Return whether a server of Quaestor answers at the port."""
    with closing(HTTPConnection("127.0.0.1", PORT, timeout=_SECONDS)) as connection:
        try:
            connection.request("GET", "/healthz")
            reply = json.loads(connection.getresponse().read(_LARGEST_REPLY))
        except (OSError, HTTPException, ValueError, RecursionError):
            return False
    return isinstance(reply, dict) and reply.keys() == {"status", "ready"}


_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_MOST_NAMED = 3
_LARGEST = 1 << 18
_KEYS = tuple(name for name, rule in RULES.items() if rule.secret)
_HOLDS_KEY = re.compile(rf"^[ \t]*[\"']?(?:{'|'.join(_KEYS)})[\"']?[ \t]*=[ \t]*[\"'][^\"']", re.MULTILINE)


def check_permissions(settings: Settings) -> str:
    """Return the finding about permissions.

    Raises:
        FindingError: other users can read or change some files, or own them.
    """
    if sys.platform == "win32":
        return "not checked: Windows has other permissions"
    open_ones = [(place, mode) for place, mode in _modes(settings) if mode & _OTHERS]
    if open_ones:
        names = ", ".join(f"{str(place)!r} ({mode:o})" for place, mode in open_ones[:_MOST_NAMED])
        more = f" and {len(open_ones) - _MOST_NAMED} more" if len(open_ones) > _MOST_NAMED else ""
        raise FindingError(f"other users can read {names}{more}: forbid that with `chmod go= FILE`", TO_CORRECT)
    return "no other user can read keys, sessions, accounts, documents, indexes"


def _modes(settings: Settings) -> Iterator[tuple[Path, int]]:
    """Yield the existing private files and folders with their permission bits."""
    for place in _secret_places(settings):
        with suppress(OSError):
            status = place.stat()
            if status.st_uid not in (os.getuid(), 0):
                raise FindingError(
                    f"{str(place)!r} belongs to another user: make it yours with `chown`, or set QUAESTOR_HOME to a"
                    " folder of yours",
                    TO_CORRECT,
                )
            yield place, stat.S_IMODE(status.st_mode)


def _secret_places(settings: Settings) -> Iterator[Path]:
    home, file = data_home(settings), config_folder() / "config.toml"
    with suppress(OSError, ValueError):
        if _HOLDS_KEY.search(file.read_text(encoding="utf-8")[:_LARGEST]):
            yield file
    folders = (home / name for name in ("sessions", "documents", "edits", "indexes", "sites", "repositories"))
    yield from (home / FILE, home / f"{FILE}-wal", *folders)


_NOT_LOOKED_AT = "not checked: the database lacks tables; the next command that opens it creates them"


def _lacks_tables(settings: Settings) -> bool:
    """Return whether the settings' database lacks current tables, so that using it would make or change them."""
    return is_shared(settings) and not examine_database(settings).is_current


def check_sessions(settings: Settings) -> str:
    """Return how many sessions there are.

    Raises:
        FindingError: a session cannot be read, or its file is damaged.
    """
    if _lacks_tables(settings):
        return _NOT_LOOKED_AT
    sessions = make_sessions(settings)
    if not isinstance(sessions, FolderSessions):
        return f"{amount(len(sessions.list()), 'session')} in the database"
    everyone = [sessions.folder, *_folders(sessions.folder)]
    files = sorted(file for folder in everyone for file in folder.glob("*.session"))
    damaged = [file for file in files if not _is_sound(file)]
    if damaged:
        names = ", ".join(repr(str(file)) for file in damaged[:_MOST_NAMED])
        raise FindingError(
            f"{len(damaged)} of {amount(len(files), 'session')} cannot be read: {names}. Restore the files from a copy,"
            " or remove them with `quaestor sessions delete`"
        )
    return f"{amount(len(files), 'session')}, all whole" if files else "none yet"


def check_accounts(settings: Settings) -> str:
    """Return how many users there are.

    Raises:
        FindingError: the file is damaged.
        AccountsUnusableError: the file is from another program or version.
    """
    if _lacks_tables(settings):
        return _NOT_LOOKED_AT
    if shared_tables(settings) is not None:
        return f"{amount(len(make_users(settings).list()), 'user')}; users and the ledger are in the database"
    file = data_home(settings) / FILE
    if not file.exists():
        return "none: no token is needed, and nothing was paid"
    if not _is_sound(file):
        raise FindingError(
            f"{str(file)!r} is damaged. Restore it from a copy, or move it away: a new one begins with no users and"
            " nothing spent"
        )
    return f"{amount(len(make_users(settings).list()), 'user')}; users and the ledger can be read"


def check_edits(root: Path, settings: Settings) -> str:
    """Return how many edits of a corpus are recorded.

    Raises:
        FindingError: the record of an edit cannot be read.
    """
    try:
        entries = make_journal(root, settings).entries()
    except JournalError as error:
        raise FindingError(str(error)) from error
    return f"{amount(len(entries), 'edit')} on record" if entries else "none on record"


def _folders(folder: Path) -> list[Path]:
    """Return the users' folders within the folder of all sessions."""
    with suppress(OSError):
        return [one for one in folder.iterdir() if one.is_dir()]
    return []


def _is_sound(file: Path) -> bool:
    """Return whether every page of a database can be read."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return bool(connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",))
    except (sqlite3.DatabaseError, UnicodeDecodeError, OSError):
        return False
