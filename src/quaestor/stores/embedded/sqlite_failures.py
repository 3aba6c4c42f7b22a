"""Turns failures of SQLite and the disk into Quaestor's errors."""

from __future__ import annotations

import errno
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quaestor.core.errors import IndexBusyError, IndexReadOnlyError, IndexUnusableError, LimitError

REBUILD = "run `quaestor index --rebuild`"

_FULL = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO}
READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}
_FULL_WORDS = (
    "no space left",
    "disk is full",
    "file too large",
    "quota exceeded",
)


def unusable(folder: Path, what: str) -> IndexUnusableError:
    """Return the error for an index that must be rebuilt."""
    return IndexUnusableError(f"The index in {str(folder)!r} {what}: {REBUILD}.")


def is_full(error: BaseException) -> bool:
    """Return whether an error means that the disk, a quota or a file-size limit is exhausted."""
    if isinstance(error, OSError) and error.errno in _FULL:
        return True
    # SQLite reports a file-size limit as a plain disk I/O error; both leave the last commit intact.
    return any(words in str(error).lower() for words in (*_FULL_WORDS, "disk i/o error"))


@contextmanager
def translate_failures(folder: Path) -> Iterator[None]:
    """Translate failures within the block into Quaestor's errors.

    Raises:
        LimitError: the disk is full; the index is unchanged.
        IndexBusyError: another process has locked the database.
        IndexReadOnlyError: the database is read-only.
        IndexUnusableError: the database is damaged or cannot be reached.
    """
    try:
        yield
    except sqlite3.OperationalError as error:
        if is_full(error):
            raise full(folder) from error
        if "locked" in str(error) or "busy" in str(error):
            message = f"The index in {str(folder)!r} is busy in another process: try again when it is done."
            raise IndexBusyError(message) from error
        if "readonly" in str(error):
            raise read_only(folder) from error
        raise unusable(folder, f"cannot be used ({error})") from error
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.DatabaseError as error:
        raise unusable(folder, f"is damaged ({error})") from error
    except zlib.error as error:
        raise unusable(folder, f"is damaged (terms cannot be read: {error})") from error
    except OSError as error:
        if is_full(error):
            raise full(folder) from error
        if error.errno in READ_ONLY:
            raise read_only(folder) from error
        raise


def read_only(folder: Path) -> IndexReadOnlyError:
    """Return the error for a read-only index."""
    return IndexReadOnlyError(
        f"The index in {str(folder)!r} cannot be written: make that folder writable, or set QUAESTOR_HOME to one "
        "that can be."
    )


def full(folder: Path) -> LimitError:
    """Return the error for a disk without space."""
    return LimitError(
        f"The index in {str(folder)!r} could not be written, for lack of space or because the disk fails; "
        "it is as it was before: free some space and run again."
    )
