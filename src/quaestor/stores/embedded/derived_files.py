"""Files that are derived from the database: flushes them to the disk in the background, removes them, and keeps marks.

A mark records the state of the database from which a file was made.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import Thread
from typing import Any

from quaestor.core.light_imports import NamedTuple
from quaestor.stores.embedded import sqlite_rows
from quaestor.stores.embedded.checksums import require
from quaestor.stores.embedded.sqlite_rows import Content, RemovedRun


class Flush:
    """Flushes files to the disk in a thread, because waiting for the disk takes no CPU time."""

    def __init__(self, files: Iterable[Path] = ()) -> None:
        self._failure: OSError | None = None
        self._thread = Thread(target=self._flush, args=(list(files),))
        self._thread.start()

    def wait(self) -> None:
        """Wait until all files are flushed.

        Raises:
            OSError: a file could not be written.
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
    """Remove a file, a symlink or a folder with its contents; a missing path is not an error.

    Raises:
        OSError: it cannot be removed.
    """
    if path.is_dir() and not path.is_symlink():
        from shutil import rmtree  # noqa: PLC0415 - seldom needed, and imports every way to pack files

        rmtree(path)
    else:
        path.unlink(missing_ok=True)


class Mark(NamedTuple):
    """The state of the database from which a derived file was made.

    Attributes:
        content: the state of the chunks.
        last_chunk: the highest chunk identifier assigned by then.
        alive: the number of chunks in the file that existed then.
        dead: the number of chunks in the file that no longer existed then.
    """

    content: Content
    last_chunk: int
    alive: int
    dead: int

    @classmethod
    def read(cls, state: Mapping[str, Any]) -> Mark:
        """Return the mark in a JSON object that ``Mark.state`` returned.

        Raises:
            KeyError, TypeError: it holds no mark.
        """
        return cls(**{**state, "content": Content(**state["content"])})

    def state(self) -> dict[str, Any]:
        """Return the mark as a JSON object."""
        return {**self._asdict(), "content": self.content._asdict()}


class Lag(NamedTuple):
    """The changes of chunks since a mark.

    Attributes:
        content: the present state of the chunks.
        removed: the runs of chunks that were removed.
        added: the number of chunks that were added.
        last_chunk: the highest chunk identifier assigned so far.
    """

    content: Content
    removed: tuple[RemovedRun, ...]
    added: int
    last_chunk: int

    @property
    def size(self) -> int:
        """The number of chunks that were added or removed."""
        return self.added + sum(run.chunk_count for run in self.removed)


def lag(connection: sqlite3.Connection, mark: Mark | None) -> Lag | None:
    """Return the changes since ``mark``; None if the change log does not reach back to it.

    Without a mark, everything is new. Runs that were added and removed in between are left out.

    Raises:
        DamagedRowError: the number of chunks is wrong.
    """
    content = sqlite_rows.content(connection)
    last = sqlite_rows.last_chunk(connection)
    if mark is None:
        changes = Lag(content, (), sqlite_rows.count_after(connection, 0), last)
    elif mark.content == content:
        changes = Lag(content, (), 0, last)
    elif sqlite_rows.has_been(connection, mark.content):
        runs = sqlite_rows.removed_since(connection, mark.content)
        known = tuple(run for run in runs if run.first_chunk <= mark.last_chunk)
        changes = Lag(content, known, sqlite_rows.count_after(connection, mark.last_chunk), last)
    else:
        return None
    require(after(mark, changes).alive == sqlite_rows.count(connection), "the number of chunks")
    return changes


def after(mark: Mark | None, lag: Lag) -> Mark:
    """Return the mark of a file to which the changes in ``lag`` were added."""
    gone = sum(run.chunk_count for run in lag.removed)
    alive = (mark.alive if mark else 0) + lag.added - gone
    return Mark(lag.content, lag.last_chunk, alive, (mark.dead if mark else 0) + gone)


def is_worn(mark: Mark, share: float, least: int) -> bool:
    """Return whether the deleted chunks are more than ``share`` of all, and more than ``least``."""
    return mark.dead > least and mark.dead > share * (mark.alive + mark.dead)
