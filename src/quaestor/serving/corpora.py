"""Several corpora by name, each opened and brought up to date in a thread of its own, behind whoever asks.

A server answers from its first second; who asks too early is told how far the index is.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from pathlib import Path

from quaestor.assemble import Index
from quaestor.config import Settings
from quaestor.errors import IndexUnusableError, NotFoundError, UsageError
from quaestor.ingest.report import ProgressState


class StillIndexingError(IndexUnusableError):
    """A corpus is asked for before its first index is there; asking again later helps."""


class _StoppedError(Exception):
    """Ends indexing that nobody waits for any more."""


@dataclass(frozen=True, slots=True)
class State:
    """How far a corpus is.

    Attributes:
        name: by which it is asked for.
        root: its folder.
        ready: whether it can be searched.
        done: files read so far, while its first index is made.
        total: files to read; 0 while they are still counted.
    """

    name: str
    root: str
    ready: bool
    done: int = 0
    total: int = 0


class Corpora:
    """Corpora by name. Use it as a context: indexing begins with it, and ends with it.

    Args:
        roots: real paths of folders, at least one.
        settings: the settings for a root.
    """

    def __init__(self, roots: Sequence[Path], settings: Callable[[Path], Settings]) -> None:
        if not roots:
            raise UsageError("There is no corpus to serve. Give the path of at least one folder.")
        self._settings = settings
        self._stopping = threading.Event()
        self._opening = {name: _Opening(root) for name, root in _named(roots).items()}

    def __enter__(self) -> Corpora:
        for name, opening in self._opening.items():
            opening.thread = threading.Thread(target=self._open, args=(opening,), name=f"index {name}")
            opening.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for opening in self._opening.values():
            if opening.thread is not None:
                opening.thread.join()
            if opening.index.done() and opening.index.exception() is None:
                opening.index.result().close()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all corpora, in the order in which they were given."""
        return tuple(self._opening)

    def settings(self, name: str = "") -> Settings:
        """Return a corpus's settings.

        Raises:
            NotFoundError: there is no corpus of that name.
        """
        return self._settings(self._meant(name).root)

    def states(self) -> tuple[State, ...]:
        """Return how far each corpus is."""
        return tuple(_state(name, opening) for name, opening in self._opening.items())

    def get(self, name: str = "", *, wait: float = 0.0) -> Index:
        """Return a corpus that can be searched.

        Args:
            name: as in ``names``; may be empty where there is only one.
            wait: seconds to wait for its first index.

        Raises:
            NotFoundError: there is no corpus of that name.
            StillIndexingError: its first index is not there yet.
            QuaestorError: it cannot be indexed.
        """
        opening = self._meant(name)
        try:
            return opening.index.result(wait)
        except NotYet:
            state = _state(name, opening)
            share = f"{state.done} of {state.total} files are read" if state.total else "its files are being counted"
            raise StillIndexingError(
                f"The first index of {str(opening.root)!r} is still being made: {share}. Ask again in a few seconds."
            ) from None

    def _meant(self, name: str) -> _Opening:
        if not name and len(self._opening) == 1:
            return next(iter(self._opening.values()))
        known = ", ".join(map(repr, self._opening))
        if not name:
            raise UsageError(f"There are several corpora; name one of {known}.")
        found = self._opening.get(name) or next(
            (opening for opening in self._opening.values() if str(opening.root) == os.path.normpath(name)), None
        )
        if found is None:
            raise NotFoundError(f"There is no corpus {name!r} here. Name one of {known}.")
        return found

    def _open(self, opening: _Opening) -> None:
        def progress(state: ProgressState) -> None:
            if self._stopping.is_set():
                raise _StoppedError
            opening.progress = state

        try:
            opening.index.set_result(
                Index.ready(opening.root, settings=self._settings(opening.root), progress=progress)
            )
        except BaseException as error:  # whoever asks for it is told
            opening.index.set_exception(error)


class _Opening:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.index: Future[Index] = Future()
        self.progress: ProgressState | None = None
        self.thread: threading.Thread | None = None


def _state(name: str, opening: _Opening) -> State:
    ready = opening.index.done() and opening.index.exception() is None
    progress = opening.progress
    if ready or progress is None:
        return State(name, str(opening.root), ready)
    return State(name, str(opening.root), ready, progress.done, progress.total)


def _named(roots: Sequence[Path]) -> dict[str, Path]:
    """Return each root by its folder's name, with as many parents before it as tell it from the others."""
    named: dict[str, Path] = {}
    for root in dict.fromkeys(roots):
        others = [other for other in roots if other != root]
        for length in range(1, len(root.parts) + 1):
            name = "/".join(root.parts[-length:])
            if all(other.parts[-length:] != root.parts[-length:] for other in others):
                break
        named[name] = root
    return named
