"""Deleting an index, and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

from quaestor.stores.embedded import lexical, matrix, schema
from quaestor.stores.embedded.lock import WriteLock


def erase(folder: Path, timeout: float) -> None:
    """Delete the files of the index in ``folder``, waiting up to ``timeout`` seconds for a writer to end.

    Derived files go first, so that an interruption leaves a whole index or none. The lock file stays: it may
    be waited for.
    """
    if not folder.is_dir():
        return
    with WriteLock(folder).held(timeout):
        shutil.rmtree(folder / lexical.FOLDER, ignore_errors=True)
        for path in folder.glob(f"{matrix.PREFIX}*"):
            shutil.rmtree(path, ignore_errors=True)
        for name in (
            matrix.STATE,
            f"{matrix.STATE}.new",
            schema.FILE,
            f"{schema.FILE}-wal",
            f"{schema.FILE}-shm",
        ):
            (folder / name).unlink(missing_ok=True)
