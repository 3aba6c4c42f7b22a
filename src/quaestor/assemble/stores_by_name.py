"""Choosing the store of a source's index: a folder on this machine, or a corpus of a database."""

from __future__ import annotations

import atexit
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.assemble.source_paths import index_folder
from quaestor.core.config import Settings, data_home
from quaestor.core.errors import IndexUnusableError, UsageError
from quaestor.core.wording import command
from quaestor.files.git_folder import origin_url, repository_root
from quaestor.stores import Store
from quaestor.stores.embedded.store import EmbeddedStore

if TYPE_CHECKING:
    from quaestor.stores.postgres.connection import Database
    from quaestor.stores.postgres.corpus_states import CorpusLine
    from quaestor.stores.postgres.database_health import Health
    from quaestor.stores.postgres.postgres_store import PostgresStore

# git@host:team/name.git and https://user@host:443/team/name.git are one repository: host/team/name
_REMOTE = re.compile(r"^(?:[a-z+]+://)?(?:[^@/]*@)?([^:/]+)(?::\d+)?[:/]+(.+?)(?:\.git)?/*$", re.IGNORECASE)


def corpus_name(root: Path, settings: Settings) -> str:
    """Return the name of a source's corpus in a database.

    It is the value of the setting ``corpus``; else, for a repository with a remote ``origin``, a name that is the same
    on all machines; else a name that is unique to this machine's folder.
    """
    import socket  # noqa: PLC0415 - of no use to an index on this machine

    name = settings.corpus or _of_repository(root, settings)
    return name or f"{socket.gethostname()}:{index_folder(root, settings).name}"


def _of_repository(root: Path, settings: Settings) -> str:
    repository = repository_root(root)
    if repository is None:
        return ""
    remote = _REMOTE.match(origin_url(repository, settings.git_within))
    if remote is None:
        return ""
    below = root.relative_to(repository).as_posix()
    return "/".join([remote[1].lower(), remote[2], *([] if below == "." else [below])])


EMBEDDED = "embedded"


def is_shared(settings: Settings) -> bool:
    """Return whether the settings name a database as the store of indexes.

    Raises:
        UsageError: the setting ``store`` has an unknown value.
    """
    if settings.store == EMBEDDED:
        return False
    if not settings.store.startswith(("postgresql://", "postgres://")):
        raise UsageError(
            f"There is no store {settings.store.partition('://')[0]!r}. Use 'embedded', or the address of a database: "
            "'postgresql://USER@HOST/DATABASE'."
        )
    return True


@cache
def open_database(uri: str) -> Database:
    """Return the database at an address; all of this process share its connections.

    Raises:
        UsageError: it is not an address, or the extra is not installed.
        IndexUnusableError: it cannot be reached or used.
    """
    try:
        from quaestor.stores.postgres.connection import Database  # noqa: PLC0415 - only for these
    except ImportError as error:
        from quaestor.stores.postgres.failures import missing_driver  # noqa: PLC0415 - only for an error

        raise missing_driver() from error
    database = Database.open(uri)
    atexit.register(database.close)
    return database


def recorded_embedder(root: Path, settings: Settings) -> tuple[str, int] | None:
    """Return the name and dimensions of the embedder of a source's index; None if no index records them."""
    if not is_shared(settings):
        return EmbeddedStore.recorded_embedder(index_folder(root, settings))
    return _postgres().recorded_embedder(open_database(settings.store), _corpus(root, settings))


def open_store(root: Path, settings: Settings, embedder: str, dimensions: int, *, create: bool) -> Store:
    """Open the store of a source's index.

    Args:
        root: the real path of the source.
        settings: the settings that name the store.
        embedder: the name of the index's embedder.
        dimensions: the length of its vectors.
        create: whether to create the index if it is missing.

    Raises:
        IndexUnusableError: it cannot be reached or used, or was made with another embedder.
    """
    if not is_shared(settings):
        folder = index_folder(root, settings)
        return EmbeddedStore.open(folder, embedder=embedder, dimensions=dimensions, create=create)
    return _postgres().open(
        open_database(settings.store),
        _corpus(root, settings),
        embedder=embedder,
        dimensions=dimensions,
        create=create,
        cache=cache_folder(settings),
    )


@contextmanager
def open_existing(root: Path, settings: Settings) -> Iterator[Store]:
    """Open the existing store of a source's index for a block, whatever embedder it was made with.

    Raises:
        IndexUnusableError: the index does not exist, or cannot be used.
    """
    recorded = recorded_embedder(root, settings)
    if recorded is None:
        raise IndexUnusableError(f"There is no index of {str(root)!r} there. Run {command('index', root)}.")
    store = open_store(root, settings, *recorded, create=False)
    try:
        yield store
    finally:
        store.close()


def corpora_of(settings: Settings) -> list[CorpusLine]:
    """Return the corpora of a database by name."""
    from quaestor.stores.postgres.corpus_states import list_corpora  # noqa: PLC0415 - only for these
    from quaestor.stores.postgres.migrations import migrate  # noqa: PLC0415

    database = open_database(settings.store)
    migrate(database)
    return database.read(list_corpora)


def examine_database(settings: Settings) -> Health:
    """Return the findings about the settings' database; see ``stores.postgres.database_health``."""
    from quaestor.stores.postgres import database_health  # noqa: PLC0415 - only for these

    return database_health.examine_database(open_database(settings.store))


def examine_corpus(root: Path, settings: Settings) -> Health | None:
    """Return the findings about a source's corpus in that database, or None if it is missing."""
    from quaestor.stores.postgres import database_health  # noqa: PLC0415 - only for these

    return database_health.examine_corpus(open_database(settings.store), _corpus(root, settings))


def erase_store(root: Path, settings: Settings) -> None:
    """Delete the index of a source; a missing one is not an error."""
    if is_shared(settings):
        _postgres().erase(open_database(settings.store), _corpus(root, settings))
    else:
        EmbeddedStore.erase(index_folder(root, settings))


def erase_corpus(name: str, settings: Settings) -> None:
    """Delete a corpus from the database that the settings name; a missing one is not an error."""
    _postgres().erase(open_database(settings.store), name)


def cache_folder(settings: Settings) -> Path:
    """Return the folder that caches words of a database's corpora; it may be deleted at any time."""
    key = blake2b(settings.store.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return data_home(settings) / "words" / key


def _corpus(root: Path, settings: Settings) -> str:

    return corpus_name(root, settings)


def _postgres() -> type[PostgresStore]:
    from quaestor.stores.postgres.postgres_store import PostgresStore  # noqa: PLC0415 - only for these

    return PostgresStore


def refuse_shared(settings: Settings, what: str) -> None:
    """Refuse an operation that needs an index on this machine.

    Raises:
        IndexUnusableError: the settings name a database.
    """
    if is_shared(settings):
        raise IndexUnusableError(
            f"{what} an index that a database holds is not possible: its rows would lie on this machine alone. "
            "Use `--store embedded`."
        )
