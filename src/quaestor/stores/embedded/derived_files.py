"""Files that are derived from the truth: flushed to the disk while other work goes on, and removed.

Their progress marks name the state of the truth that each was made from.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import Thread
from typing import Any

from quaestor.core.light_imports import NamedTuple
from quaestor.stores.embedded import truth
from quaestor.stores.embedded.checksums import require
from quaestor.stores.embedded.truth import Content, Removed


class Flush:
    """Flushes files to the disk in a thread, because waiting needs no processor."""

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
    """Remove a file, a link or a folder with its contents, if it exists.

    Raises:
        OSError: it cannot be removed.
    """
    if path.is_dir() and not path.is_symlink():
        from shutil import rmtree  # noqa: PLC0415 - seldom needed, and imports every way to pack files

        rmtree(path)
    else:
        path.unlink(missing_ok=True)


class Mark(NamedTuple):
    """The state of the truth that something derived was made from.

    Attributes:
        content: the state of the chunks.
        last_chunk: the highest chunk identifier given out by then.
        alive: chunks that it held then and that existed.
        dead: chunks that it holds and that no longer exist.
    """

    content: Content
    last_chunk: int
    alive: int
    dead: int

    @classmethod
    def read(cls, state: Mapping[str, Any]) -> Mark:
        """Return the mark that ``state`` was made of.

        Raises:
            KeyError, TypeError: it was made of none.
        """
        return cls(**{**state, "content": Content(**state["content"])})

    def state(self) -> dict[str, Any]:
        """Return the mark as an object of JSON."""
        return {**self._asdict(), "content": self.content._asdict()}


class Lag(NamedTuple):
    """What happened to the chunks since a mark.

    Attributes:
        content: the state that they are in now.
        removed: runs of chunks that went.
        added: the number of chunks that came.
        last_chunk: the highest identifier given out by now.
    """

    content: Content
    removed: tuple[Removed, ...]
    added: int
    last_chunk: int

    @property
    def size(self) -> int:
        """Chunks that came or went."""
        return self.added + sum(run.chunk_count for run in self.removed)


def lag(connection: sqlite3.Connection, mark: Mark | None) -> Lag | None:
    """Return the changes since ``mark``, or None if the change log does not reach back to it.

    Without a mark, everything is new. Runs that were added and removed in between are left out.

    Raises:
        DamagedRowError: there are not as many chunks as there should be.
    """
    content = truth.content(connection)
    last = truth.last_chunk(connection)
    if mark is None:
        found = Lag(content, (), truth.count_after(connection, 0), last)
    elif mark.content == content:
        found = Lag(content, (), 0, last)
    elif truth.has_been(connection, mark.content):
        runs = truth.removed_since(connection, mark.content)
        known = tuple(run for run in runs if run.first_chunk <= mark.last_chunk)
        found = Lag(content, known, truth.count_after(connection, mark.last_chunk), last)
    else:
        return None
    require(after(mark, found).alive == truth.count(connection), "the number of chunks")
    return found


def after(mark: Mark | None, lag: Lag) -> Mark:
    """Return the mark of something that has caught up by ``lag``."""
    gone = sum(run.chunk_count for run in lag.removed)
    alive = (mark.alive if mark else 0) + lag.added - gone
    return Mark(lag.content, lag.last_chunk, alive, (mark.dead if mark else 0) + gone)


def is_worn(mark: Mark, share: float, least: int) -> bool:
    """Return whether deleted chunks exceed ``share`` of all and ``least`` in number."""
    return mark.dead > least and mark.dead > share * (mark.alive + mark.dead)
