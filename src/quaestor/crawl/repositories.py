"""Git repositories as sources: where their files lie, and fetching them."""

from __future__ import annotations

import shutil
from hashlib import blake2b
from pathlib import Path

from quaestor.core.errors import NotFoundError
from quaestor.core.private_folders import make_private
from quaestor.core.wording import command
from quaestor.crawl.git_address import GitAddress, read_git_address
from quaestor.stores.embedded.lock import WriteLock

_FOLDER = "repositories"
_DONE = "fetched"


def files_of(source: str, home: Path) -> Path:
    """Return where the files of a repository lie; nothing is fetched.

    Raises:
        NotFoundError: it was not fetched yet.
        UsageError: it is no address that is fetched from.
    """
    address = read_git_address(source)
    folder = _folder(address, home)
    if not (folder / _DONE).exists():
        raise NotFoundError(f"{source!r} is not indexed yet. Run {command('index', source)}, which fetches its files.")
    return folder / address.name


def fetch_repository(source: str, home: Path, *, allow_private: bool = False) -> bool:
    """Fetch a repository, or what changed in it, into the folder that is indexed; return whether anything changed.

    Args:
        source: its address, with a branch, tag or commit behind ``#`` if it is not the first.
        home: the data folder.
        allow_private: whether it may lie on this machine or in a private network.

    Raises:
        QuaestorError: as ``fetch_commit``; files that were fetched before stay.
        IndexBusyError: another process fetches it.
    """
    from quaestor.crawl.clone import fetch_commit  # noqa: PLC0415 - only `quaestor index` fetches

    address = read_git_address(source)
    folder = _folder(address, home)
    make_private(folder)
    with WriteLock(folder).held(1.0):
        files = folder / address.name
        try:
            changed = fetch_commit(address, files, allow_private=allow_private)
        except BaseException:
            if not (folder / _DONE).exists():
                shutil.rmtree(files, ignore_errors=True)
            raise
        (folder / _DONE).touch()
    return changed


def _folder(address: GitAddress, home: Path) -> Path:
    key = blake2b(f"{address.url}#{address.ref}".encode(), digest_size=8).hexdigest()
    return home / _FOLDER / f"{address.name}-{key}"
