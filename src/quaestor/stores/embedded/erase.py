"""Deleting an index, and nothing else."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from quaestor.stores.embedded import lexical, matrix, schema
from quaestor.stores.embedded.derived_files import discard
from quaestor.stores.embedded.lock import WriteLock


def erase(folder: Path, timeout: float) -> None:
    """Delete the files of the index in ``folder``, waiting up to ``timeout`` seconds for a writer to end.

    Derived files go first, so that an interruption leaves a whole index or none. The lock file stays: it may
    be waited for.
    """
    if not folder.is_dir():
        return
    with WriteLock(folder).held(timeout):
        for path in (folder / lexical.FOLDER, *folder.glob(f"{matrix.PREFIX}*")):
            with suppress(OSError):  # what somebody else has mapped cannot be deleted everywhere
                discard(path)
        for name in (
            matrix.STATE,
            f"{matrix.STATE}.new",
            schema.FILE,
            f"{schema.FILE}-wal",
            f"{schema.FILE}-shm",
        ):
            discard(folder / name)
