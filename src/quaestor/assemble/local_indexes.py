"""The indexes on this machine: listing them, and deleting those that are no longer wanted.

An index lies in a folder that is named after a hash of its source's path. The path is noted beside it as well, so that
the index of a deleted folder can still be named.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from quaestor.assemble.first_index import erase_in_turn
from quaestor.assemble.source_paths import SOURCE_NOTE, index_folder, locate
from quaestor.core.config import Settings, data_home
from quaestor.core.errors import NotFoundError, QuaestorError
from quaestor.crawl.fetched_sources import is_address, is_fetched, is_site, names_repository
from quaestor.stores.embedded.schema import FILE as TRUTH
from quaestor.stores.embedded.store import EmbeddedStore

_LOCK = "lock"


class LocalIndex(NamedTuple):
    """An index on this machine.

    Attributes:
        folder: the index's folder.
        source: the real path of the indexed folder or file; None if it is unknown.
        gone: whether that path no longer exists.
        fetched: the folder of the pages or files that were fetched for it; None for a folder of the user's own.
        embedder: the name of its embedder; empty if the index cannot be read.
        documents: the number of documents.
        chunks: the number of chunks.
        size: its size on disk in bytes.
        changed: the time of its last change in ISO 8601.
    """

    folder: Path
    source: Path | None
    gone: bool
    fetched: Path | None
    embedder: str
    documents: int
    chunks: int
    size: int
    changed: str


def list_local(settings: Settings) -> list[LocalIndex]:
    """Return the indexes on this machine by path; those of unknown sources come last."""
    folders = (data_home(settings) / "indexes").glob(f"*/{TRUTH}")
    indexes = [_describe(file.parent, settings) for file in folders]
    return sorted(indexes, key=lambda one: (one.source is None, os.fsencode(one.source or one.folder)))


def find_local(name: str, settings: Settings) -> LocalIndex:
    """Return the index of a source, which need not exist any more.

    Args:
        name: the path or address of the source, or the name of the index's folder.
        settings: name the data folder.

    Raises:
        NotFoundError: the source has no index on this machine.
    """
    fetched = is_address(name) or names_repository(name)
    source = locate(name, settings) if fetched else Path(name).expanduser().absolute()
    wanted = (name, index_folder(source, settings).name)
    index = next((one for one in list_local(settings) if one.folder.name in wanted), None)
    if index is None:
        raise NotFoundError(f"There is no index of {name!r} on this machine. `quaestor store corpora` lists all.")
    return index


def delete_local(index: LocalIndex, on_wait: Callable[[], None], *, fetched: bool = False) -> None:
    """Delete an index, after waiting for a process that makes it.

    Args:
        index: the index, as listed.
        on_wait: called repeatedly meanwhile; an exception from it ends the wait.
        fetched: also delete the pages or files that were fetched for it.

    Raises:
        IndexBusyError: another process writes the index, or fetches the source.
    """

    def erase() -> None:
        EmbeddedStore.erase(index.folder)
        for entry in index.folder.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name != _LOCK:  # another process may wait for it
                entry.unlink(missing_ok=True)

    erase_in_turn(index.folder, erase, on_wait)
    if fetched and index.fetched is not None:
        from quaestor.crawl.site_folder import delete_fetched  # noqa: PLC0415 - most sources are folders

        delete_fetched(index.fetched)


def _describe(folder: Path, settings: Settings) -> LocalIndex:
    source = _source_of(folder, settings)
    files = [*_files_in(folder)]
    newest = max((file.st_mtime for file in files), default=0.0)
    changed = datetime.fromtimestamp(newest, UTC).isoformat(timespec="seconds")
    gone = source is not None and not source.exists()
    fetched = source.parent if source is not None and _was_fetched(source, data_home(settings)) else None
    description = LocalIndex(folder, source, gone, fetched, "", 0, 0, sum(file.st_size for file in files), changed)
    recorded = EmbeddedStore.recorded_embedder(folder)
    if recorded is None:
        return description
    try:
        with closing(EmbeddedStore.open(folder, embedder=recorded[0], dimensions=recorded[1], create=False)) as store:
            stats = store.stats()
    except QuaestorError:
        return description
    return description._replace(embedder=recorded[0], documents=stats.documents, chunks=stats.chunks)


def _files_in(folder: Path) -> Iterator[os.stat_result]:
    """Yield the status of each regular file in a folder; another process may remove some meanwhile."""
    for inner, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                if stat.S_ISREG((status := Path(inner, name).lstat()).st_mode):
                    yield status


def _was_fetched(source: Path, home: Path) -> bool:
    return is_site(source, home) or is_fetched(source, home)


def _source_of(folder: Path, settings: Settings) -> Path | None:
    """Return the source that is recorded beside an index; None if there is no record, or it is of another index."""
    try:
        source = Path(os.fsdecode((folder / SOURCE_NOTE).read_bytes()))
        return source if index_folder(source, settings).name == folder.name else None
    except (OSError, ValueError):
        return None
