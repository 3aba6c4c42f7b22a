"""Files that are derived from the truth: flushed to the disk while other work goes on, and removed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from threading import Thread


class Flush:
    """Flushes files to the disk in a thread, for waiting needs no processor."""

    def __init__(self, files: Iterable[Path] = ()) -> None:
        self._failure: OSError | None = None
        self._thread = Thread(target=self._flush, args=(list(files),))
        self._thread.start()

    def wait(self) -> None:
        """Wait until all files are flushed.

        Raises:
            OSError: one could not be written.
        """
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def _flush(self, files: Iterable[Path]) -> None:
        try:
            for path in files:
                with path.open("r+b") as file:
                    os.fsync(file.fileno())
        except OSError as error:
            self._failure = error


def discard(path: Path) -> None:
    """Remove a file, a link or a folder with all that it holds; what is missing is not an error.

    Raises:
        OSError: it cannot be removed.
    """
    if path.is_dir() and not path.is_symlink():
        from shutil import rmtree  # noqa: PLC0415 - seldom needed, and imports every way to pack files

        rmtree(path)
    else:
        path.unlink(missing_ok=True)
