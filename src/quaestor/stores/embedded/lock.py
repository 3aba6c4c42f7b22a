"""One writer at a time, across processes: a lock on a file that the system releases when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from quaestor.core.errors import IndexBusyError

_POLL_SECONDS = 0.02

if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: BinaryIO) -> bool:
        try:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: BinaryIO) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


class WriteLock:
    """The right to write an index.

    The lock belongs to the system, not to the file's existence: after ``kill -9`` it is free at once.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "lock"

    @contextmanager
    def attempt(self) -> Iterator[bool]:
        """Take the lock if it is free; yields whether it was."""
        with self._path.open("a+b") as file:
            if not _try_lock(file):
                yield False
                return
            try:
                yield True
            finally:
                _unlock(file)

    @contextmanager
    def hold(self, timeout: float) -> Iterator[None]:
        """Hold the lock, waiting for it up to ``timeout`` seconds.

        Raises:
            IndexBusyError: another process did not release it in time.
        """
        with self._path.open("a+b") as file:
            deadline = time.monotonic() + timeout
            while not _try_lock(file):
                if time.monotonic() >= deadline:
                    raise IndexBusyError(self._busy(file, timeout))
                time.sleep(_POLL_SECONDS)
            try:
                self._sign(file)
                yield
            finally:
                _unlock(file)

    @staticmethod
    def _sign(file: BinaryIO) -> None:
        """Write the lock's holder after the first byte, which Windows locks against readers."""
        try:
            file.truncate(0)
            file.write(f" {os.getpid()}".encode())
            file.flush()
        except OSError:
            # A full disk must not keep anybody from removing documents.
            return

    def _busy(self, file: BinaryIO, timeout: float) -> str:
        file.seek(1)
        holder = file.read(20).decode("ascii", "replace").strip() or "unknown"
        return (
            f"The index in {str(self._folder)!r} has been locked by process {holder} for over {timeout:g} s: "
            "try again when it is done."
        )
